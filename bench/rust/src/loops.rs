use std::cell::{Cell, RefCell};
use std::hint::black_box;

use rayon::prelude::*;

use crate::measure::{report_repeated, with_rayon};

const LENGTHS: [usize; 7] = [16, 64, 256, 1024, 4096, 16_384, 65_536];

fn heavy(x: f64, y: f64) -> f64 {
    (1.0 + (-x).exp()).ln() * y.sqrt()
}

/// As the empty statement of the rivals in C++: must run, but does nothing.
fn nothing(i: usize) {
    unsafe { std::arch::asm!("/* {0} */", in(reg) i, options(nomem, nostack, preserves_flags)) }
}

fn run(n: usize) {
    let x: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
    let operations = n as u64;
    let y = RefCell::new(vec![0.0; n]);
    let z = RefCell::new(vec![0.0; n]);

    let body = || (0..n).into_par_iter().for_each(nothing);
    report_repeated(&format!("loops_empty_{n}"), operations, body, || true);

    let calls = Cell::new(0.0);
    let a: f64 = black_box(1.0);
    let body = || {
        calls.set(calls.get() + 1.0);
        y.borrow_mut().par_iter_mut().zip(&x).for_each(|(y, x)| *y += a * x);
    };
    let check = || y.borrow().iter().zip(&x).all(|(y, x)| *y == calls.get() * x);
    report_repeated(&format!("loops_saxpy_{n}"), operations, body, check);

    y.borrow_mut().fill(1.0);
    let y = y.into_inner();
    let body = || z.borrow_mut().par_iter_mut().zip(&x).zip(&y).for_each(|((z, x), y)| *z = heavy(*x, *y));
    let check = || z.borrow().iter().zip(&x).all(|(z, x)| (z - heavy(*x, 1.0)).abs() < 1e-12);
    report_repeated(&format!("loops_heavy_{n}"), operations, body, check);
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || LENGTHS.into_iter().for_each(run));
}

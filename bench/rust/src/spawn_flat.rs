use std::cell::RefCell;

use crate::measure::{report_repeated, with_rayon};

const TASKS: u64 = 1_000_000;

fn spawn(results: &mut [u64]) {
    rayon::scope(|scope| {
        for (i, result) in results.iter_mut().enumerate() {
            scope.spawn(move |_| *result = i as u64);
        }
    });
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || {
        let results = RefCell::new(vec![0; TASKS as usize]);
        let check = || results.borrow().iter().sum::<u64>() == TASKS * (TASKS - 1) / 2;
        report_repeated("spawn_flat", TASKS, || spawn(&mut results.borrow_mut()), check);
    });
}

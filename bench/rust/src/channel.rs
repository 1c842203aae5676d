use std::cell::Cell;
use std::thread;

use crossbeam_channel::unbounded;

use crate::measure::report_repeated;

const ROUND_TRIPS: u64 = 5_000;

fn play() -> u64 {
    let (there, from_here) = unbounded();
    let (back, from_there) = unbounded();
    thread::spawn(move || from_here.iter().try_for_each(|number: u64| back.send(number + 1)));
    (0..ROUND_TRIPS).fold(0, |number, _| {
        there.send(number + 1).expect("a partner");
        from_there.recv().expect("a partner")
    })
}

pub fn crossbeam(_workers: usize) {
    let verified = Cell::new(true);
    let body = || verified.set(verified.get() && play() == 2 * ROUND_TRIPS);
    report_repeated("channel", 2 * ROUND_TRIPS, body, || verified.get());
}

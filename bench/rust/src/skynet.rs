use std::cell::Cell;

use crate::measure::{report_repeated, sum_by_halves_rayon, with_chili, with_rayon};

const BRANCHING: u64 = 10;
const LEAVES: u64 = 1_000_000;
const RESULT: u64 = 499_999_500_000;
const NODES: u64 = 1_111_111;

fn skynet_rayon(first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    let size = leaves / BRANCHING;
    sum_by_halves_rayon(0..BRANCHING, &|i| skynet_rayon(first + i * size, size))
}

fn skynet_chili(scope: &mut chili::Scope<'_>, first: u64, leaves: u64) -> u64 {
    if leaves == 1 {
        return first;
    }
    trees_chili(scope, first, leaves / BRANCHING, BRANCHING)
}

/// The first tree, and in parallel the rest, which is faster with chili; with rayon halves are.
fn trees_chili(scope: &mut chili::Scope<'_>, first: u64, leaves: u64, n: u64) -> u64 {
    if n == 1 {
        return skynet_chili(scope, first, leaves);
    }
    let (one, others) =
        scope.join(|s| skynet_chili(s, first, leaves), |s| trees_chili(s, first + leaves, leaves, n - 1));
    one + others
}

fn repeat(mut skynet: impl FnMut(u64, u64) -> u64) {
    let verified = Cell::new(true);
    let body = || verified.set(verified.get() && skynet(0, LEAVES) == RESULT);
    report_repeated("skynet", NODES, body, || verified.get());
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || repeat(skynet_rayon));
}

pub fn chili(workers: usize) {
    with_chili(workers, |s| repeat(|first, leaves| skynet_chili(s, first, leaves)));
}

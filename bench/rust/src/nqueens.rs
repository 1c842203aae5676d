use crate::measure::{report, with_chili, with_rayon};

const N: u32 = 14;
const RESULT: u64 = 365_596;
const QUEENS: u64 = 27_358_552;

#[derive(Clone, Copy)]
struct Board {
    all: u32,
    columns: u32,
    left: u32,
    right: u32,
}

impl Board {
    fn free(&self) -> u32 {
        self.all & !(self.columns | self.left | self.right)
    }
    fn with(&self, square: u32) -> Board {
        let (left, right) = ((self.left | square) << 1, (self.right | square) >> 1);
        Board { all: self.all, columns: self.columns | square, left, right }
    }
}

const EMPTY: Board = Board { all: (1 << N) - 1, columns: 0, left: 0, right: 0 };

/// Solutions with a queen on one of the `free` squares of the next row: the first is a fork, the others the rest of it.
fn place_rayon(b: Board, free: u32) -> u64 {
    let square = free & free.wrapping_neg();
    if free == square {
        return solutions_rayon(b.with(square));
    }
    let (here, others) = rayon::join(|| solutions_rayon(b.with(square)), || place_rayon(b, free ^ square));
    here + others
}

fn solutions_rayon(b: Board) -> u64 {
    match b.free() {
        _ if b.columns == b.all => 1,
        0 => 0,
        free => place_rayon(b, free),
    }
}

/// chili runs the second function at once and keeps the first for others, and it keeps three: so those should be the
/// larger parts. (The other way round the second of two workers had a tenth of the work.)
fn place_chili(scope: &mut chili::Scope<'_>, b: Board, free: u32) -> u64 {
    let square = free & free.wrapping_neg();
    if free == square {
        return solutions_chili(scope, b.with(square));
    }
    let (others, here) = scope.join(|s| place_chili(s, b, free ^ square), |s| solutions_chili(s, b.with(square)));
    here + others
}

fn solutions_chili(scope: &mut chili::Scope<'_>, b: Board) -> u64 {
    match b.free() {
        _ if b.columns == b.all => 1,
        0 => 0,
        free => place_chili(scope, b, free),
    }
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || report("nqueens", QUEENS, || solutions_rayon(EMPTY), |result| result == RESULT));
}

pub fn chili(workers: usize) {
    with_chili(workers, |s| report("nqueens", QUEENS, || solutions_chili(s, EMPTY), |result| result == RESULT));
}

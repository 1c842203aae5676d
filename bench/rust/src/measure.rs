//! What bench/measure.hpp is for the rivals in C++, and the pools of the two libraries.

use std::num::NonZero;
use std::time::Instant;

fn print_record(workload: &str, seconds: f64, operations: u64, verified: bool) {
    println!(
        "{{\"workload\": \"{workload}\", \"value\": {seconds:.9}, \"unit\": \"s\", \"operations\": {operations}, \
         \"verified\": {verified}}}"
    );
}

/// Times `body` as `operations` operations; `check`, which is not timed, tells whether its result is right.
pub fn report<R>(workload: &str, operations: u64, body: impl FnOnce() -> R, check: impl FnOnce(R) -> bool) {
    let start = Instant::now();
    let result = body();
    let seconds = start.elapsed().as_secs_f64();
    print_record(workload, seconds, operations, check(result));
}

/// Calls `body` again and again for about a tenth of a second; `operations` are those of one call.
pub fn report_repeated(workload: &str, operations: u64, mut body: impl FnMut(), check: impl FnOnce() -> bool) {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (0..calls).for_each(|_| body());
        let seconds = start.elapsed().as_secs_f64();
        if seconds > 0.07 {
            return print_record(workload, seconds, calls * operations, check());
        }
        calls *= 2;
    }
}

/// Runs `body` in a pool of rayon. The stacks are large because a branch of the tree T3 is 1572 nodes deep.
pub fn with_rayon<R: Send>(workers: usize, body: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).stack_size(64 << 20).build();
    pool.expect("a pool").install(body)
}

/// Runs `body` in a scope of chili.
pub fn with_chili<R>(workers: usize, body: impl FnOnce(&mut chili::Scope<'_>) -> R) -> R {
    let config = chili::Config { thread_count: NonZero::new(workers), ..Default::default() };
    let pool = chili::ThreadPool::with_config(config);
    body(&mut pool.scope())
}

/// Sum of `term(i)` over `range` by halves, as the other rivals that fork two functions do.
pub fn sum_by_halves_rayon(range: std::ops::Range<u64>, term: &(impl Fn(u64) -> u64 + Sync)) -> u64 {
    if range.end - range.start == 1 {
        return term(range.start);
    }
    let middle = range.start.midpoint(range.end);
    let (left, right) =
        rayon::join(|| sum_by_halves_rayon(range.start..middle, term), || sum_by_halves_rayon(middle..range.end, term));
    left + right
}

pub fn sum_by_halves_chili(
    scope: &mut chili::Scope<'_>,
    range: std::ops::Range<u64>,
    term: &(impl Fn(&mut chili::Scope<'_>, u64) -> u64 + Sync),
) -> u64 {
    if range.end - range.start == 1 {
        return term(scope, range.start);
    }
    let middle = range.start.midpoint(range.end);
    let (left, right) = scope.join(
        |s| sum_by_halves_chili(s, range.start..middle, term),
        |s| sum_by_halves_chili(s, middle..range.end, term),
    );
    left + right
}

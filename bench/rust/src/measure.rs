//! What bench/measure.hpp is for the rivals in C++, and the pools of the two libraries.

use std::num::NonZero;
use std::time::Instant;

/// The time, and the pages of memory that the system had to provide, since it was made.
struct Stopwatch {
    faults: u64,
    start: Instant,
}

impl Stopwatch {
    fn new() -> Self {
        let faults = faults_so_far();
        Stopwatch { faults, start: Instant::now() }
    }
    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
    fn faults(&self) -> u64 {
        faults_so_far() - self.faults
    }
}

/// Field 10 of proc(5)'s stat: minor faults. The second field is the program's name in parentheses.
fn faults_so_far() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("proc");
    let (_, after_name) = stat.rsplit_once(')').expect("a name");
    after_name.split_whitespace().nth(7).and_then(|field| field.parse().ok()).expect("a number of faults")
}

fn print_record(workload: &str, seconds: f64, operations: u64, verified: bool, faults: u64) {
    println!(
        "{{\"workload\": \"{workload}\", \"value\": {seconds:.9}, \"unit\": \"s\", \"operations\": {operations}, \
         \"verified\": {verified}, \"faults\": {faults}}}"
    );
}

/// Times the second call of `body` as `operations` operations; `check`, which is not timed, tells whether a result is
/// right.
pub fn report<R>(workload: &str, operations: u64, mut body: impl FnMut() -> R, check: impl Fn(R) -> bool) {
    let first = check(body());
    let watch = Stopwatch::new();
    let result = body();
    let (seconds, faults) = (watch.seconds(), watch.faults());
    print_record(workload, seconds, operations, first && check(result), faults);
}

/// The same for what changes a `problem`: `prepare`, which is not timed, makes it anew before each call.
pub fn report_prepared<P>(
    workload: &str,
    operations: u64,
    problem: &mut P,
    prepare: impl Fn(&mut P),
    mut body: impl FnMut(&mut P),
    check: impl Fn(&P) -> bool,
) {
    prepare(problem);
    body(problem);
    prepare(problem);
    let watch = Stopwatch::new();
    body(problem);
    let (seconds, faults) = (watch.seconds(), watch.faults());
    print_record(workload, seconds, operations, check(problem), faults);
}

/// After an untimed call, calls `body` again and again for about a tenth of a second; `operations` are those of one
/// call.
pub fn report_repeated(workload: &str, operations: u64, mut body: impl FnMut(), check: impl FnOnce() -> bool) {
    body();
    let mut calls = 1;
    loop {
        let watch = Stopwatch::new();
        (0..calls).for_each(|_| body());
        let (seconds, faults) = (watch.seconds(), watch.faults());
        if seconds > 0.07 {
            return print_record(workload, seconds, calls * operations, check(), faults);
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

/// Sum of `term(i)` over `range` by halves.
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

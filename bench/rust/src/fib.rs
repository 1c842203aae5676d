use crate::measure::{report, with_chili, with_rayon};

const N: u32 = 39;
const RESULT: u64 = 63_245_986;
const CALLS: u64 = 204_668_309;

fn fib_rayon(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = rayon::join(|| fib_rayon(n - 1), || fib_rayon(n - 2));
    a + b
}

fn fib_chili(scope: &mut chili::Scope<'_>, n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = scope.join(|s| fib_chili(s, n - 1), |s| fib_chili(s, n - 2));
    a + b
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || report("fib", CALLS, || fib_rayon(N), |result| result == RESULT));
}

pub fn chili(workers: usize) {
    with_chili(workers, |s| report("fib", CALLS, || fib_chili(s, N), |result| result == RESULT));
}

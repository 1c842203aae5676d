//! Rivals in Rust: `treadle-rivals WORKLOAD RIVAL --workers N` prints the record that bench/run.py reads.

use std::num::NonZero;
use std::time::Instant;

const FIB_N: u32 = 39;
const FIB_RESULT: u64 = 63_245_986;
const FIB_CALLS: u64 = 204_668_309;

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

fn report(workload: &str, rival: &str, workers: usize, operations: u64, body: impl FnOnce() -> bool) {
    let start = Instant::now();
    let verified = body();
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{{\"workload\": \"{workload}\", \"rival\": \"{rival}\", \"workers\": {workers}, \
         \"seconds\": {seconds:.9}, \"operations\": {operations}, \"verified\": {verified}}}"
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let workers = match arguments.iter().position(|a| a == "--workers") {
        Some(i) => arguments[i + 1].parse().expect("a number of workers"),
        None => 1,
    };
    match (arguments[0].as_str(), arguments[1].as_str()) {
        ("fib", "rayon") => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().expect("a pool");
            report("fib", "rayon", workers, FIB_CALLS, || pool.install(|| fib_rayon(FIB_N)) == FIB_RESULT);
        }
        ("fib", "chili") => {
            let config = chili::Config { thread_count: NonZero::new(workers), ..Default::default() };
            let pool = chili::ThreadPool::with_config(config);
            report("fib", "chili", workers, FIB_CALLS, || fib_chili(&mut pool.scope(), FIB_N) == FIB_RESULT);
        }
        (workload, rival) => panic!("no rival {rival} for {workload}"),
    }
}

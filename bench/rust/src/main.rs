//! Rivals in Rust: `treadle-rivals WORKLOAD RIVAL --workers N` prints the records that bench/run.py reads;
//! `treadle-rivals --list` prints one workload and rival per line. The problems are those of
//! bench/<workload>/config.hpp.

mod channel;
mod fib;
mod integrate;
mod loops;
mod matmul;
mod measure;
mod nqueens;
mod skynet;
mod sort;
mod spawn_flat;
mod uts;

const RIVALS: &[(&str, &str, fn(usize))] = &[
    ("channel", "crossbeam", channel::crossbeam),
    ("fib", "chili", fib::chili),
    ("fib", "rayon", fib::rayon),
    ("integrate", "chili", integrate::chili),
    ("integrate", "rayon", integrate::rayon),
    ("loops", "rayon", loops::rayon),
    ("matmul", "chili", matmul::chili),
    ("matmul", "rayon", matmul::rayon),
    ("nqueens", "chili", nqueens::chili),
    ("nqueens", "rayon", nqueens::rayon),
    ("skynet", "chili", skynet::chili),
    ("skynet", "rayon", skynet::rayon),
    ("sort", "rayon", sort::rayon),
    ("spawn_flat", "rayon", spawn_flat::rayon),
    ("uts", "chili", uts::chili),
    ("uts", "rayon", uts::rayon),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["--list"] => RIVALS.iter().for_each(|(workload, rival, _)| println!("{workload} {rival}")),
        [workload, rival, "--workers", workers] => {
            let workers = workers.parse().expect("a number of workers");
            let found = RIVALS.iter().find(|r| (r.0, r.1) == (workload, rival));
            found.unwrap_or_else(|| panic!("no rival {rival} for {workload}")).2(workers);
        }
        _ => panic!("usage: treadle-rivals --list | WORKLOAD RIVAL --workers N"),
    }
}

use rayon::slice::ParallelSliceMut;

use crate::measure::{report_prepared, with_rayon};

const KEYS: u64 = 10_000_000;

fn random_bits(i: u64) -> u64 {
    let z = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn run<K: Copy + PartialOrd>(name: &str, make: fn(u64) -> K, bits: fn(K) -> u64, sort: fn(&mut [K])) {
    let mut keys: Vec<K> = (0..KEYS).map(make).collect();
    let fingerprint = |keys: &[K]| keys.iter().fold(0, |sum: u64, key| sum.wrapping_add(random_bits(bits(*key))));
    let expected = fingerprint(&keys);
    let unsort = |keys: &mut Vec<K>| keys.iter_mut().zip(0..).for_each(|(key, i)| *key = make(i));
    let check = |keys: &Vec<K>| keys.is_sorted() && fingerprint(keys) == expected;
    report_prepared(name, KEYS, &mut keys, unsort, |keys| sort(keys), check);
}

fn run_ints(name: &str, make: fn(u64) -> i32) {
    run(name, make, |key| key as u64, |keys| keys.par_sort_unstable());
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || {
        run_ints("sort_ints", |i| random_bits(i) as i32);
        run(
            "sort_doubles",
            |i| (random_bits(i) >> 2) as f64,
            |key| key as u64,
            |keys| {
                keys.par_sort_unstable_by(|a, b| a.partial_cmp(b).expect("a number"));
            },
        );
        run_ints("sort_sorted", |i| i as i32);
        run_ints("sort_reverse", |i| -(i as i32));
        run_ints("sort_few", |i| (random_bits(i) % 100) as i32);
    });
}

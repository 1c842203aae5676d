use crate::measure::{report_prepared, with_chili, with_rayon};

extern "C" {
    fn matmul_base(a: *const f64, b: *const f64, c: *mut f64, n: i64);
    fn matmul_take(n: i64, matrices: *mut *mut f64);
    fn matmul_give(matrices: *mut *mut f64);
    fn matmul_fill(matrix: *mut f64, n: i64, seed: u32);
    fn matmul_check(a: *const f64, b: *const f64, c: *const f64, n: i64) -> bool;
}

const SIZES: [(&str, usize); 2] = [("matmul_1024", 1024), ("matmul_2048", 2048)];
const TILE: usize = 32;

/// c += a * b: m x k times k x n, in matrices of `stride` columns.
#[derive(Clone, Copy)]
struct Product {
    a: *const f64,
    b: *const f64,
    c: *mut f64,
    m: usize,
    n: usize,
    k: usize,
    stride: usize,
}

// The halves that run in parallel write to different parts of c.
unsafe impl Send for Product {}
unsafe impl Sync for Product {}

impl Product {
    fn is_tile(&self) -> bool {
        self.m == TILE && self.n == TILE && self.k == TILE
    }
    fn splits_inner(&self) -> bool {
        self.k > self.m && self.k > self.n
    }
    fn multiply_tile(&self) {
        unsafe { matmul_base(self.a, self.b, self.c, self.stride as i64) }
    }
    /// One half of the longest extent: 0 or 1.
    fn half(&self, which: usize) -> Product {
        let mut p = *self;
        unsafe {
            if p.splits_inner() {
                p.k /= 2;
                p.a = p.a.add(which * p.k);
                p.b = p.b.add(which * p.k * p.stride);
            } else if p.m >= p.n {
                p.m /= 2;
                p.a = p.a.add(which * p.m * p.stride);
                p.c = p.c.add(which * p.m * p.stride);
            } else {
                p.n /= 2;
                p.b = p.b.add(which * p.n);
                p.c = p.c.add(which * p.n);
            }
        }
        p
    }
}

fn multiply_rayon(p: Product) {
    let (first, second) = (p.half(0), p.half(1));
    if p.is_tile() {
        p.multiply_tile();
    } else if p.splits_inner() {
        multiply_rayon(first);
        multiply_rayon(second);
    } else {
        rayon::join(move || multiply_rayon(first), move || multiply_rayon(second));
    }
}

fn multiply_chili(scope: &mut chili::Scope<'_>, p: Product) {
    let (first, second) = (p.half(0), p.half(1));
    if p.is_tile() {
        p.multiply_tile();
    } else if p.splits_inner() {
        multiply_chili(scope, first);
        multiply_chili(scope, second);
    } else {
        scope.join(move |s| multiply_chili(s, first), move |s| multiply_chili(s, second));
    }
}

fn run(mut multiply: impl FnMut(Product)) {
    for (name, n) in SIZES {
        let mut matrices = [std::ptr::null_mut(); 3];
        unsafe { matmul_take(n as i64, matrices.as_mut_ptr()) };
        let [a, b, mut c] = matrices;
        unsafe {
            matmul_fill(a, n as i64, 1);
            matmul_fill(b, n as i64, 2);
        }
        let tiles = (n / TILE).pow(3) as u64;
        let clear = |c: &mut *mut f64| unsafe { std::slice::from_raw_parts_mut(*c, n * n).fill(0.0) };
        let check = |c: &*mut f64| unsafe { matmul_check(a, b, *c, n as i64) };
        let body = |c: &mut *mut f64| multiply(Product { a, b, c: *c, m: n, n, k: n, stride: n });
        report_prepared(name, tiles, &mut c, clear, body, check);
        unsafe { matmul_give(matrices.as_mut_ptr()) };
    }
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || run(multiply_rayon));
}

pub fn chili(workers: usize) {
    with_chili(workers, |s| run(|p| multiply_chili(s, p)));
}

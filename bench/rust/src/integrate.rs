use crate::measure::{report, with_chili, with_rayon};

const EPSILON: f64 = 1e-9;
const END: f64 = 3000.0;
const NODES: u64 = 62_153_799;

fn f(x: f64) -> f64 {
    (x * x + 1.0) * x
}

#[derive(Clone, Copy)]
struct Interval {
    a: f64,
    fa: f64,
    b: f64,
    fb: f64,
}

impl Interval {
    fn area(&self) -> f64 {
        (self.fa + self.fb) * (self.b - self.a) / 2.0
    }
    fn halves(&self) -> (Interval, Interval) {
        let middle = (self.a + self.b) / 2.0;
        let value = f(middle);
        (Interval { b: middle, fb: value, ..*self }, Interval { a: middle, fa: value, ..*self })
    }
}

const WHOLE: Interval = Interval { a: 0.0, fa: 0.0, b: END, fb: (END * END + 1.0) * END };

fn integrate_rayon(whole: Interval, area: f64) -> f64 {
    let (left, right) = whole.halves();
    let (area_left, area_right) = (left.area(), right.area());
    if (area_left + area_right - area).abs() < EPSILON {
        return area_left + area_right;
    }
    let (l, r) = rayon::join(|| integrate_rayon(left, area_left), || integrate_rayon(right, area_right));
    l + r
}

fn integrate_chili(scope: &mut chili::Scope<'_>, whole: Interval, area: f64) -> f64 {
    let (left, right) = whole.halves();
    let (area_left, area_right) = (left.area(), right.area());
    if (area_left + area_right - area).abs() < EPSILON {
        return area_left + area_right;
    }
    let (l, r) = scope.join(|s| integrate_chili(s, left, area_left), |s| integrate_chili(s, right, area_right));
    l + r
}

fn is_right(result: f64) -> bool {
    let exact = END * END * (END * END / 4.0 + 0.5);
    (result / exact - 1.0).abs() < 1e-9
}

pub fn rayon(workers: usize) {
    with_rayon(workers, || report("integrate", NODES, || integrate_rayon(WHOLE, WHOLE.area()), is_right));
}

pub fn chili(workers: usize) {
    with_chili(workers, |s| report("integrate", NODES, || integrate_chili(s, WHOLE, WHOLE.area()), is_right));
}

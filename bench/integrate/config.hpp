#pragma once

#include "measure.hpp"

#include <cmath>

/// Adaptive quadrature of x^3 + x from 0 to `end`: an interval is halved until its trapezium is as good as the two
/// halves. The tree is irregular and its nodes are a few additions. An operation is a node.
namespace integrate_bench {

constexpr double k_epsilon = 1e-9;

struct problem {
  double end;
  long nodes;
};
constexpr problem k_large{3'000, 62'153'799};
constexpr problem k_small{500, 6'627'783};

constexpr double f(double x) { return (x * x + 1) * x; }

/// An interval with the values at its ends.
struct interval {
  double a, fa, b, fb;

  double area() const { return (fa + fb) * (b - a) / 2; }
  interval left() const {
    const double middle = (a + b) / 2;
    return {a, fa, middle, f(middle)};
  }
  interval right() const {
    const double middle = (a + b) / 2;
    return {middle, f(middle), b, fb};
  }
};

/// `integrate(interval, area)` returns the integral over the interval, whose trapezium has this area.
template <class Integrate>
void report(problem p, Integrate integrate) {
  const double exact = p.end * p.end * (p.end * p.end / 4 + 0.5);
  bench::report("integrate", p.nodes, [&] {
    const interval whole{0, f(0), p.end, f(p.end)};
    return std::abs(integrate(whole, whole.area()) / exact - 1) < 1e-9;
  });
}

} // namespace integrate_bench

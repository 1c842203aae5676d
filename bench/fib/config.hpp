#pragma once

#include "measure.hpp"

/// Divide and conquer with nothing but calls: fib(n) by the naive recursion, two branches per call. The cost of an
/// operation is that of one call. Rivals that take many times longer compute a smaller number; the cost of a call does
/// not depend on it.
namespace fib_bench {

struct problem {
  int n;
  long result;
  long calls;
};
constexpr problem k_large{39, 63'245'986, 204'668'309};
constexpr problem k_small{32, 2'178'309, 7'049'155};

template <class Fib>
void report(problem p, Fib fib) {
  bench::report("fib", p.calls, [&] { return fib(p.n) == p.result; });
}

} // namespace fib_bench

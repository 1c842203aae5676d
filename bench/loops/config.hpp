#pragma once

#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// One short parallel loop after the other over the same elements, for several lengths and three bodies. An operation
/// is an iteration; the serial loop tells from which length on it pays to be parallel.
///   empty   nothing that the compiler could not remove, but it must run
///   saxpy   y[i] += a * x[i]: about as much as memory gives
///   heavy   z[i] = log(1 + exp(-x[i])) * sqrt(y[i]): nearly ten nanoseconds
///   pair    two iterations of 10, 50 or 150 us: one for each of two workers, or both for one
/// Each loop is in a function of its own, as in most programs: in one with twenty loops GCC runs out of registers.
namespace loops_bench {

constexpr long k_lengths[] = {16, 64, 256, 1024, 4096, 16'384, 65'536};

/// Three arrays on cache lines of their own, and not at the same place of a page: a processor takes a load for one of
/// what it has just stored when the lower twelve bits of the addresses agree, which costs a third.
struct arrays {
  explicit arrays(std::size_t n) : m_memory(3 * spacing(n) + 8) {
    x = m_memory.data();
    while (reinterpret_cast<std::uintptr_t>(x) % 64 != 0) ++x;
    y = x + spacing(n);
    z = y + spacing(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 7);
  }
  double *x, *y, *z;

 private:
  static std::size_t spacing(std::size_t n) { return (n + 511) / 512 * 512 + 176; }
  std::vector<double> m_memory;
};

inline double heavy(double x, double y) { return std::log(1 + std::exp(-x)) * std::sqrt(y); }

/// About four nanoseconds a step, each of which waits for the one before.
inline double steps(long n) {
  double x = 1;
  for (long i = 0; i < n; ++i) x = std::sqrt(x + 1);
  return x;
}

/// `loop(n, body)` calls body(i) for all i in [0, n) and returns when all have returned.
template <class Loop>
void report(const Loop& loop) {
  for (const long us : {10L, 50L, 150L}) {
    double results[16] = {};
    const long count = us * 200;
    bench::report_repeated(
        ("pair_" + std::to_string(us) + "us").c_str(), 2,
        [&]() __attribute__((noinline)) { loop(2, [&results, count](long i) { results[8 * i] = steps(count); }); },
        [&] { return results[0] == results[8] && results[0] > 1; });
  }
  const auto measure = [&](const std::string& name, long n, const auto& body, const auto& check) {
    bench::report_repeated(("loops_" + name + "_" + std::to_string(n)).c_str(), n, body, check);
  };
  for (const long n : k_lengths) {
    const auto count = static_cast<std::size_t>(n);
    const arrays data(count);
    const double* x = data.x;
    double* y = data.y;
    double* z = data.z;

    loop(n, [=](long i) { z[i] += 1; });
    const bool visits_each_once = std::all_of(z, z + n, [](double visits) { return visits == 1; });
    measure(
        "empty", n, [&]() __attribute__((noinline)) { loop(n, [](long i) {
                                                        asm volatile("" : : "r"(i));
                                                      }); },
        [&] { return visits_each_once; });

    double calls = 0;
    volatile double one = 1; // unknown to the compiler; sums of whole numbers are exact
    const double a = one;
    measure(
        "saxpy", n, [&]() __attribute__((noinline)) { ++calls, loop(n, [=](long i) { y[i] += a * x[i]; }); },
        [&] {
          bool right = true;
          for (std::size_t i = 0; i < count; ++i) right &= y[i] == calls * x[i];
          return right;
        });

    std::fill(y, y + n, 1);
    measure(
        "heavy", n, [&]() __attribute__((noinline)) { loop(n, [=](long i) { z[i] = heavy(x[i], y[i]); }); },
        [&] {
          bool right = true;
          for (std::size_t i = 0; i < count; ++i) right &= std::abs(z[i] - heavy(x[i], 1)) < 1e-12;
          return right;
        });
  }
}

} // namespace loops_bench

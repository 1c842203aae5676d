#pragma once

#include "measure.hpp"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

/// One short parallel loop after the other over the same elements, for several lengths and three bodies. An operation
/// is an iteration; the serial loop tells from which length on it pays to be parallel.
///   empty   nothing that the compiler could not remove, but it must run
///   saxpy   y[i] += a * x[i]: about as much as memory gives
///   heavy   z[i] = log(1 + exp(-x[i])) * sqrt(y[i]): nearly ten nanoseconds
namespace loops_bench {

constexpr long k_lengths[] = {16, 64, 256, 1024, 4096, 16'384, 65'536};

struct arrays {
  explicit arrays(long n) : x(static_cast<std::size_t>(n)), y(x), z(x) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7);
  }
  std::vector<double> x, y, z;
};

inline double heavy(double x, double y) { return std::log(1 + std::exp(-x)) * std::sqrt(y); }

/// `loop(n, body)` calls body(i) for all i in [0, n) and returns when all have returned.
template <class Loop>
void report(const Loop& loop) {
  const auto measure = [&](const std::string& name, long n, const auto& body, const auto& check) {
    bench::report_repeated(("loops_" + name + "_" + std::to_string(n)).c_str(), n, body, check);
  };
  for (const long n : k_lengths) {
    arrays data(n);
    const double* x = data.x.data();
    double* y = data.y.data();
    double* z = data.z.data();
    const auto count = static_cast<std::size_t>(n);

    loop(n, [=](long i) { z[i] += 1; });
    const bool visits_each_once = data.z == std::vector<double>(count, 1);
    measure(
        "empty", n, [&] { loop(n, [](long i) {
                            asm volatile("" : : "r"(i));
                          }); }, [&] { return visits_each_once; });

    double calls = 0;
    volatile double one = 1; // unknown to the compiler; sums of whole numbers are exact
    const double a = one;
    measure(
        "saxpy", n, [&] { ++calls, loop(n, [=](long i) { y[i] += a * x[i]; }); },
        [&] {
          bool right = true;
          for (std::size_t i = 0; i < count; ++i) right &= y[i] == calls * x[i];
          return right;
        });

    data.y.assign(count, 1);
    measure(
        "heavy", n, [&] { loop(n, [=](long i) { z[i] = heavy(x[i], y[i]); }); },
        [&] {
          bool right = true;
          for (std::size_t i = 0; i < count; ++i) right &= std::abs(z[i] - heavy(x[i], 1)) < 1e-12;
          return right;
        });
  }
}

} // namespace loops_bench

#pragma once

#include "cholesky/blas.hpp"
#include "cholesky/kernels.hpp"
#include "cholesky/problem.hpp"
#include "cholesky/tiled_matrix.hpp"
#include "measure.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// Cholesky factorisation of n x n doubles. All who make tasks have the same tiles, kernels and graph. The matrix lies
/// in memory as the rival wants it, and is made anew for each call, untimed. An operation is a thousand of floating
/// point, n^3/3 in all; those of the yardstick `dgemm` are its own, 2 n^3, so that the cost of one there over the cost
/// of one here is the share of the speed of dgemm that is reached.
namespace cholesky_bench {

/// The tiles: the fastest of 600, 40 and 6 runs of apps/cholesky with two workers (`--repeat`) and tiles of 32 to 512.
/// Between 48 and 88, 96 and 208, 288 and 384 most hardly differ; `--tile T` tries another one, for any rival.
struct problem {
  const char* name;
  std::size_t n, tile;
};
constexpr problem k_problems[] = {{"cholesky_512", 512, 64}, {"cholesky_2048", 2048, 96}, {"cholesky_4096", 4096, 288}};
constexpr std::uint64_t k_seed = 1;

inline std::size_t tile_from(int argc, char** argv, std::size_t otherwise) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--tile") == 0) return std::strtoul(argv[i + 1], nullptr, 10);
  }
  return otherwise;
}

/// Tasks on the longest way from here to the end, of the one that writes tile (i, j) in step k.
inline int bottom_level(std::size_t tiles, std::size_t i, std::size_t j, std::size_t k) {
  return static_cast<int>(3 * tiles - (i + j + k));
}

/// As bench::report_repeated, with prepare() before each call, which is not timed. For `operations` of floating point.
template <class Prepare, class Body, class Check>
void report_prepared(const char* workload, double operations, Prepare prepare, Body&& body, Check check) {
  constexpr double k_enough_s = 0.07;
  prepare();
  body();
  double seconds = 0;
  long faults = 0, calls = 0;
  for (; seconds < k_enough_s; ++calls) {
    prepare();
    const bench::stopwatch watch;
    body();
    seconds += watch.seconds();
    faults += watch.faults();
  }
  const double thousands = operations / 1000 * static_cast<double>(calls);
  bench::print_record(workload, seconds, "s", static_cast<long>(thousands), check(), faults);
}

inline void tell_kernels() { std::fprintf(stderr, "kernels of OpenBLAS: %s\n", cholesky::blas_kernels()); }

/// By tasks, with BLAS on one thread in each: `make(matrix)` returns what factorises that matrix as often as it is
/// called.
template <class Make>
void report(int argc, char** argv, Make make) {
  using namespace cholesky;
  use_blas_threads(1);
  tell_kernels();
  for (const auto& [name, n, tile] : k_problems) {
    const tiled_matrix a = random_matrix({n, tile_from(argc, argv, tile)}, k_seed);
    tiled_matrix l = a;
    auto factorise = make(l);
    report_prepared(
        name, operations(static_cast<double>(n)), [&] { l = a; }, factorise,
        [&, rows = n] { return residual_of_vector(a, l) <= residual_limit(rows); });
  }
}

} // namespace cholesky_bench

#pragma once

#include "sim/graphs/builder.hpp"

#include <string_view>

namespace treadle::sim {

// Programs as they would be recorded. Times in ns.

/// The right-looking factorisation of t x t tiles: a dataflow node per tile operation, made in the order of the loops.
/// `unit_ns` is a third of the time of a multiplication of tiles with 2 nb^3 operations divided by two: potrf takes
/// r units, trsm and syrk 3, gemm 6 (Quach and Langou, arXiv 1510.05107).
struct cholesky_parameters {
  std::int64_t t = 16, r = 1, unit_ns = 1000;
};
detail::recorded_graph cholesky(const cholesky_parameters& p);

/// Futures as in Listing 1 of the priority paper (Jiang et al., IPDPSW 2020): two halves, then a task that merges them;
/// up to the cut-off serial code.
struct merge_sort_parameters {
  std::int64_t n = 100'000, cutoff = 64, compare_ns = 4;
};
detail::recorded_graph merge_sort(const merge_sort_parameters& p);

/// fib(n) makes a task of fib(n - 1), calls fib(n - 2) and waits; below the cut-off it is serial code.
struct fib_parameters {
  std::int64_t n = 20, cutoff = 8, call_ns = 2;
};
detail::recorded_graph fib(const fib_parameters& p);

/// A ring of cells; each depends on itself and its neighbours one step before.
struct stencil_parameters {
  std::int64_t width = 64, steps = 50, cell_ns = 10'000, bytes = 0;
};
detail::recorded_graph stencil(const stencil_parameters& p);

/// By a description, "cholesky:t=32,r=10". Throws std::invalid_argument that names what is wrong.
detail::recorded_graph generate(std::string_view description);
bool is_generator(std::string_view description) noexcept;

} // namespace treadle::sim

#pragma once

#include "measure.hpp"

/// A tree of tasks with ten children each, down to a million leaves, which return their numbers; the result is their
/// sum. An operation is a node of the tree.
namespace skynet_bench {

constexpr long k_branching = 10;

struct problem {
  long leaves;
  long result;
  long nodes;
};
constexpr problem k_large{1'000'000, 499'999'500'000, 1'111'111};
constexpr problem k_threads{100, 4'950, 111}; // where a task is a thread

/// `skynet(first, leaves)` returns the sum of the leaves numbered from `first` on.
template <class Skynet>
void report(problem p, Skynet skynet) {
  bench::report_repeated("skynet", p.nodes, [&] { return skynet(0L, p.leaves) == p.result; });
}

} // namespace skynet_bench

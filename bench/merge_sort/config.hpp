#pragma once

#include "measure.hpp"
#include "merge_sort/numbers.hpp"
#include "merge_sort/steps.hpp"

#include <utility>
#include <vector>

/// The merge sort of Jiang et al. (IPDPSW 2020) on 100 000 random ints, down to tasks of two: 131 070 tasks that sort
/// halves and 65 535 that merge, all of vectors by value. Who makes tasks makes the same ones. An operation is an int.
namespace merge_sort_bench {

constexpr std::size_t k_numbers = 100'000;
constexpr std::size_t k_cut_off = 2;

/// `sort(vector)` returns it in order.
template <class Sort>
void report(Sort sort) {
  const std::vector<int> numbers = merge_sort::random_numbers(k_numbers, 1),
                         expected = merge_sort::serial_sort(numbers);
  std::vector<int> given, sorted;
  bench::report(
      "merge_sort", static_cast<long>(k_numbers), [&] { given = numbers; }, [&] { sorted = sort(std::move(given)); },
      [&] { return sorted == expected; });
}

} // namespace merge_sort_bench

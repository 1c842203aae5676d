#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace merge_sort {

/// What there is to sort: any int, all as likely.
inline std::vector<int> random_numbers(std::size_t n, std::uint64_t seed) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  std::vector<int> numbers(n);
  for (int& one : numbers) one = static_cast<int>(random());
  return numbers;
}

} // namespace merge_sort

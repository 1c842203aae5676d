#pragma once

#include "measure.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

/// Ten million keys: random int and double, and int that are sorted already, sorted the other way round, or only a
/// hundred different ones. An operation is a key.
namespace sort_bench {

constexpr std::size_t k_keys = 10'000'000;

/// The same numbers in every rival: splitmix64 of 1, 2, 3, ...
inline std::uint64_t random_bits(std::uint64_t i) {
  std::uint64_t z = i * 0x9e37'79b9'7f4a'7c15U;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9U;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11ebU;
  return z ^ (z >> 31);
}

/// A sum that does not depend on the order of the keys but on each of them.
template <class Key>
std::uint64_t fingerprint(const std::vector<Key>& keys) {
  return std::accumulate(keys.begin(), keys.end(), std::uint64_t{0}, [](std::uint64_t sum, Key key) {
    return sum + random_bits(static_cast<std::uint64_t>(static_cast<std::int64_t>(key)));
  });
}

/// `sort(first, last)` sorts. `make(i)` gives key i of the unsorted input.
template <class Sort, class Make>
void report_one(const char* name, const Sort& sort, const Make& make) {
  std::vector<decltype(make(std::uint64_t{0}))> keys(k_keys);
  const auto unsort = [&] {
    for (std::size_t i = 0; i < k_keys; ++i) keys[i] = make(i);
  };
  unsort();
  const std::uint64_t expected = fingerprint(keys);
  bench::report(
      name, static_cast<long>(k_keys), unsort, [&] { sort(keys.begin(), keys.end()); },
      [&] { return std::is_sorted(keys.begin(), keys.end()) && fingerprint(keys) == expected; });
}

template <class Sort>
void report(const Sort& sort) {
  const auto measure = [&](const char* name, const auto& make) { report_one(name, sort, make); };
  measure("sort_ints", [](std::uint64_t i) { return static_cast<int>(random_bits(i)); });
  measure("sort_doubles", [](std::uint64_t i) { return static_cast<double>(random_bits(i) >> 2); });
  measure("sort_sorted", [](std::uint64_t i) { return static_cast<int>(i); });
  measure("sort_reverse", [](std::uint64_t i) { return -static_cast<int>(i); });
  measure("sort_few", [](std::uint64_t i) { return static_cast<int>(random_bits(i) % 100); });
}

} // namespace sort_bench

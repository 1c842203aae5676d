#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

/// What the tasks of the merge sort do.
namespace merge_sort {

/// The first half and the rest.
template <class T>
std::tuple<std::vector<T>, std::vector<T>> split(std::vector<T> v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  return {std::vector<T>(v.begin(), middle), std::vector<T>(middle, v.end())};
}

template <class T>
std::vector<T> serial_sort(std::vector<T> v) {
  if (v.size() == 2) { // std::stable_sort would allocate
    if (v[1] < v[0]) std::swap(v[0], v[1]);
  } else {
    std::stable_sort(v.begin(), v.end());
  }
  return v;
}

template <class T>
std::vector<T> merge(const std::vector<T>& left, const std::vector<T>& right) {
  std::vector<T> merged(left.size() + right.size());
  std::merge(left.begin(), left.end(), right.begin(), right.end(), merged.begin());
  return merged;
}

/// How many of the tasks that sort n elements wait for two others.
inline std::size_t tasks_that_wait(std::size_t n, std::size_t cut_off) noexcept {
  std::size_t waiting = 0;
  for (std::size_t parts = 1; n / parts + 1 > cut_off; parts *= 2) { // of a level; n % parts of them have one more
    if (n / parts > cut_off)
      waiting += parts;
    else
      return waiting + n % parts;
  }
  return waiting;
}

} // namespace merge_sort

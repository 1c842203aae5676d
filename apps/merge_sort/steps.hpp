#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

/// What the tasks of the merge sort do.
namespace merge_sort {

/// The first half, in the memory of `v`, and the rest, which may have one more.
template <class T>
std::tuple<std::vector<T>, std::vector<T>> split(std::vector<T> v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::vector<T> rest(middle, v.end());
  v.erase(middle, v.end());
  return {std::move(v), std::move(rest)};
}

template <class T>
void sort_in_place(std::vector<T>& v) {
  if (v.size() > 2) {
    std::stable_sort(v.begin(), v.end());
  } else if (v.size() == 2 && v[1] < v[0]) { // without the memory that std::stable_sort would allocate
    std::swap(v[0], v[1]);
  }
}
template <class T>
std::vector<T> serial_sort(std::vector<T> v) {
  sort_in_place(v);
  return v;
}

/// Both halves of a split(), sorted; of equal elements those of `left` come first. From both ends at a time, so that no
/// end of a half can be met, and without branches, which nobody could predict (as in Rust's standard library).
template <class T>
std::vector<T> merge(const std::vector<T>& left, const std::vector<T>& right) {
  std::vector<T> merged(left.size() + right.size());
  const T *l = left.data(), *r = right.data(), *l_back = l + left.size(), *r_back = r + right.size();
  T *to = merged.data(), *to_back = to + merged.size();
  for (std::size_t i = left.size(); i > 0; --i) {
    const auto from_right = static_cast<std::ptrdiff_t>(*r < *l); // compilers make branches of conditions
    *to++ = *(from_right != 0 ? r : l);
    r += from_right;
    l += 1 - from_right;
    const auto from_left = static_cast<std::ptrdiff_t>(r_back[-1] < l_back[-1]);
    *--to_back = (from_left != 0 ? l_back : r_back)[-1];
    l_back -= from_left;
    r_back -= 1 - from_left;
  }
  if (to != to_back) *to = *(l != l_back ? l : r);
  return merged;
}

} // namespace merge_sort

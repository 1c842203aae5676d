#pragma once

#include "common/configuration.hpp"
#include "merge_sort/steps.hpp"

#include <treadle/executors.hpp>
#include <treadle/future.hpp>

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

/// The recursive merge sort of Jiang et al., "Task Priority Control for the HPX Runtime System" (IPDPSW 2020), Listings
/// 1 and 2: a future for each half, and one for the merge of both, of vectors by value. The result, which the listings
/// forget to return, is that of the merge; and they copy vectors where these are moved here.
namespace merge_sort {

/// Who makes the tasks.
struct launchers {
  apps::launcher sort, merge;
};

/// As a configuration has it; the merge is the task that the paper marks as critical. While the runtime exists.
inline launchers launchers_of(const apps::configuration& how) {
  return {.sort = how.launcher_of(false), .merge = how.launcher_of(true)};
}

struct settings {
  launchers launch = {};
  std::size_t cut_off = 2; ///< so many elements, or one, are sorted by a task alone
};

/// A half that is being sorted; it ends before this does, because its task refers to what its maker has.
template <class T>
struct half {
  treadle::future<std::vector<T>> sorted;
  ~half() {
    if (sorted.valid()) sorted.wait();
  }
};

/// `v` in order; equal elements stay as they were. Waits for the tasks that it makes.
template <class T>
std::vector<T> sort(std::vector<T> v, const settings& how) {
  if (v.size() <= std::max<std::size_t>(how.cut_off, 1)) return serial_sort(std::move(v));
  auto splits = split(std::move(v));
  const auto sort_part = [&how](std::vector<T>& part) {
    return how.launch.sort.async(
        treadle::annotated([&how](std::vector<T> p) { return sort(std::move(p), how); }, "sort"), std::move(part));
  };
  half<T> left{sort_part(std::get<0>(splits))};
  half<T> right{sort_part(std::get<1>(splits))};
  return how.launch.merge
      .async(treadle::annotated([](const std::vector<T>& l, const std::vector<T>& r) { return merge(l, r); }, "merge"),
             left.sorted.get(), right.sorted.get())
      .get();
}

} // namespace merge_sort

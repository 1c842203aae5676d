#pragma once

#include "common/configuration.hpp"
#include "merge_sort/steps.hpp"

#include <treadle/executors.hpp>
#include <treadle/future.hpp>
#include <treadle/this_task.hpp>

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
  std::size_t cut_off = 2; ///< parts of this many elements, or of one, are sorted by a task alone
};

/// `v` in order; equal elements stay as they were. Waits for the tasks that it makes; but when it throws, some may
/// still run: `how` must live until these have ended.
template <class T>
std::vector<T> sort(std::vector<T> v, const settings& how) {
  if (v.size() <= std::max<std::size_t>(how.cut_off, 1)) {
    sort_in_place(v);
    return v;
  }
  auto splits = split(std::move(v));
  const auto sort_half = [&how](std::vector<T>& half) {
    return how.launch.sort.async(
        treadle::annotated([&how](std::vector<T>&& h) { return sort(std::move(h), how); }, "sort"), std::move(half));
  };
  treadle::future<std::vector<T>> left = sort_half(std::get<0>(splits));
  treadle::future<std::vector<T>> right = sort_half(std::get<1>(splits));
  const auto merge_halves = [](const std::vector<T>& l, const std::vector<T>& r) {
    std::vector<T> merged = merge(l, r);
    treadle::this_task::note_memory(merged.data(), 2 * merged.size() * sizeof(T)); // read and written
    return merged;
  };
  return how.launch.merge.async(treadle::annotated(merge_halves, "merge"), left.get(), right.get()).get();
}

} // namespace merge_sort

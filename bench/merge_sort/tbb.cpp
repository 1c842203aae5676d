#include "in_tbb.hpp"
#include "merge_sort/config.hpp"

#include <tbb/task_group.h>

using merge_sort_bench::k_cut_off;

namespace {

std::vector<int> sort(std::vector<int> v) {
  if (v.size() <= k_cut_off) {
    merge_sort::sort_in_place(v);
    return v;
  }
  auto splits = merge_sort::split(std::move(v));
  auto& left = std::get<0>(splits);
  auto& right = std::get<1>(splits);
  std::vector<int> merged;
  tbb::task_group group;
  group.run([&] { left = sort(std::move(left)); });
  group.run([&] { right = sort(std::move(right)); });
  group.wait();
  group.run([&] { merged = merge_sort::merge(left, right); });
  group.wait();
  return merged;
}

} // namespace

int main(int argc, char** argv) {
  bench::in_tbb(bench::workers_from(argc, argv), [] { merge_sort_bench::report(sort); });
}

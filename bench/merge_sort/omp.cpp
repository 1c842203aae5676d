#include "in_omp.hpp"
#include "merge_sort/config.hpp"

using merge_sort_bench::k_cut_off;

namespace {

std::vector<int> sort(std::vector<int> v) {
  if (v.size() <= k_cut_off) {
    merge_sort::sort_in_place(v);
    return v;
  }
  auto [left, right] = merge_sort::split(std::move(v));
  std::vector<int>&l = left, &r = right, merged; // structured bindings cannot be shared
#pragma omp task shared(l)
  l = sort(std::move(l));
#pragma omp task shared(r)
  r = sort(std::move(r));
#pragma omp taskwait
#pragma omp task shared(l, r, merged)
  merged = merge_sort::merge(l, r);
#pragma omp taskwait
  return merged;
}

} // namespace

int main(int argc, char** argv) {
  bench::in_omp(bench::workers_from(argc, argv), [] { merge_sort_bench::report(sort); });
}

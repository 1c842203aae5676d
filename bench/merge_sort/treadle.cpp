#include "merge_sort/config.hpp"
#include "merge_sort/merge_sort.hpp"

#include <treadle/treadle.hpp>

int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv)});
  treadle::async([] {
    const merge_sort::settings how{.cut_off = merge_sort_bench::k_cut_off};
    merge_sort_bench::report([&](std::vector<int> v) { return merge_sort::sort(std::move(v), how); });
  }).get();
}

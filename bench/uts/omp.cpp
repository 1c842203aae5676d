#include "in_omp.hpp"
#include "uts/config.hpp"

#include <vector>

namespace {

long count(uts_tree tree, uts_node node) {
  const long children = uts_children(tree, &node);
  if (children == 0) return 1;
  std::vector<long> sums(static_cast<std::size_t>(children));
  for (long i = 0; i < children; ++i) {
#pragma omp task shared(node, sums) firstprivate(tree, i)
    sums[static_cast<std::size_t>(i)] = count(tree, uts_child(&node, i));
  }
#pragma omp taskwait
  long sum = 1;
  for (const long s : sums) sum += s;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { uts_bench::report(count); });
}

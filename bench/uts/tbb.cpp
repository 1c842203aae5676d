#include "in_tbb.hpp"
#include "uts/config.hpp"

#include <tbb/task_group.h>
#include <vector>

namespace {

long count(uts_tree tree, uts_node node) {
  const long children = uts_children(tree, &node);
  if (children == 0) return 1;
  std::vector<long> sums(static_cast<std::size_t>(children));
  tbb::task_group group;
  for (long i = 0; i < children; ++i) {
    group.run([tree, &node, i, &sum = sums[static_cast<std::size_t>(i)]] { sum = count(tree, uts_child(&node, i)); });
  }
  group.wait();
  long sum = 1;
  for (const long s : sums) sum += s;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { uts_bench::report(count); });
}

#include "uts/config.hpp"

#include <treadle/treadle.hpp>

namespace {

long count(uts_tree tree, uts_node node);

/// Nodes of the subtrees of the children numbered from `begin` to `end`.
long count_below(uts_tree tree, const uts_node& parent, long begin, long end) {
  if (end - begin == 1) return count(tree, uts_child(&parent, begin));
  const long middle = begin + (end - begin) / 2;
  const auto [left, right] = treadle::parallel_invoke([=, &parent] { return count_below(tree, parent, begin, middle); },
                                                      [=, &parent] { return count_below(tree, parent, middle, end); });
  return left + right;
}

long count(uts_tree tree, uts_node node) {
  const long children = uts_children(tree, &node);
  return children == 0 ? 1 : 1 + count_below(tree, node, 0, children);
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  // A branch of T3 is 1572 nodes deep.
  treadle::runtime runtime({.workers = workers, .stack_bytes = std::size_t{8} << 20});
  treadle::async([&] { uts_bench::report(count); }).get();
}

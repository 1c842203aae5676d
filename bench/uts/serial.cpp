#include "uts/config.hpp"

namespace {

long count(uts_tree tree, uts_node node) {
  long sum = 1;
  const long children = uts_children(tree, &node);
  for (long i = 0; i < children; ++i) sum += count(tree, uts_child(&node, i));
  return sum;
}

} // namespace

int main() { uts_bench::report(count); }

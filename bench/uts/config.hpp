#pragma once

#include "measure.hpp"
#include "uts/kernel.hpp"

/// Counting the nodes of two unbalanced trees, a task per node. T1 is wide with ten levels; T3 has long thin branches,
/// down to level 1572, which nobody can foresee. An operation is a node.
namespace uts_bench {

struct problem {
  const char* name;
  uts_tree tree;
  long nodes;
};
constexpr problem k_problems[] = {{"uts_t1", uts_t1, 4'130'071}, {"uts_t3", uts_t3, 4'112'897}};

/// `count(tree, node)` returns the number of nodes of the subtree below and including the node.
template <class Count>
void report(Count count) {
  for (const problem& p : k_problems) {
    bench::report(p.name, p.nodes, [&] { return count(p.tree, uts_root(p.tree)) == p.nodes; });
  }
}

} // namespace uts_bench

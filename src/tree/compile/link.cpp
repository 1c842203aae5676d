#include "tree/compile/compiler.hpp"

#include "observe/emit.hpp"
#include "tree/compile/last_reads.hpp"
#include "tree/compile/localities.hpp"
#include "tree/nodes/forms.hpp"
#include "tree/nodes/placed.hpp"
#include "tree/nodes/primitive_node.hpp"
#include "tree/run/profile.hpp"

#include <algorithm>
#include <map>

namespace treadle::tree {
namespace {

void number_nodes(compiled& program) {
  std::map<std::string_view, std::uint32_t> sequences;
  std::vector<std::pair<node*, std::int32_t>> open; // with the parent's index
  for (auto root = program.roots.rbegin(); root != program.roots.rend(); ++root) open.emplace_back(*root, -1);
  while (!open.empty()) {
    const auto [n, parent] = open.back();
    open.pop_back();
    n->index = static_cast<std::uint32_t>(program.pre_order.size());
    n->sequence = sequences[n->primitive_name()]++;
    if (auto* const placed = dynamic_cast<placed_node*>(n)) placed->call().index = n->index;
    if (!n->is_leaf()) n->name_for_traces = detail::kept_for_traces(full_name(*n)).data(); // ends with a null
    program.pre_order.push_back(n);
    program.parents.push_back(parent);
    const auto operands = n->operands();
    for (auto o = operands.rbegin(); o != operands.rend(); ++o)
      open.emplace_back(*o, static_cast<std::int32_t>(n->index));
  }
}

// Effects of every node, bottom up; those of functions depend on each other, so until nothing changes.
std::vector<node_effects> find_effects(compiled& program) {
  std::vector<node_effects> effects(program.nodes.size());
  for (bool changed = true; changed;) {
    for (const auto& n : program.nodes) {
      auto e = n->own_effects();
      if (n->evaluates_operands())
        for (const auto* operand : n->operands()) e.add(effects[operand->index]);
      effects[n->index] = e;
    }
    changed = false;
    for (auto& f : program.functions) {
      if (!f.body) continue;
      auto e = effects[f.body->index];
      for (const auto& p : f.parameters)
        if (p.otherwise) e.add(effects[p.otherwise->index]);
      if (e.writes != k_no_level && e.writes >= f.level) e.writes = k_no_level; // its own variables
      changed = changed || !(e == f.effects);
      f.effects = e;
    }
  }
  return effects;
}

bool is_unshared_leaf(const node& n) {
  return n.type() == node_class::literal ||
         (n.type() == node_class::variable && !static_cast<const variable_node&>(n).address().shared);
}

} // namespace

void link(compiled& program) {
  number_nodes(program);
  const auto effects = find_effects(program);
  check_localities(program, effects);
  for (const auto& n : program.nodes) {
    n->has_effects = effects[n->index].any();
    n->waits_elsewhere = effects[n->index].elsewhere;
    const bool borrows = dynamic_cast<const primitive_node*>(n.get()) != nullptr;
    bool later_effects = false;
    const auto operands = n->operands();
    for (std::size_t i = operands.size(); i-- > 0;) {
      if (borrows && i < 32 && !later_effects && is_unshared_leaf(*operands[i])) n->borrowed_operands |= 1u << i;
      later_effects = later_effects || effects[operands[i]->index].any();
    }
    n->ordered_operands = later_effects;
    const auto parts = std::count_if(operands.begin(), operands.end(), [](const node* o) { return !o->is_leaf(); });
    n->may_overlap = n->type() == node_class::strict && !later_effects && parts > 1;
  }
  find_parallelism(program);
  find_last_reads(program);
  find_chains(program);
}

} // namespace treadle::tree

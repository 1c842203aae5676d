#include "tree/compile/localities.hpp"

#include "tree/nodes/forms.hpp"
#include "tree/nodes/placed.hpp"
#include "tree/nodes/primitive_node.hpp"

#include <algorithm>
#include <set>

namespace treadle::tree {
namespace {

// Looks for a variable of the program itself in a function that stands outside of all others, and in all that it calls.
class global_search {
 public:
  // Its name, or empty.
  std::string_view in(const function_code& code) {
    if (!m_seen.insert(&code).second) return {};
    std::string_view found = code.body ? below(*code.body) : std::string_view();
    for (const auto& p : code.parameters)
      if (found.empty() && p.otherwise) found = below(*p.otherwise);
    return found;
  }

 private:
  template <class Node>
  static std::string_view global_of(const node& n) {
    const auto* one = as<Node>(n);
    return one && one->address().level == 0 ? std::string_view(n.instance_name()) : std::string_view();
  }
  template <class Node>
  std::string_view in_code_of(const node& n) {
    const auto* one = as<Node>(n);
    return one ? in(one->code()) : std::string_view();
  }

  std::string_view below(const node& n) {
    return with_room([&] {
      for (const auto found : {global_of<variable_node>(n), global_of<assignment_node>(n),
                               global_of<slice_assignment_node>(n), global_of<for_in_node>(n), in_code_of<call_node>(n),
                               in_code_of<closure_node>(n), in_code_of<definition_node>(n)})
        if (!found.empty()) return found;
      if (const auto* placed = as<placed_node>(n))
        if (const auto found = in_code_of<call_node>(placed->call()); !found.empty()) return found;
      for (const node* operand : n.operands())
        if (const auto found = below(*operand); !found.empty()) return found;
      return std::string_view();
    });
  }

  std::set<const function_code*> m_seen;
};

// That the node calls, or has as a value; null: none.
const primitive* primitive_in(const node& n) {
  if (const auto* p = as<primitive_node>(n)) return &p->definition();
  if (const auto* placed = as<placed_node>(n)) return primitive_in(placed->call());
  const auto* l = as<literal_node>(n);
  if (!l || l->constant().kind() != value_kind::function) return nullptr;
  return static_cast<const function_object*>(l->constant().object())->builtin;
}

bool knows_localities(std::string_view primitive) {
  return primitive.ends_with("_d") || primitive == "find_here" || primitive == "num_localities" ||
         primitive == "find_all_localities";
}

// Of what a parallel form evaluates in an order that depends on the schedule.
node_effects effects_inside(const node& n, std::span<const node_effects> effects) {
  node_effects e;
  if (is_form(n, execute_parallel_map)) e = n.own_effects();
  for (const node* operand : n.operands()) e.add(effects[operand->index]);
  return e;
}

bool is_parallel(const node& n) {
  return is_form(n, execute_parallel_block) || is_form(n, execute_parallel_map) || is_form(n, execute_async);
}

} // namespace

void check_localities(compiled& program, std::span<const node_effects> effects) {
  for (const auto& n : program.nodes)
    if (const auto* p = primitive_in(*n)) {
      program.exchanges = program.exchanges || p->effects == effect::exchange;
      program.uses_localities = program.uses_localities || knows_localities(p->name);
    }
  program.uses_localities = program.uses_localities || program.has_placed_calls;
  const bool carries = std::any_of(program.nodes.begin(), program.nodes.end(),
                                   [](const auto& n) { return as<placed_node>(*n) && n->own_effects().carries; });
  for (const auto& n : program.nodes) {
    if (const auto* placed = as<placed_node>(*n)) {
      const std::string name(placed->name());
      const auto* call = as<call_node>(placed->call());
      if (const auto global = call ? global_search().in(call->code()) : std::string_view(); !global.empty())
        throw failure(name + "() is placed, and another locality does not have the variable '" + std::string(global) +
                          "': make it an argument",
                      n->where());
      if (program.exchanges && placed->own_effects().exchanges)
        throw failure(name + "() is placed, and may exchange something with all localities, which it cannot do alone",
                      n->where());
    }
    if (!is_parallel(*n)) continue;
    const node_effects inside = effects_inside(*n, effects);
    const std::string form(n->primitive_name());
    if (carries && inside.ordered)
      throw failure("what is in " + form +
                        "() may write output, use files or draw random numbers, and so does a call " +
                        "elsewhere, which needs an order",
                    n->where());
    if (program.exchanges && inside.exchanges)
      throw failure("what is in " + form +
                        "() may exchange something with all localities: it would do so in an order " +
                        "that is not the same in all of them",
                    n->where());
  }
}

} // namespace treadle::tree

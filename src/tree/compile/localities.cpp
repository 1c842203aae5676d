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

bool is_parallel(const node& n) {
  return is_form(n, execute_parallel_block) || is_form(n, execute_parallel_map) || is_form(n, execute_async);
}

} // namespace

void check_localities(compiled& program, std::span<const node_effects> effects) {
  program.exchanges = std::any_of(program.nodes.begin(), program.nodes.end(), [](const auto& n) {
    const auto* p = as<primitive_node>(*n);
    const auto* l = as<literal_node>(*n);
    return (p && effects_of(p->definition()).exchanges) ||
           (l && l->constant().kind() == value_kind::function && effects_of_callee(*l).exchanges);
  });
  for (const auto& n : program.nodes) {
    if (const auto* placed = as<placed_node>(*n)) {
      const std::string name(placed->instance_name().empty() ? placed->primitive_name() : placed->instance_name());
      const auto* call = as<call_node>(placed->call());
      if (const auto global = call ? global_search().in(call->code()) : std::string_view(); !global.empty())
        throw failure(name + "() is placed, and another locality does not have the variable '" + std::string(global) +
                          "': make it an argument",
                      n->where());
      if (program.exchanges && placed->own_effects().exchanges)
        throw failure(name + "() is placed, and may exchange something with all localities, which it cannot do alone",
                      n->where());
    }
    if (program.exchanges && is_parallel(*n) && effects[n->index].exchanges)
      throw failure("what is in " + std::string(n->primitive_name()) + "() may exchange something with all localities: "
                    "it would do so in an order that is not the same in all of them",
                    n->where());
  }
}

} // namespace treadle::tree

// An instance of a primitive of the registry.
#pragma once

#include "tree/nodes/node.hpp"
#include "tree/nodes/operators.hpp"
#include "tree/nodes/primitive.hpp"

#include <optional>

namespace treadle::tree {

class primitive_node final : public strict_node {
 public:
  // `cast`: the element type the name asks for, as in __add__float.
  // `attribute` "function": it is written as a function, which takes lists for arrays where an operator does not;
  // "array": a result without axes is an array as in NumPy, with memory that can be changed, and no number; "method":
  // it is written as a method or an attribute, which numbers and lists of the language do not have.
  primitive_node(const primitive& p, std::string_view written_name, place where, std::optional<dtype> cast,
                 std::string_view attribute = {})
      : strict_node(written_name, {}, where),
        m_primitive(p),
        m_cast(cast),
        m_function(attribute == "function"),
        m_operator(!m_function && is_operator(p.name)),
        m_method(attribute == "method"),
        m_gives_array(attribute == "array") {}

  // The kernel's result, for operands that are what the operator or function takes.
  [[gnu::always_inline]] value apply(call_context& call, std::span<value> args) const {
    if (m_function || m_method) [[unlikely]] {
      if (m_method) check_object(m_primitive.name, args[0]);
      if (m_function && count_as_arrays(args)) return of_lists(call, args);
    }
    if (m_operator && any_list(args)) check_operands(m_primitive.name, args);
    return run_kernel(call, args);
  }
  value compute(std::span<value> args, std::uint32_t owned, frame&, context& c) const override {
    call_context call{&m_primitive, &c.run.services(), owned};
    auto* timeline = c.run.timeline();
    const auto start = timeline ? detail::ticks_now() : 0;
    value v = apply(call, args);
    if (m_cast) v = detail::from_array(v.to_array().cast(*m_cast));
    if (gives_copy && v.is_array()) v = v.as_array().copy();
    if (m_gives_array && v.is_scalar()) v = v.to_array();
    if (timeline) timeline->add(index, start, detail::ticks_now());
    return v;
  }
  node_effects own_effects() const noexcept override { return effects_of(m_primitive); }
  const primitive& definition() const noexcept { return m_primitive; }
  bool is_plain(std::string_view name) const noexcept { return m_primitive.name == name && !m_cast; }

  bool gives_copy = false; // set by the compiler: it reads what a loop of independent iterations writes in place

 private:
  value of_lists(call_context& call, std::span<const value> args) const {
    std::vector<value> arrays(args.begin(), args.end());
    for (auto& a : arrays)
      if (a.is_list()) a = a.to_array();
    call.owned = 0;
    return run_kernel(call, arrays);
  }

  const primitive& m_primitive;
  std::optional<dtype> m_cast;
  const bool m_function; // of NumPy: lists and numbers are arrays to it
  const bool m_operator; // and not the function of NumPy that does the same
  const bool m_method;
  const bool m_gives_array;
};

// The node as an instance of the primitive of that name, without a cast; null when it is none.
inline const primitive_node* as_primitive(const node& n, std::string_view name) noexcept {
  const auto* p = as<primitive_node>(n);
  return p && p->is_plain(name) ? p : nullptr;
}

} // namespace treadle::tree

// Nodes without operands: constants and reads of variables.
#pragma once

#include "tree/nodes/node.hpp"

#include <utility>

namespace treadle::tree {

class literal_node final : public node {
 public:
  literal_node(value v, place where) : node(node_class::literal, "variable", {}, where), m_value(std::move(v)) {}

  value execute(frame&, context&) const override { return m_value; }
  const value& constant() const noexcept { return m_value; }

 private:
  value m_value;
};

// Where a variable lives, seen from the function that uses it.
struct variable_address {
  std::uint32_t level = 0;  // of the function it belongs to
  std::uint32_t levels = 0; // from the using function outwards
  std::uint32_t position = 0;
  bool shared = false; // several tasks may use and write it: take the slot's lock

  slot& in(frame& f) const noexcept { return f.ancestor(levels).at(position); }
};

// A variable as the parts of a program name it to each other: the level and the position say which one it is, as seen
// from one function.
struct variable_use {
  std::uint32_t level = 0, position = 0;
  bool shared = false;
  std::string_view name;

  variable_use() = default;
  variable_use(const variable_address& a, std::string_view its_name) noexcept
      : level(a.level), position(a.position), shared(a.shared), name(its_name) {}
  friend bool operator==(const variable_use& a, const variable_use& b) noexcept {
    return a.level == b.level && a.position == b.position;
  }
  friend bool operator<(const variable_use& a, const variable_use& b) noexcept {
    return a.level != b.level ? a.level < b.level : a.position < b.position;
  }
};

// The variable that a node reads or writes.
template <class Node>
variable_use use_of(const Node& n) noexcept {
  return {n.address(), n.instance_name()};
}

// Writes a variable.
inline void assign(const variable_address& to, frame& f, value v) {
  auto& s = to.in(f);
  if (!to.shared) {
    s.v = std::move(v);
    return;
  }
  detail::scoped_lock guard(s.lock);
  std::swap(s.v, v); // the old value dies after the lock is released
}

class variable_node final : public node {
 public:
  variable_node(std::string_view primitive, std::string_view name, place where, variable_address address)
      : node(node_class::variable, primitive, name, where), m_address(address) {}

  value execute(frame& f, context&) const override {
    auto& s = m_address.in(f);
    value v = [&] {
      if (gives_value) return emptied(s);
      if (!m_address.shared) return s.v;
      detail::scoped_lock guard(s.lock);
      return s.v;
    }();
    if (is_signal(v)) throw value_error(error_kind::name, "'" + instance_name() + "' is used before it is defined");
    return v;
  }
  variable_address& address() noexcept { return m_address; }
  const variable_address& address() const noexcept { return m_address; }

  static value emptied(slot& s) noexcept { return std::exchange(s.v, make_signal(signal::undefined)); }

  bool gives_value = false; // it is the last read before the variable is written, if ever: the slot is left empty

 private:
  variable_address m_address;
};

inline bool is_given(const node& n) noexcept {
  return n.type() == node_class::variable && static_cast<const variable_node&>(n).gives_value;
}

// The value of a variable that is_given().
inline value give(const node& variable, frame& f) noexcept {
  return variable_node::emptied(static_cast<const variable_node&>(variable).address().in(f));
}

// Whether the value of an operand belongs to nobody else but the one that evaluates it.
inline bool gives_temporary(const node& operand) noexcept { return !operand.is_leaf() || is_given(operand); }

// The value of a literal or an unshared variable, in place; undefined variables show as a signal.
inline const value& peek(const node& leaf, frame& f) noexcept {
  if (leaf.type() == node_class::literal) return static_cast<const literal_node&>(leaf).constant();
  return static_cast<const variable_node&>(leaf).address().in(f).v;
}

} // namespace treadle::tree

// Special forms: nodes that decide themselves which operands are evaluated, and when.
#pragma once

#include "tree/nodes/change.hpp"
#include "tree/nodes/functions.hpp"
#include "tree/nodes/leaves.hpp"

namespace treadle::tree {

// A form without data of its own; its meaning is a function over its operands.
class form_node final : public node {
 public:
  using meaning = value (*)(const node& self, frame& f, context& c);

  // What its execution calls besides its operands. in_order: nothing, but it keeps the order of the program.
  enum class calls : std::uint8_t { nothing, in_order, first_operand, unknown };

  form_node(std::string_view name, place where, meaning m, calls called = calls::nothing)
      : node(node_class::form, name, {}, where), m_meaning(m), m_calls(called) {}
  value execute(frame& f, context& c) const override { return m_meaning(*this, f, c); }
  bool means(meaning m) const noexcept { return m_meaning == m; }
  bool calls_first_operand() const noexcept { return m_calls == calls::first_operand; }
  node_effects own_effects() const noexcept override {
    if (m_calls == calls::first_operand) return effects_of_callee(*operands()[0]);
    if (m_calls == calls::unknown) return node_effects::of_unknown_code();
    return {.ordered = m_calls == calls::in_order};
  }

 private:
  meaning m_meaning;
  calls m_calls;
};

inline bool is_form(const node& n, form_node::meaning m) noexcept {
  const auto* form = as<form_node>(n);
  return form && form->means(m);
}

// Statements in order; a break, continue or return in one ends the block with that signal as its value.
value execute_block(const node& self, frame& f, context& c);
value execute_parallel_block(const node& self, frame& f, context& c);
value execute_if(const node& self, frame& f, context& c);
value execute_while(const node& self, frame& f, context& c);
value execute_for(const node& self, frame& f, context& c);      // (init, condition, step, body)
value execute_for_each(const node& self, frame& f, context& c); // (function, sequence); ends early by break() only
value execute_and(const node& self, frame& f, context& c);
value execute_or(const node& self, frame& f, context& c);
value execute_break(const node& self, frame& f, context& c);
value execute_continue(const node& self, frame& f, context& c);
value execute_return(const node& self, frame& f, context& c);
value execute_timer(const node& self, frame& f, context& c);
value execute_enable_tracing(const node& self, frame& f, context& c);
value execute_name(const node& self, frame& f, context& c);

value execute_async(const node& self, frame& f, context& c);
value execute_map(const node& self, frame& f, context& c); // fmap(function, sequences...)
value execute_parallel_map(const node& self, frame& f, context& c);
value execute_filter(const node& self, frame& f, context& c);
value execute_fold_left(const node& self, frame& f, context& c); // (function, start or nil, sequence)
value execute_fold_right(const node& self, frame& f, context& c);
value execute_from_function(const node& self, frame& f, context& c); // (function, shape, dtype)
value execute_apply(const node& self, frame& f, context& c);         // (function, list of arguments)

// for_in(x, sequence, body): the loop of Python, whose variable belongs to the function around it.
class for_in_node final : public node {
 public:
  for_in_node(std::string_view variable, place where, variable_address address)
      : node(node_class::form, "for_in", variable, where), m_address(address) {}
  value execute(frame& f, context& c) const override; // operands: sequence, body
  node_effects own_effects() const noexcept override { return {false, m_address.level}; }
  variable_address& address() noexcept { return m_address; }
  const variable_address& address() const noexcept { return m_address; }

 private:
  variable_address m_address;
};

// define(x, e), define_global(x, e) and store(x, e). Bookkeeping, always inline; nil.
class assignment_node final : public node {
 public:
  assignment_node(std::string_view primitive, std::string_view variable, place where, variable_address address)
      : node(node_class::form, primitive, variable, where), m_address(address) {
    always_inline = true;
  }
  value execute(frame& f, context& c) const override;
  node_effects own_effects() const noexcept override { return {false, m_address.level}; }
  variable_address& address() noexcept { return m_address; }
  const variable_address& address() const noexcept { return m_address; }

 private:
  variable_address m_address;
};

// store(slice(x, i, ...), e), also of slices of slices: the operands are e, then the indices, grouped from the outside
// in. Python's changes are nodes of this class, too; those of a whole variable have no indices.
class slice_assignment_node final : public node {
 public:
  slice_assignment_node(change_kind kind, std::string_view variable, place where, variable_address address,
                        std::vector<index_group> groups)
      : node(node_class::form, kind == change_kind::append ? "append" : "store", variable, where),
        m_address(address),
        m_groups(std::move(groups)),
        m_kind(kind) {
    always_inline = true;
  }
  value execute(frame& f, context& c) const override;
  node_effects own_effects() const noexcept override { return {false, m_address.level}; }
  variable_address& address() noexcept { return m_address; }
  const variable_address& address() const noexcept { return m_address; }
  bool is_nested() const noexcept { return m_groups.size() > 1; } // a slice of a slice
  change_kind kind() const noexcept { return m_kind; }

  // Of Python's changes. Other variables of the function may hold what is changed. Those that are not read any more
  // before they are written may be dropped; until the change is made, the others must be as the program's order says.
  std::vector<variable_address> dropped, watched;

 private:
  void apply_change(frame& f, value& v, std::span<const value> indices, value x) const;

  variable_address m_address;
  std::vector<index_group> m_groups; // by slice
  change_kind m_kind;
};

// A function definition the compiler resolved: nothing happens at run time.
class definition_node final : public node {
 public:
  definition_node(const function_code& code, place where)
      : node(node_class::form, "define-variable", code.name, where), m_code(code) {
    always_inline = true;
  }
  value execute(frame&, context&) const override { return {}; }
  bool evaluates_operands() const noexcept override { return false; }
  const function_code& code() const noexcept { return m_code; }

 private:
  const function_code& m_code;
};

} // namespace treadle::tree

// PhySL functions: their code, function values, and calls.
#pragma once

#include "tree/nodes/leaves.hpp"
#include "tree/nodes/primitive.hpp"
#include "tree/run/evaluate.hpp"

#include "value/objects.hpp"

#include <memory>

namespace treadle::tree {

struct function_parameter {
  std::string name;
  bool optional = false;
  const node* otherwise = nullptr; // of an optional one: default value, evaluated in the new frame
};

// What define(f, a, b, body) and lambda(a, b, body) stand for. Parameters are the first slots of its frames.
struct function_code {
  std::string name; // "lambda" when it has none
  std::vector<function_parameter> parameters;
  std::uint32_t level = 0; // of nesting: frames of it have level - 1 ancestors
  std::uint32_t slots = 0;
  node* body = nullptr;
  node_effects effects;            // of a call, as seen by the caller
  std::vector<variable_use> reads; // of variables around it, also by what it calls; sorted
  // The deepest level around it whose frame stays in a closure that a call makes, also by what it calls; -1: none.
  std::int64_t captures = -1;

  std::size_t required() const noexcept;
};

// A function as a value: code with the frame around it, or a primitive.
struct function_object final : detail::dynamic_object {
  function_object(const function_code& c, frame* captured_frame)
      : dynamic_object(value_kind::function), code(&c), captured(captured_frame) {}
  explicit function_object(const primitive& p) : dynamic_object(value_kind::function), builtin(&p) {}
  ~function_object() override {
    if (captured) captured->release();
  }
  value wait() const override { return value(); }
  std::string describe() const override {
    return "<function " + std::string(builtin ? builtin->name : std::string_view(code->name)) + ">";
  }

  const function_code* code = nullptr;
  frame* captured = nullptr; // counted
  const primitive* builtin = nullptr;
};

// Calls code whose lexical parent is `parent` with these values, for missing ones the defaults. Checks the number.
value call_function(const function_code& code, frame* parent, std::span<value> args, context& c);

// Calls a function value. value_error when it is none.
value call_value(const value& function, std::span<value> args, context& c);

// The function operand of a form such as fmap. A lambda written in place is called without making a closure of it.
class callee {
 public:
  callee(const node& operand, frame& f, context& c);
  value operator()(std::span<value> args, context& c) const;
  const node* body() const noexcept; // null for a primitive

 private:
  const node& m_operand;
  const function_code* m_code = nullptr; // of a lambda in place
  frame* m_parent = nullptr;
  value m_function; // otherwise
};

// What a call of the function operand of a form may do.
node_effects effects_of_callee(const node& operand);

// Adds the call to the back-trace of failures that pass.
template <class F>
value traced_call(const node& call, std::string_view name, F&& f) {
  try {
    return f();
  } catch (failure& e) {
    e.called_from(name, call.where());
    throw;
  }
}

// A lambda, or the name of a function used as a value: makes a closure. Bookkeeping, always inline.
class closure_node final : public node {
 public:
  closure_node(std::string_view primitive, const function_code& code, place where, std::uint32_t levels)
      : node(node_class::form, primitive, code.name, where), m_code(code), m_levels(levels) {
    always_inline = true;
  }

  value execute(frame& f, context& c) const override {
    auto* captured = f.ancestor(m_levels).capture(c.run);
    return value::adopt(value_kind::function, new function_object(m_code, captured));
  }
  bool evaluates_operands() const noexcept override { return false; } // defaults and body of a lambda
  const function_code& code() const noexcept { return m_code; }
  std::uint32_t levels() const noexcept { return m_levels; } // outwards to the frame that the code runs in

 private:
  const function_code& m_code;
  std::uint32_t m_levels;
};

// f(a, b) where the compiler knows the code. Its effects must be final when own_effects() is asked.
class call_node final : public strict_node {
 public:
  call_node(const function_code& code, place where, std::uint32_t levels)
      : strict_node("call-function", code.name, where), m_code(code), m_levels(levels) {}

  value compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const override;
  node_effects own_effects() const noexcept override { return m_code.effects; }
  const function_code& code() const noexcept { return m_code; }

  std::vector<std::uint32_t> positions; // parameter of each operand; empty: in order

 private:
  const function_code& m_code;
  std::uint32_t m_levels;
};

// f(a, b) where f is a variable: the first operand is the function.
class dynamic_call_node final : public strict_node {
 public:
  dynamic_call_node(std::string_view name, place where) : strict_node("call-function", name, where) {}

  value compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const override;
  node_effects own_effects() const noexcept override { return node_effects::of_unknown_code(); }

  std::vector<std::string> keywords; // of each argument; empty text: positional
};

} // namespace treadle::tree

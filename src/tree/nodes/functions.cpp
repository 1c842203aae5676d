#include "tree/nodes/functions.hpp"

#include "tree/nodes/leaves.hpp"
#include "tree/nodes/operators.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

// The frame of one call. Released when the call ends, however it ends.
class activation {
 public:
  activation(const function_code& code, frame* parent, context& c)
      : m_context(c), m_frame(frame::create(parent, code.slots)) {
    ++c.depth;
  }
  ~activation() {
    --m_context.depth;
    m_frame->release();
  }
  activation(const activation&) = delete;
  activation& operator=(const activation&) = delete;

  frame& operator*() const noexcept { return *m_frame; }

 private:
  context& m_context;
  frame* m_frame;
};

std::string count_text(std::size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

[[noreturn]] void wrong_arity(const function_code& code, std::size_t given) {
  const auto most = code.parameters.size(), least = code.required();
  throw value_error(error_kind::type, code.name + "() takes " + (least == most ? "" : std::to_string(least) + " to ") +
                                          count_text(most, "argument") + ", " + std::to_string(given) + " given");
}

// Runs the body in a frame whose given parameters are bound already.
value run_body(const function_code& code, frame& f, context& c) {
  if (c.depth > c.run.options().max_call_depth)
    throw value_error(error_kind::recursion, "calls are nested more than " +
                                                 std::to_string(c.run.options().max_call_depth) + " deep in " +
                                                 code.name + "()");
  c.run.check_cancelled();
  for (std::size_t i = 0; i < code.parameters.size(); ++i) {
    auto& s = f.at(static_cast<std::uint32_t>(i));
    if (!is_signal(s.v)) continue;
    if (!code.parameters[i].otherwise)
      throw value_error(error_kind::type, code.name + "(): argument '" + code.parameters[i].name + "' is missing");
    s.v = evaluate(*code.parameters[i].otherwise, f, c);
  }
  value v = evaluate(*code.body, f, c);
  if (is_signal(v, signal::return_value)) return std::move(f.result);
  return v;
}

void bind(frame& f, std::size_t position, value& argument, bool movable) {
  f.at(static_cast<std::uint32_t>(position)).v = movable ? std::move(argument) : argument;
}

} // namespace

std::size_t function_code::required() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const auto& p) { return !p.optional; }));
}

value call_function(const function_code& code, frame* parent, std::span<value> args, context& c) {
  if (args.size() > code.parameters.size() || args.size() < code.required()) wrong_arity(code, args.size());
  activation call(code, parent, c);
  for (std::size_t i = 0; i < args.size(); ++i) bind(*call, i, args[i], false);
  return run_body(code, *call, c);
}

value call_value(const value& function, std::span<value> args, context& c) {
  if (function.kind() != value_kind::function)
    throw value_error(error_kind::type, "expected a function, found " + std::string(to_string(function.kind())));
  const auto& object = *static_cast<const function_object*>(function.object());
  if (!object.builtin) return call_function(*object.code, object.captured, args, c);
  const signature takes(object.builtin->signature);
  if (args.size() < takes.required || (!takes.variadic && args.size() > takes.parameters.size()))
    throw value_error(error_kind::type,
                      std::string(object.builtin->name) + "() does not take " + count_text(args.size(), "argument"));
  for (auto& a : args) settle(a, c);
  call_context call{object.builtin, &c.run.services(), 0};
  return run_kernel(call, args);
}

callee::callee(const node& operand, frame& f, context& c) : m_operand(operand) {
  if (const auto* closure = dynamic_cast<const closure_node*>(&operand)) {
    m_code = &closure->code();
    m_parent = &f.ancestor(closure->levels());
    return;
  }
  m_function = evaluate(operand, f, c);
  settle(m_function, c);
  if (m_function.kind() != value_kind::function)
    throw value_error(error_kind::type, "expected a function, found " + std::string(to_string(m_function.kind())));
}

const node* callee::body() const noexcept {
  const auto* code = m_code ? m_code : static_cast<const function_object*>(m_function.object())->code;
  return code ? code->body : nullptr;
}

value callee::operator()(std::span<value> args, context& c) const {
  return traced_call(m_operand, m_code ? m_code->name : m_operand.instance_name(), [&] {
    return m_code ? call_function(*m_code, m_parent, args, c) : call_value(m_function, args, c);
  });
}

node_effects effects_of_callee(const node& operand) {
  if (const auto* closure = dynamic_cast<const closure_node*>(&operand)) return closure->code().effects;
  if (operand.type() == node_class::literal) {
    const auto& v = static_cast<const literal_node&>(operand).constant();
    if (v.kind() == value_kind::function) return effects_of(*static_cast<const function_object*>(v.object())->builtin);
  }
  return node_effects::of_unknown_code();
}

value call_node::compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const {
  return traced_call(*this, m_code.name, [&] {
    activation call(m_code, &f.ancestor(m_levels), c);
    for (std::size_t i = 0; i < args.size(); ++i)
      bind(*call, positions.empty() ? i : positions[i], args[i], i < 32 && (owned >> i & 1u));
    return run_body(m_code, *call, c);
  });
}

value dynamic_call_node::compute(std::span<value> args, std::uint32_t, frame&, context& c) const {
  const auto& function = args[0];
  const auto given = args.subspan(1);
  if (function.kind() != value_kind::function)
    throw value_error(error_kind::type,
                      "'" + instance_name() + "' is not a function but " + std::string(to_string(function.kind())));
  return traced_call(*this, instance_name(), [&]() -> value {
    if (keywords.empty()) return call_value(function, given, c);
    const auto& object = *static_cast<const function_object*>(function.object());
    if (object.builtin) throw value_error(error_kind::type, "a primitive used as a value takes no keyword arguments");
    const auto& code = *object.code;
    activation call(code, object.captured, c);
    for (std::size_t i = 0; i < given.size(); ++i) {
      const auto at =
          keywords[i].empty()
              ? i
              : static_cast<std::size_t>(std::find_if(code.parameters.begin(), code.parameters.end(),
                                                      [&](const auto& p) { return p.name == keywords[i]; }) -
                                         code.parameters.begin());
      if (at >= code.parameters.size())
        throw value_error(error_kind::type, code.name + "() has no argument " +
                                                (keywords[i].empty() ? std::to_string(i) : "'" + keywords[i] + "'"));
      if (!is_signal((*call).at(static_cast<std::uint32_t>(at)).v))
        throw value_error(error_kind::type, code.name + "() got argument '" + code.parameters[at].name + "' twice");
      bind(*call, at, given[i], false);
    }
    return run_body(code, *call, c);
  });
}

} // namespace treadle::tree

// Branches, jumps and what is about evaluation itself.
#include "tree/nodes/forms.hpp"

#include "tree/run/profile.hpp"

namespace treadle::tree {
namespace {

bool test(const node& condition, frame& f, context& c) { return evaluate_settled(condition, f, c).to_bool(); }

} // namespace

value execute_if(const node& self, frame& f, context& c) {
  const auto operands = self.operands();
  if (test(*operands[0], f, c)) return evaluate(*operands[1], f, c);
  return operands.size() > 2 ? evaluate(*operands[2], f, c) : value();
}

namespace {

// Scalars decide as soon as they can; arrays combine element by element.
value connect(const node& self, frame& f, context& c, bool deciding, std::string_view elementwise) {
  value result;
  for (const node* operand : self.operands()) {
    value v = evaluate_settled(*operand, f, c);
    const bool whole = result.is_nil() || result.kind() == value_kind::boolean;
    if (!v.is_array() && whole) {
      result = v.to_bool();
      if (result.boolean() == deciding) return result;
    } else {
      result = result.is_nil()
                   ? std::move(v)
                   : call_primitive(elementwise, {nullptr, &c.run.services(), 0}, {std::move(result), std::move(v)});
    }
  }
  return result.is_array() ? call_primitive(elementwise, {nullptr, &c.run.services(), 0}, {result, result}) : result;
}

} // namespace

value execute_and(const node& self, frame& f, context& c) { return connect(self, f, c, false, "logical_and"); }
value execute_or(const node& self, frame& f, context& c) { return connect(self, f, c, true, "logical_or"); }

value execute_break(const node&, frame&, context&) { return make_signal(signal::break_loop); }
value execute_continue(const node&, frame&, context&) { return make_signal(signal::continue_loop); }

value execute_return(const node& self, frame& f, context& c) {
  f.result = self.operands().empty() ? value() : evaluate(*self.operands()[0], f, c);
  return make_signal(signal::return_value);
}

value execute_timer(const node& self, frame& f,
                    context& c) { // timer(f, g): f(), then g(seconds it took); the value of f
  const callee measured(*self.operands()[0], f, c), report(*self.operands()[1], f, c);
  const auto start = detail::ticks_now();
  value result = measured({}, c);
  settle(result, c);
  value seconds(static_cast<double>(detail::ticks_to_ns(detail::ticks_now() - start)) * 1e-9);
  report(std::span(&seconds, 1), c);
  return result;
}

value execute_enable_tracing(const node& self, frame& f, context& c) {
  c.run.enable_tracing(test(*self.operands()[0], f, c));
  return {};
}

value execute_name(const node& self, frame&, context&) { return full_name(*self.operands()[0]); }

} // namespace treadle::tree

// Blocks, branches and loops.
#include "tree/forms.hpp"

#include "tree/profile.hpp"

namespace treadle::tree {
namespace {

value evaluate_settled(const node& n, frame& f, context& c) {
  value v = evaluate(n, f, c);
  settle(v, c);
  return v;
}

bool test(const node& condition, frame& f, context& c) { return evaluate_settled(condition, f, c).to_bool(); }

// Takes the value of a loop body. True: leave the loop, whose value is `last`.
bool ends_loop(value v, value& last) {
  if (is_signal(v, signal::continue_loop)) return false;
  if (is_signal(v, signal::break_loop)) return true;
  last = std::move(v);
  return is_signal(last); // a return goes on outwards
}

} // namespace

value execute_block(const node& self, frame& f, context& c) {
  value last;
  for (const node* statement : self.operands()) {
    last = evaluate(*statement, f, c);
    if (is_signal(last)) return last;
  }
  return last;
}

value execute_parallel_block(const node& self, frame& f, context& c) {
  if (!c.spawns()) return execute_block(self, f, c);
  std::vector<eventual> started;
  for (const node* statement : self.operands()) {
    try {
      // A store is bookkeeping, but what it stores is not: it becomes a task here, or the block would wait for each.
      if (statement->always_inline)
        started.push_back(start_task(c, [&f, statement](context& here) { return evaluate(*statement, f, here); }));
      else
        started.push_back(eval(*statement, f, c));
    } catch (...) {
      rethrow_first(started, c, std::current_exception());
    }
  }
  auto values = get_all(started, c);
  return values.empty() ? value() : std::move(values.back());
}

value execute_if(const node& self, frame& f, context& c) {
  const auto operands = self.operands();
  if (test(*operands[0], f, c)) return evaluate(*operands[1], f, c);
  return operands.size() > 2 ? evaluate(*operands[2], f, c) : value();
}

value execute_while(const node& self, frame& f, context& c) {
  const node &condition = *self.operands()[0], &body = *self.operands()[1];
  value last;
  while (test(condition, f, c)) {
    c.run.check_cancelled();
    if (ends_loop(evaluate(body, f, c), last)) break;
  }
  return last;
}

value execute_for(const node& self, frame& f, context& c) {
  const auto operands = self.operands();
  value last;
  for (evaluate(*operands[0], f, c); test(*operands[1], f, c); evaluate(*operands[2], f, c)) {
    c.run.check_cancelled();
    if (ends_loop(evaluate(*operands[3], f, c), last)) break;
  }
  return last;
}

value for_in_node::execute(frame& f, context& c) const {
  const value items = evaluate_settled(*operands()[0], f, c);
  const node& body = *operands()[1];
  value last;
  for (std::size_t i = 0, n = items.size(); i < n; ++i) {
    c.run.check_cancelled();
    assign(m_address, f, items.item(i));
    if (ends_loop(evaluate(body, f, c), last)) break;
  }
  return last;
}

value execute_for_each(const node& self, frame& f, context& c) {
  const callee function(*self.operands()[0], f, c);
  const value sequence = evaluate_settled(*self.operands()[1], f, c);
  value last;
  for (std::size_t i = 0, n = sequence.size(); i < n; ++i) {
    c.run.check_cancelled();
    value item = sequence.item(i);
    if (ends_loop(function(std::span(&item, 1), c), last)) break;
  }
  return last;
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

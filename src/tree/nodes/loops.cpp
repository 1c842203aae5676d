// Loops. Those with independent iterations may go on in several tasks at any turn.
#include "tree/nodes/forms.hpp"
#include "tree/parallel/overlap.hpp"
#include "tree/parallel/split_loop.hpp"

#include <limits>
#include <utility>

namespace treadle::tree {
namespace {

// A loop without another one around it in its run: there the turns tell what splitting parts of them gains.
class outermost_loop {
 public:
  outermost_loop(const node& loop, context& c) noexcept
      : m_loop(loop), m_context(c), m_measures(c.run.adapts() && std::exchange(c.before_loops, false)), m_start(c.now) {
    if (m_measures) c.run.begin_tuned_loop();
  }
  ~outermost_loop() {
    if (!m_measures) return;
    if (m_turns > 0) m_context.run.tune(m_loop, m_turns, detail::ticks_now() - m_start);
    m_context.run.end_tuned_loop();
    m_context.before_loops = true;
  }
  outermost_loop(const outermost_loop&) = delete;
  outermost_loop& operator=(const outermost_loop&) = delete;

  void turn(context& c) {
    if (m_measures) count(c);
  }
  // Splits come so often that the rest of the loop had better be executed by a worker.
  bool should_move() const noexcept {
    return m_measures && m_context.run.splits_often() && this_task::worker_index() < 0;
  }

 private:
  static constexpr std::int64_t k_sample_ns = 500'000; // a report costs about 300

  void count(context& c) {
    static const std::int64_t sample = detail::ns_to_ticks(k_sample_ns);
    ++m_turns;
    if (c.now - m_start < sample) return;
    c.run.tune(m_loop, m_turns, c.now - m_start);
    m_turns = 0;
    m_start = c.now = detail::ticks_now();
  }

  const node& m_loop;
  context& m_context; // in which it began
  const bool m_measures;
  std::uint64_t m_turns = 0;
  std::int64_t m_start; // of the sample
};

// Takes the value of a loop body. True: leave the loop, whose value is `last`.
bool ends_loop(value v, value& last) {
  if (is_signal(v, signal::continue_loop)) return false;
  if (is_signal(v, signal::break_loop)) return true;
  last = std::move(v);
  return is_signal(last); // a return goes on outwards
}

// The turns that a loop with a condition still has to do, when that is known; else 0.
std::uint64_t turns_left(const independent_loop& loop, frame& f) {
  const value &counter = f.at(loop.variable).v, &bound = peek(*loop.bound, f);
  if (counter.kind() != value_kind::int64 || bound.kind() != value_kind::int64) return 0;
  const auto first = counter.integer(), end = bound.integer();
  if (end < first || (end == first && !loop.inclusive)) return 0;
  if (end > std::numeric_limits<std::int64_t>::max() - loop.step) return 0; // it would count around
  if (!loop.arrays.empty() && first + loop.lowest < 0) return 0;            // indices from the end
  const auto distance = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(first);
  return (distance - (loop.inclusive ? 0u : 1u)) / static_cast<std::uint64_t>(loop.step) + 1;
}

// while(condition, body), and for(init, condition, step, body) after `init`.
class conditional_loop final : public loop_turns {
 public:
  conditional_loop(const node& self, const node& condition, const node& body, const node* step, frame& f)
      : m_self(self), m_plan(self.iterations), m_condition(condition), m_body(body), m_step(step), m_frame(f) {}

  value execute(context& c) {
    outermost_loop measured(m_self, c);
    if (!run_turns(c, measured)) on_worker(c, [&](context& there) { run_turns(there, measured); });
    return std::move(m_last);
  }

  value run(frame& f, context& c, std::uint64_t turn) const override {
    f.at(m_plan->variable).v = m_first + static_cast<std::int64_t>(turn) * m_plan->step;
    static_cast<void>(test(f, c)); // true: but it is an evaluation like any other
    c.run.check_cancelled();
    value v = evaluate(m_body, f, c);
    if (m_step) evaluate(*m_step, f, c);
    return v;
  }

 private:
  // True: to the end.
  bool run_turns(context& c, outermost_loop& measured) {
    for (;; ++m_turn) {
      if (measured.should_move()) return false;
      if (m_plan && asks_at(m_turn)) run_rest(c, m_last);
      if (!test(m_frame, c)) return true;
      c.run.check_cancelled();
      if (ends_loop(evaluate(m_body, m_frame, c), m_last)) return true;
      if (m_step) evaluate(*m_step, m_frame, c);
      measured.turn(c);
    }
  }
  bool test(frame& f, context& c) const { return evaluate_settled(m_condition, f, c).to_bool(); }
  void run_rest(context& c, value& last) {
    if (const auto count = turns_left(*m_plan, m_frame)) {
      m_first = m_frame.at(m_plan->variable).v.integer();
      run_in_parts(*m_plan, m_body, m_frame, c, count, *this, last);
    }
  }

  const node& m_self;
  const independent_loop* m_plan;
  const node &m_condition, &m_body;
  const node* m_step;
  frame& m_frame;
  std::uint64_t m_turn = 0;
  std::int64_t m_first = 0; // of the turns that run in parts
  value m_last;
};

// The items of for_in from one on.
class item_turns final : public loop_turns {
 public:
  item_turns(const variable_address& variable, const value& items, std::size_t first, const node& body)
      : m_variable(variable), m_items(items), m_first(first), m_body(body) {}

  // Iterations that write parts by the variable need different ones.
  bool can_split(const independent_loop& loop) const {
    if (loop.arrays.empty()) return true;
    if (!m_items.is_list()) return false;
    const auto& list = detail::as_list(m_items);
    return list.is_range && list.step >= loop.width && list.at(m_first).integer() + loop.lowest >= 0;
  }
  value run(frame& f, context& c, std::uint64_t turn) const override {
    c.run.check_cancelled();
    assign(m_variable, f, m_items.item(m_first + static_cast<std::size_t>(turn)));
    return evaluate(m_body, f, c);
  }

 private:
  const variable_address& m_variable;
  const value& m_items;
  const std::size_t m_first;
  const node& m_body;
};

} // namespace

value execute_while(const node& self, frame& f, context& c) {
  const auto operands = self.operands();
  return conditional_loop(self, *operands[0], *operands[1], nullptr, f).execute(c);
}

value execute_for(const node& self, frame& f, context& c) {
  const auto operands = self.operands();
  evaluate(*operands[0], f, c);
  return conditional_loop(self, *operands[1], *operands[3], operands[2], f).execute(c);
}

value for_in_node::execute(frame& f, context& c) const {
  const value items = evaluate_settled(*operands()[0], f, c);
  const node& body = *operands()[1];
  outermost_loop measured(*this, c);
  value last;
  std::size_t i = 0;
  const auto run_turns = [&](context& here) { // true: to the end
    for (const auto n = items.size(); i < n; ++i) {
      if (measured.should_move()) return false;
      const item_turns rest(m_address, items, i, body);
      if (iterations && asks_at(i) && rest.can_split(*iterations) &&
          run_in_parts(*iterations, body, f, here, n - i, rest, last))
        break;
      if (ends_loop(rest.run(f, here, 0), last)) break;
      measured.turn(here);
    }
    return true;
  };
  if (!run_turns(c)) on_worker(c, [&](context& there) { run_turns(there); });
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

} // namespace treadle::tree

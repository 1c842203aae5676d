// Evaluation. In a run that never spawns it is plain recursion over execute(), whose independent operands may overlap;
// otherwise a graph of futures (tree/graph).
#include "tree/run/evaluate.hpp"

#include "tree/graph/graph.hpp"
#include "tree/nodes/leaves.hpp"
#include "tree/parallel/elementwise_chain.hpp"
#include "tree/parallel/overlap.hpp"
#include "tree/run/argument_buffer.hpp"
#include "tree/run/measurement.hpp"

#include <algorithm>

namespace treadle::tree {

value recurse(const node& n, frame& f, context& c) {
  if (n.is_leaf()) {
    count_leaf(n, c);
    return located(n, [&] { return n.execute(f, c); });
  }
  return with_stack(n, c, [&](context& here) {
    measurement m(here);
    value v = located(n, [&] { return n.execute(f, here); });
    m.finish(n, false);
    return v;
  });
}

namespace {

struct overlapped {
  std::uint32_t there = 0; // bit i: operand i has been evaluated
  std::uint32_t failed = 32;
  std::exception_ptr error; // of operand `failed`
};

// Evaluates those operands at the same time that are worth tasks, unless there is only one. None has effects: when one
// fails, those on its right need not be there. Kept out of the way of nodes that take a few nanoseconds.
[[gnu::noinline]] overlapped overlap_operands(const strict_node& n, frame& f, context& c, argument_buffer& args) {
  const auto operands = n.operands();
  std::vector<std::uint32_t> tasks;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(operands.size(), 32); ++i)
    if (!operands[i]->is_leaf() && c.run.is_worth_a_task(operands[i]->index, 1, c.local)) tasks.push_back(i);
  overlapped result;
  if (tasks.size() < 2) return result;
  std::vector<outcome> outcomes(tasks.size());
  try {
    const auto take = [&](context& here, std::uint64_t k) {
      outcomes[k].take([&] {
        value v = recurse(*operands[tasks[k]], f, here);
        settle(v, here);
        return v;
      });
    };
    overlap(c, tasks.size(), take, [&](std::uint64_t k) { return operands[tasks[k]]->index; });
  } catch (...) { // all on the left of the first that failed are there
    const auto first = std::find_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.error; });
    if (first == outcomes.end()) throw;
    result.error = first->error;
    result.failed = tasks[static_cast<std::size_t>(first - outcomes.begin())];
  }
  for (std::size_t k = 0; k < tasks.size() && tasks[k] < result.failed; ++k) {
    args.own(tasks[k], std::move(outcomes[k].result));
    result.there |= 1u << tasks[k];
  }
  return result;
}

} // namespace

value strict_node::execute(frame& f, context& c) const {
  const auto operands = this->operands();
  argument_buffer args(operands.size());
  overlapped done;
  if (may_overlap && c.overlaps() && c.local && c.run.may_contain_tasks(index, c.local)) {
    if (value result; chain && chain->execute(f, c, result)) return result;
    done = overlap_operands(*this, f, c, args);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i < 32 && (done.there >> i & 1u)) continue;
    if (i == done.failed && done.error) std::rethrow_exception(done.error);
    const node& operand = *operands[i];
    if (i < 32 && (borrowed_operands >> i & 1u)) {
      const value& seen = peek(operand, f);
      if (seen.kind() <= value_kind::function) { // neither a future nor undefined
        count_leaf(operand, c);
        if (is_given(operand))
          args.own(i, give(operand, f));
        else
          args.borrow(i, seen);
        continue;
      }
    }
    value v = recurse(operand, f, c);
    settle(v, c);
    if (gives_temporary(operand))
      args.own(i, std::move(v));
    else
      args.share(i, std::move(v));
  }
  return compute(args.all(), args.owned(), f, c);
}

void settle(value& v, context& c) {
  if (v.kind() != value_kind::future) return;
  const auto before = c.now;
  v = v.wait();
  c.now = detail::ticks_now();
  c.children += c.now - before;
}

value evaluate(const node& n, frame& f, context& c) { return c.spawns() ? eval(n, f, c).get(c) : recurse(n, f, c); }

value evaluate_settled(const node& n, frame& f, context& c) {
  value v = evaluate(n, f, c);
  settle(v, c);
  return v;
}

} // namespace treadle::tree

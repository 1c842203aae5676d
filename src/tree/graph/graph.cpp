#include "tree/graph/graph.hpp"

#include "tree/nodes/leaves.hpp"
#include "tree/run/argument_buffer.hpp"
#include "tree/run/evaluate.hpp"
#include "tree/run/measurement.hpp"

#include <treadle/dataflow.hpp>

namespace treadle::tree {
namespace {

// A strict node whose operands have been started. Runs once they are there.
struct started_node {
  const strict_node* n;
  frame* f;
  run_state* run;
  std::int64_t start;
  std::uint32_t depth;
  bool spawned;
  std::vector<value> args; // with gaps for the pending ones
  std::vector<std::uint32_t> gaps;

  const char* annotation() const noexcept { return n->name_for_traces; }
  value operator()(std::vector<future<value>> arrived) {
    for (std::size_t i = 0; i < gaps.size(); ++i) args[gaps[i]] = arrived[i].get(); // throws the leftmost error
    context c(*run, depth);
    return with_stack(*n, c, [&](context& here) {
      measurement m(here, start);
      std::uint32_t owned = 0;
      for (std::size_t i = 0; i < args.size(); ++i) {
        settle(args[i], here);
        if (i < 32 && gives_temporary(*n->operands()[i])) owned |= 1u << i;
      }
      value v = located(*n, [&] { return n->compute(args, owned, *f, here); });
      m.finish(*n, spawned);
      args.clear(); // those who wait for the value must not find these still held
      return v;
    });
  }
};

eventual eval_strict(const strict_node& n, frame& f, context& c) {
  const auto start = c.now;
  const auto operands = n.operands();
  std::vector<eventual> started(operands.size());
  std::size_t pending_count = 0;
  measurement m(c);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    try {
      started[i] = eval(*operands[i], f, c);
      if (n.ordered_operands) started[i] = started[i].get(c);
    } catch (...) {
      rethrow_first(std::span(started).first(i), c, std::current_exception());
    }
    if (!started[i].is_ready()) ++pending_count;
  }
  const bool inlined = n.always_inline || c.run.decide_inline(n.index);
  if (pending_count == 0 && inlined) {
    argument_buffer args(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      auto& v = started[i].ready_value();
      settle(v, c);
      if (gives_temporary(*operands[i]))
        args.own(i, std::move(v));
      else
        args.share(i, std::move(v));
    }
    value v = located(n, [&] { return n.compute(args.all(), args.owned(), f, c); });
    m.finish(n, false);
    return v;
  }
  started_node task{&n, &f, &c.run, start, c.depth, !inlined, std::vector<value>(operands.size()), {}};
  std::vector<future<value>> pending;
  pending.reserve(pending_count);
  for (std::size_t i = 0; i < started.size(); ++i) {
    if (started[i].is_ready()) {
      task.args[i] = std::move(started[i].ready_value());
    } else {
      task.gaps.push_back(static_cast<std::uint32_t>(i));
      pending.push_back(std::move(started[i].pending()));
    }
  }
  m.hand_over();
  if (pending.empty()) return async(launch::async, [task = std::move(task)]() mutable { return task({}); });
  // Run where the last operand completes, one inline node completes the next one outwards, on the same stack: now and
  // then a task of its own bounds that.
  const auto how = inlined && !n.ends_stretch() ? launch::sync : launch::async;
  return dataflow(how, std::move(task), std::move(pending));
}

// A node that is no strict one, as a task of its own.
struct spawned_node {
  const node* n;
  frame* f;
  run_state* run;
  std::int64_t start;
  std::uint32_t depth;

  const char* annotation() const noexcept { return n->name_for_traces; }
  value operator()() {
    context here(*run, depth);
    measurement m(here, start);
    value v = located(*n, [&] { return n->execute(*f, here); });
    m.finish(*n, true);
    return v;
  }
};

} // namespace

eventual eval(const node& n, frame& f, context& c) {
  if (!c.spawns() || n.is_leaf()) return recurse(n, f, c);
  if (n.type() == node_class::strict)
    return with_stack(n, c, [&](context& here) { return eval_strict(static_cast<const strict_node&>(n), f, here); });
  if (n.always_inline || c.run.decide_inline(n.index)) return recurse(n, f, c);
  return async(launch::async, spawned_node{&n, &f, &c.run, c.now, c.depth});
}

std::vector<value> get_all(std::span<eventual> started, context& c) {
  std::vector<value> values;
  values.reserve(started.size());
  for (std::size_t i = 0; i < started.size(); ++i) {
    try {
      values.push_back(started[i].get(c));
    } catch (...) {
      for (auto& later : started.subspan(i + 1))
        if (!later.is_ready()) later.pending().wait();
      throw;
    }
  }
  return values;
}

void rethrow_first(std::span<eventual> started, context& c, std::exception_ptr otherwise) {
  std::exception_ptr first;
  for (auto& e : started) {
    try {
      e.get(c);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first ? first : otherwise);
}

} // namespace treadle::tree

// Evaluation. In a run that never spawns it is plain recursion over execute(); otherwise eval() builds a graph of
// futures from the leaves up, and each instance is decided on when its turn comes ("Runtime Adaptive Task Inlining",
// section 2.2).
#include "tree/evaluate.hpp"

#include <treadle/dataflow.hpp>

#include "tree/elementwise_chain.hpp"
#include "tree/leaves.hpp"
#include "tree/overlap.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace treadle::tree {
namespace {

// Measures one evaluation, from the context's present moment or an earlier start. finish() is not reached when it
// throws.
class measurement {
 public:
  explicit measurement(context& c) noexcept : measurement(c, c.now) {}
  measurement(context& c, std::int64_t start) noexcept
      : m_context(c), m_start(start), m_own_start(c.now), m_outer(std::exchange(c.children, 0)) {}

  void finish(const node& n, bool spawned) noexcept {
    auto& c = m_context;
    c.now = detail::ticks_now();
    const auto inclusive = difference(c.now, m_start);
    const auto self = difference(c.now - m_own_start, c.children);
    c.children = m_outer + static_cast<std::int64_t>(inclusive);
    if (c.local) {
      auto& s = c.local[n.index];
      ++s.count;
      s.inclusive += inclusive;
      s.self += self;
      s.spawned += spawned;
      return;
    }
    auto& s = c.run.statistics(n.index);
    s.inclusive.fetch_add(inclusive, detail::order::relaxed);
    s.self.fetch_add(self, detail::order::relaxed);
    if (spawned) s.spawned.fetch_add(1, detail::order::relaxed);
    s.count.fetch_add(1, detail::order::relaxed);
  }
  // The evaluation goes on elsewhere: hands what the operands took to the node around.
  void hand_over() noexcept { m_context.children += m_outer; }

 private:
  static std::uint64_t difference(std::int64_t end, std::int64_t start) noexcept {
    return end > start ? static_cast<std::uint64_t>(end - start) : 0; // clocks of two cores may differ by a little
  }

  context& m_context;
  std::int64_t m_start, m_own_start, m_outer;
};

void count_leaf(const node& n, context& c) noexcept {
  if (c.local)
    ++c.local[n.index].count;
  else
    c.run.statistics(n.index).count.fetch_add(1, detail::order::relaxed);
}

[[noreturn]] void fail_here(const node& n, const char* message) {
  throw failure(std::string(n.primitive_name()) + ": " + message, n.where());
}

// Gives errors of kernels their place.
template <class F>
value located(const node& n, F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    fail_here(n, "out of memory");
  } catch (const std::exception& e) {
    fail_here(n, e.what());
  }
}

// f(context&), on another stack when this one is nearly used up.
template <class F>
auto with_stack(const node& n, context& c, F&& f) -> decltype(f(c)) {
  if (!n.check_stack || !c.stack_is_low()) return f(c);
  return this_task::on_fresh_stack([&] {
    context fresh(c);
    auto result = f(fresh);
    fresh.return_to(c);
    return result;
  });
}

value run(const node& n, frame& f, context& c) {
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

// The operands of one strict node: a few in place, more on the heap. Borrowed ones are forgotten, not released.
class argument_buffer {
 public:
  explicit argument_buffer(std::size_t count) : m_count(count) {
    if (count > k_inline) m_heap = std::make_unique<value[]>(count);
  }
  ~argument_buffer() {
    for (std::uint32_t left = m_borrowed; left != 0; left &= left - 1)
      data()[static_cast<std::size_t>(__builtin_ctz(left))].forget();
  }
  argument_buffer(const argument_buffer&) = delete;
  argument_buffer& operator=(const argument_buffer&) = delete;

  std::span<value> all() noexcept { return {data(), m_count}; }
  void borrow(std::size_t i, const value& v) noexcept {
    data()[i] = value::alias(v);
    m_borrowed |= 1u << i;
  }
  void own(std::size_t i, value v) noexcept {
    data()[i] = std::move(v);
    if (i < 32) m_owned |= 1u << i;
  }
  void share(std::size_t i, value v) noexcept { data()[i] = std::move(v); }
  std::uint32_t owned() const noexcept { return m_owned; }

 private:
  static constexpr std::size_t k_inline = 4;
  value* data() noexcept { return m_heap ? m_heap.get() : m_inline; }

  value m_inline[k_inline];
  std::unique_ptr<value[]> m_heap;
  std::size_t m_count;
  std::uint32_t m_borrowed = 0, m_owned = 0;
};

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

  value operator()(std::vector<future<value>> arrived) {
    for (std::size_t i = 0; i < gaps.size(); ++i) args[gaps[i]] = arrived[i].get(); // throws the leftmost error
    context c(*run, depth);
    return with_stack(*n, c, [&](context& here) {
      measurement m(here, start);
      std::uint32_t owned = 0;
      for (std::size_t i = 0; i < args.size(); ++i) {
        settle(args[i], here);
        if (i < 32 && !n->operands()[i]->is_leaf()) owned |= 1u << i;
      }
      value v = located(*n, [&] { return n->compute(args, owned, *f, here); });
      m.finish(*n, spawned);
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
      if (operands[i]->is_leaf())
        args.share(i, std::move(v));
      else
        args.own(i, std::move(v));
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
    overlap(c, tasks.size(), [&](context& here, std::uint64_t k) {
      outcomes[k].take([&] {
        value v = run(*operands[tasks[k]], f, here);
        settle(v, here);
        return v;
      });
    });
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
        args.borrow(i, seen);
        continue;
      }
    }
    value v = run(operand, f, c);
    settle(v, c);
    if (operand.is_leaf())
      args.share(i, std::move(v));
    else
      args.own(i, std::move(v));
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

value detail_evaluate::run_task(const node& n, run_state& run, std::uint32_t depth, std::int64_t start, task_body call,
                                void* body) {
  context c(run, depth);
  measurement m(c, start);
  value v = located(n, [&] { return call(body, c); });
  m.finish(n, true);
  return v;
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

eventual eval(const node& n, frame& f, context& c) {
  if (!c.spawns() || n.is_leaf()) return run(n, f, c);
  if (n.type() == node_class::strict)
    return with_stack(n, c, [&](context& here) { return eval_strict(static_cast<const strict_node&>(n), f, here); });
  if (n.always_inline || c.run.decide_inline(n.index)) return run(n, f, c);
  return spawn(n, c, [&n, &f](context& here) { return n.execute(f, here); });
}

value evaluate(const node& n, frame& f, context& c) { return c.spawns() ? eval(n, f, c).get(c) : run(n, f, c); }

value evaluate_settled(const node& n, frame& f, context& c) {
  value v = evaluate(n, f, c);
  settle(v, c);
  return v;
}

} // namespace treadle::tree

// What becomes of the nodes of the graph.
#include "sim/simulator.hpp"

#include <algorithm>
#include <utility>

namespace treadle::sim {

int simulator::new_stack() {
  if (m_free_stacks.empty()) {
    m_free_stacks.push_back(static_cast<int>(m_stacks.size()));
    m_stacks.emplace_back();
  }
  const int s = m_free_stacks.back();
  m_free_stacks.pop_back();
  stack_at(s).next_waiter = stack_at(s).thread = k_none;
  return s;
}

/// Whether it runs where it is made, or where its last input completes. Asked once, when it is made.
bool simulator::decide_inline(int n) {
  const node_sort how = node(n).how;
  if (m_inlining.decides() && (how == node_sort::task || how == node_sort::call))
    return m_inlining.inlines(node(n).site);
  return how == node_sort::call && !m_how.spawn_calls;
}

/// In the tree of an expression, whose nodes one task makes without waiting, evaluation begins with the first operand.
void simulator::is_made(int n, std::uint64_t stretch) {
  node_state& one = state(n);
  one.made_ns = one.begun_ns = m_now_ns;
  one.stretch = stretch;
  if (stretch == 0) return;
  for (const int input : m_graph.inputs(n))
    if (state(input).stretch == stretch) one.begun_ns = std::min(one.begun_ns, state(input).begun_ns);
}

void simulator::make(int n, int by, std::uint64_t stretch) {
  is_made(n, stretch);
  state(n).now = phase::staged;
  std::vector<int> joins;
  input_is_there(n, by, joins); // its making is one
}

/// What is missing has become less. Joins that are complete now are left to the caller.
void simulator::input_is_there(int n, int by, std::vector<int>& joins) {
  if (--state(n).missing > 0) return;
  state(n).ready_ns = m_now_ns;
  if (node(n).how == node_sort::join)
    joins.push_back(n);
  else
    enqueue(n, by);
}

void simulator::enqueue(int n, int by) {
  node_state& one = state(n);
  if (one.inlined) return m_follows.push_back(n);
  one.now = phase::queued;
  push(one.pool, by, true, n, one.where, one.entry);
}

/// The smaller goes first.
ready_queues::entry simulator::rank(int what, int n) {
  const double age = ++m_sequence;
  const unsigned pool = state(n).pool;
  const scheduling policy = m_pools[pool].policy;
  const bool newest = policy == scheduling::work_stealing || policy == scheduling::local_priority_lifo;
  const double natural = newest ? -age : age;
  switch (m_how.which) {
  case order::natural:
    return {policy == scheduling::critical_path ? -node(n).learned_ns : 0, natural, what};
  case order::fifo:
    return {age, 0, what};
  case order::lifo:
    return {-age, 0, what};
  case order::random:
    return {static_cast<double>(m_random() >> 11), 0, what};
  case order::marked:
    return {state(n).critical ? 0.0 : 1.0, natural, what};
  case order::bottom_level:
    return {-node(n).level_ns, age, what};
  case order::learned:
    return {-node(n).learned_ns, age, what};
  }
  return {};
}

void simulator::push(unsigned pool, int by, bool is_new, int what, ready_queues::place& where,
                     ready_queues::entry& entry) {
  const int n = what >= 0 ? what : stack_at(~what).frames.front().node;
  entry = rank(what, n);
  const bool by_worker = by != k_none && !worker(by).outside;
  where = m_queues.push(pool, by_worker ? by : k_none, is_new, entry);
  if (by != k_none) worker(by).owed_ns += m_costs.per_worker_ns * m_pools[pool].workers;
  call_somebody(pool, where, by);
}

/// Somebody who has nothing to do looks for it, at once when it is looking, later when it sleeps.
void simulator::call_somebody(unsigned pool, const ready_queues::place& where, int by) {
  const auto called = [&](unsigned of, std::size_t position) {
    const int w = m_idle[of][position];
    m_idle[of].erase(m_idle[of].begin() + static_cast<std::ptrdiff_t>(position));
    worker_state& one = worker(w);
    one.idle = false;
    count_looks_while_idle(w);
    const bool sleeps = m_now_ns - one.idle_since_ns > m_costs.search_ns;
    if (sleeps && by != k_none) worker(by).owed_ns += m_costs.notify_ns;
    add_event(sleeps ? m_costs.wake_ns : m_costs.failed_steal_ns, event::sort::looks, w);
  };
  if (where.queue >= 0) { // whose queue it is in comes first
    const int owner = static_cast<int>(m_queues.first_worker(pool)) + where.queue;
    if (worker(owner).idle) {
      const auto found = std::find(m_idle[pool].begin(), m_idle[pool].end(), owner);
      return called(pool, static_cast<std::size_t>(found - m_idle[pool].begin()));
    }
  }
  if (!m_queues.steals(pool)) return;
  for (unsigned i = 0; i < m_idle.size(); ++i) {
    const unsigned other = i == 0 ? pool : i <= pool ? i - 1 : i;
    if (m_queues.lends(other, pool) && !m_idle[other].empty()) return called(other, m_idle[other].size() - 1);
  }
}

void simulator::start(int n) {
  node_state& one = state(n);
  one.now = phase::started;
  const double staged = node(n).inputs > 0 ? one.ready_ns - one.made_ns : 0;
  for (waiting* sum : {&m_found.pool_waits[one.pool], one.critical ? &m_found.critical : &m_found.others}) {
    ++sum->tasks;
    sum->staged_ns += staged;
    sum->pending_ns += m_now_ns - one.ready_ns;
  }
}

void simulator::complete(int n, int by) {
  std::vector<int> ended{n};
  while (!ended.empty()) {
    const int next = ended.back();
    ended.pop_back();
    state(next).now = phase::ended;
    --m_left;
    for (const int successor : m_graph.successors(next)) input_is_there(successor, by, ended);
    for (int s = std::exchange(state(next).first_waiter, k_none); s != k_none;) {
      const int waiter = s;
      s = std::exchange(stack_at(s).next_waiter, k_none);
      wake_stack(waiter, by);
    }
  }
}

void simulator::wake_stack(int s, int by) {
  const int thread = stack_at(s).thread;
  if (thread != k_none) {
    worker(thread).running = s;
    if (by != k_none) worker(by).owed_ns += m_costs.notify_ns;
    return add_event(m_costs.wake_ns, event::sort::goes_on, thread);
  }
  ready_queues::place where;
  ready_queues::entry entry;
  push(state(stack_at(s).frames.front().node).pool, by, false, ~s, where, entry);
}

} // namespace treadle::sim

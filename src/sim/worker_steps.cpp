// What a worker does in the course of time.
#include "sim/simulator.hpp"

#include <algorithm>
#include <utility>

namespace treadle::sim {

void simulator::start_piece(int w, double ns, bool is_own, const processors::need& what) {
  worker_state& one = worker(w);
  one.at_work = true;
  one.is_own = is_own;
  one.left_ns = ns;
  one.since_ns = m_now_ns;
  one.rate = 1;
  if (!one.outside) {
    m_processors.begin(static_cast<unsigned>(w), what);
    one.rate = m_processors.rate(static_cast<unsigned>(w));
    retime();
  }
  add_event(one.left_ns / one.rate, event::sort::piece_ends, w, ++one.version);
}

/// What has passed since the piece began, or went on at another speed.
double simulator::book_time(int w) {
  const worker_state& one = worker(w);
  const double passed = m_now_ns - one.since_ns;
  if (one.is_own) stack_at(one.running).frames.back().working_ns += passed;
  if (one.outside) return passed;
  prediction::worker& told = m_found.workers[static_cast<std::size_t>(w)];
  (one.is_own ? told.busy_ns : told.overhead_ns) += passed;
  return passed;
}

void simulator::end_piece(int w) {
  worker_state& one = worker(w);
  one.at_work = false;
  book_time(w);
  if (one.outside) return;
  m_processors.end(static_cast<unsigned>(w));
  retime();
}

/// Those who share something with the one that has begun or ended go on at another speed.
void simulator::retime() {
  for (const unsigned other : m_processors.affected()) {
    worker_state& one = m_workers[other];
    const double rate = m_processors.rate(other);
    if (rate == one.rate) continue;
    one.left_ns = std::max(0.0, one.left_ns - book_time(static_cast<int>(other)) * one.rate);
    one.since_ns = m_now_ns;
    one.rate = rate;
    add_event(one.left_ns / rate, event::sort::piece_ends, static_cast<int>(other), ++one.version);
  }
}

double simulator::price_of(const frame& top) const {
  const auto actions = m_graph.actions(top.node);
  if (top.next_action == actions.size()) { // its end
    double told = static_cast<double>(m_graph.successors(top.node).size());
    for (int s = m_states[static_cast<std::size_t>(top.node)].first_waiter; s != k_none;
         s = m_stacks[static_cast<std::size_t>(s)].next_waiter)
      ++told;
    return told * m_costs.continuation_ns;
  }
  const graph::action& next = actions[top.next_action];
  if (next.what == graph::action::sort::wait) return 0; // depends on what it finds
  const graph::node& made = node(next.node);
  if (m_states[static_cast<std::size_t>(next.node)].inlined) return made.inputs * m_costs.input_ns;
  if (made.how == node_sort::fork) return m_costs.fork_ns;
  return m_costs.create_ns + made.inputs * m_costs.input_ns;
}

processors::need simulator::need_of(const frame& running) const {
  const graph::node& one = node(running.node);
  if (running.is_warm && one.bytes <= m_cache_bytes) return {};
  if (one.own_ns <= 0) return {}; // so short that nothing was left of it without its records
  return {static_cast<double>(one.bytes) / static_cast<double>(one.own_ns), one.home};
}

/// Before something is done it is paid for: true when that takes time.
bool simulator::pays_first(int w, frame& top) {
  if (!top.paid) {
    const auto actions = m_graph.actions(top.node);
    if (top.next_action < actions.size() && actions[top.next_action].what == graph::action::sort::make) {
      const int made = actions[top.next_action].node;
      state(made).inlined = decide_inline(made);
    }
    worker(w).owed_ns += price_of(top);
  }
  top.paid = true;
  return worker(w).owed_ns > 0;
}

void simulator::go_on(int w) {
  for (;;) {
    worker_state& one = worker(w);
    if (one.owed_ns > 0) return start_piece(w, std::exchange(one.owed_ns, 0), false, {});
    if (one.running == k_none) {
      if (!one.outside) add_event(0, event::sort::looks, w);
      return;
    }
    frame& top = stack_at(one.running).frames.back();
    const graph::node& running = node(top.node);
    const auto actions = m_graph.actions(top.node);
    const bool at_end = top.next_action == actions.size();
    const std::int64_t until_ns = at_end ? running.own_ns : actions[top.next_action].at_ns;
    if (until_ns > top.done_ns) {
      const auto ns = static_cast<double>(until_ns - top.done_ns);
      top.done_ns = until_ns;
      return start_piece(w, ns, true, need_of(top));
    }
    if (pays_first(w, top)) continue;
    if (!at_end) {
      if (act(w, actions[top.next_action])) continue;
    } else {
      end_frame(w);
    }
  }
}

/// The next action of the innermost task; always true.
bool simulator::act(int w, const graph::action& what) {
  frame& top = stack_at(worker(w).running).frames.back();
  if (what.what == graph::action::sort::wait) return wait_for(w, what.node);
  ++top.next_action;
  top.paid = false;
  node_state& made = state(what.node);
  m_found.inlined += made.inlined;
  if (!made.inlined || made.missing > 1) {
    make(what.node, w, top.stretch);
    return true;
  }
  is_made(what.node, top.stretch);
  made.missing = 0;
  made.ready_ns = m_now_ns;
  push_frame(w, what.node);
  return true;
}

/// The innermost task is done. What is inlined and had missed only this follows on the same stack, one after the other,
/// each with what follows it in turn.
void simulator::end_frame(int w) {
  worker_state& one = worker(w);
  stack& here = stack_at(one.running);
  const frame top = here.frames.back();
  here.frames.pop_back();
  if (!here.frames.empty()) here.frames.back().working_ns += top.working_ns;
  if (m_inlining.decides())
    m_inlining.executed(node(top.node).site, {m_now_ns - state(top.node).begun_ns, top.working_ns, top.blocked});
  complete(top.node, w);
  for (; !m_follows.empty(); m_follows.pop_back()) here.followers.push_back({m_follows.back(), here.frames.size()});
  if (!here.followers.empty() && here.followers.back().depth == here.frames.size()) {
    const int next = here.followers.back().node;
    here.followers.pop_back();
    push_frame(w, next);
  } else if (here.frames.empty()) {
    m_free_stacks.push_back(std::exchange(one.running, k_none));
  }
}

bool simulator::wait_for(int w, int n) {
  const int s = worker(w).running;
  const auto done = [&] {
    frame& top = stack_at(s).frames.back();
    ++top.next_action;
    top.paid = false;
    top.stretch = ++m_stretches;
  };
  node_state& waited = state(n);
  const unsigned pool = worker(w).pool;
  if (waited.now == phase::ended) return done(), true;
  // Forks are on the stack of their task as long as nobody is hungry, whatever the policy.
  if (!worker(w).outside && (m_queues.runs_in_place(pool) || node(n).how == node_sort::fork)) {
    int own = waited.now == phase::queued && waited.pool == pool ? n : k_none;
    if (node(n).how == node_sort::join) { // the newest of its own that take part
      const ready_queues::entry* next = m_queues.first_of(static_cast<unsigned>(w));
      if (next && next->what >= 0) {
        const auto joins = m_graph.successors(next->what);
        if (std::find(joins.begin(), joins.end(), n) != joins.end()) own = next->what;
      }
    }
    if (own != k_none) {
      if (own == n) done();
      m_queues.remove(state(own).where, state(own).entry);
      if (node(own).how != node_sort::fork) worker(w).owed_ns += m_costs.in_place_ns;
      ++m_found.in_place;
      push_frame(w, own);
      return true;
    }
  }
  done();
  leave_stack(w, n);
  return true;
}

void simulator::leave_stack(int w, int waited) {
  worker_state& one = worker(w);
  stack& left = stack_at(one.running);
  for (frame& each : left.frames) each.blocked = true;
  for (; !left.followers.empty(); left.followers.pop_back()) { // what waits there may need them
    const int next = left.followers.back().node;
    state(next).inlined = false;
    --m_found.inlined;
    enqueue(next, w);
  }
  left.next_waiter = state(waited).first_waiter;
  state(waited).first_waiter = std::exchange(one.running, k_none);
  if (one.outside) return;
  one.owed_ns += m_costs.switch_ns;
  const double kept = m_costs.stacks_kept * static_cast<double>(m_found.workers.size());
  if (static_cast<double>(++m_stacks_left) > kept) one.owed_ns += m_costs.stack_ns;
  ++m_found.suspensions;
}

void simulator::push_frame(int w, int n, bool is_warm) {
  stack_at(worker(w).running).frames.push_back({.node = n, .is_warm = is_warm, .stretch = ++m_stretches});
  start(n);
  if (!worker(w).outside) ++m_found.workers[static_cast<std::size_t>(w)].tasks;
}

void simulator::run_on_new_stack(int w, int n, bool is_warm) {
  worker(w).running = new_stack();
  push_frame(w, n, is_warm);
}

/// Who has nothing to do looks again and again until it sleeps.
void simulator::count_looks_while_idle(int w) {
  prediction::worker& told = m_found.workers[static_cast<std::size_t>(w)];
  std::uint64_t looks = 1;
  if (m_costs.failed_steal_ns > 0) {
    const double searched_ns = std::min(m_now_ns - worker(w).idle_since_ns, m_costs.search_ns);
    looks += static_cast<std::uint64_t>(searched_ns / m_costs.failed_steal_ns);
  }
  told.looks += looks;
  told.missed_looks += looks;
}

void simulator::look_for_work(int w) {
  worker_state& one = worker(w);
  const auto found = m_queues.take(static_cast<unsigned>(w), m_processors);
  if (!found) {
    one.idle = true;
    one.idle_since_ns = m_now_ns;
    m_idle[one.pool].push_back(w);
    return;
  }
  prediction::worker& told = m_found.workers[static_cast<std::size_t>(w)];
  one.owed_ns += m_costs.pop_ns + found->missed * m_costs.failed_steal_ns;
  const bool was_own = m_queues.is_own(static_cast<unsigned>(w), found->from); // that is where it looks first
  told.missed_looks += found->missed + !was_own;
  told.looks += found->missed + !was_own + 1;
  if (found->stolen) {
    ++told.steals;
    if (found->what >= 0 && node(found->what).how == node_sort::fork) one.owed_ns += m_costs.promote_ns;
    one.owed_ns += found->remote ? m_costs.steal_remote_ns * found->distance : m_costs.steal_local_ns;
  }
  told.borrowed += found->from.pool != one.pool;
  if (found->what >= 0) {
    run_on_new_stack(w, found->what, was_own);
  } else { // a stack
    one.running = ~found->what;
    --m_stacks_left;
    one.owed_ns += m_costs.switch_ns;
  }
  go_on(w);
}

} // namespace treadle::sim

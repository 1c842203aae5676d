#include "model/check/execution.hpp"

#include <algorithm>
#include <utility>

namespace treadle::check {

using detail::fiber;
using detail::thread_exceptions;

execution* execution::s_current = nullptr;
unsigned execution::s_count = 0;

fiber& fiber_pool::take() {
  if (m_idle.empty()) {
    m_all.push_back(std::make_unique<fiber>(256 * 1024, &execution::thread_main));
    return *m_all.back();
  }
  fiber& f = *m_idle.back();
  m_idle.pop_back();
  return f;
}

void execution::thread_main(fiber&, fiber&) {
  for (;;) {
    execution& e = *s_current;
    try {
      std::exchange(e.m_threads[e.m_running].body, nullptr)();
    } catch (const std::exception& thrown) {
      e.fail(std::string("a thread ended with an exception: ") + thrown.what());
    }
    e.leave(); // returns when this fiber runs a thread of another execution
  }
}

const std::string* execution::run(const std::function<void()>& program) {
  execution* outer = std::exchange(s_current, this);
  start(program);
  m_fibers.host.switch_to(*m_threads[0].stack, thread_exceptions());
  s_current = outer;
  return m_failure ? &*m_failure : nullptr;
}

unsigned execution::start(std::function<void()> body) {
  if (m_threads.size() == k_threads_max) fail("too many threads");
  const auto id = static_cast<unsigned>(m_threads.size());
  if (id != 0) state.tick(m_running);
  state.add_thread(id == 0 ? memory::k_nobody : m_running);
  model_thread t;
  t.stack = &m_fibers.take();
  t.body = std::move(body);
  m_threads.push_back(std::move(t));
  return id;
}

void execution::join(unsigned thread, const std::source_location& where) {
  if (m_threads[thread].doing != status::ended) {
    m_threads[m_running].doing = status::joining;
    m_threads[m_running].waits_for = thread;
    pick_next();
  }
  state.join(m_running, thread);
  note({m_running, "join", where});
}

/// The strategy's choice among the threads that can go on. The one that runs comes first; then those whose time-out may
/// be due, because that too is a choice.
unsigned execution::pick_thread(bool stays) {
  m_candidates.clear();
  if (stays) m_candidates.push_back(m_running);
  const auto collect = [&](auto&& can_run) {
    for (unsigned t = 0; t < m_threads.size(); ++t) {
      if (!(stays && t == m_running) && can_run(m_threads[t])) m_candidates.push_back(t);
    }
  };
  collect([](const model_thread& t) { return t.doing == status::runnable; });
  const bool all_wait = m_candidates.empty();
  collect([](const model_thread& t) { return t.doing == status::waiting && t.deadline_ns != k_never; });
  if (all_wait) collect([](const model_thread& t) { return t.doing == status::yielded; });
  if (m_candidates.empty()) fail("deadlock: " + blocked_threads());
  if (m_candidates.size() == 1) return m_candidates[0];
  const unsigned choice = m_strategy.pick_thread(m_candidates, stays);
  m_choices.push_back(choice);
  return m_candidates[choice];
}

void execution::switch_to(unsigned next) {
  model_thread& t = m_threads[next];
  if (t.doing == status::waiting) { // time-out
    now_ns = std::max(now_ns, t.deadline_ns);
    note({next, "time-out", {}});
  }
  t.doing = status::runnable;
  if (next == m_running) return;
  fiber& from = *m_threads[m_running].stack;
  m_running = next;
  from.switch_to(*t.stack, thread_exceptions());
}

void execution::count_step() {
  if (++m_steps > k_steps_max) fail("no end after " + std::to_string(k_steps_max) + " steps: a loop makes no progress");
}

void execution::step() {
  count_step();
  switch_to(pick_thread(true));
}

void execution::pick_next() { switch_to(pick_thread(false)); }

void execution::yield(const std::source_location& where) {
  count_step();
  note({m_running, "spin", where});
  model_thread& self = m_threads[m_running];
  if (self.last_location != event::k_none && state.catch_up(m_running, self.last_location)) return;
  self.doing = status::yielded; // until somebody writes there
  pick_next();
}

void execution::note(const event& e) {
  m_events.push_back(e);
  if (e.location != event::k_none) m_threads[e.thread].last_location = e.location;
  if (e.written == event::k_none) return;
  for (unsigned t = 0; t < m_threads.size(); ++t) {
    if (m_threads[t].doing != status::yielded || m_threads[t].last_location != e.location) continue;
    state.catch_up(t, e.location);
    m_threads[t].doing = status::runnable;
  }
}

void execution::leave() {
  model_thread& self = m_threads[m_running];
  self.doing = status::ended;
  m_fibers.give(*self.stack);
  note({m_running, "end", {}});
  bool all_ended = true;
  for (model_thread& t : m_threads) {
    if (t.doing == status::joining && t.waits_for == m_running) t.doing = status::runnable;
    if (t.doing != status::ended) all_ended = false;
  }
  if (all_ended)
    self.stack->switch_to(m_fibers.host, thread_exceptions());
  else
    pick_next();
}

void execution::access(std::uint32_t location, const std::source_location& where) {
  if (const char* wrong = state.access(m_running, location)) fail(wrong, where);
}

std::uint32_t execution::pick_store(std::uint32_t oldest, std::uint32_t newest) {
  if (oldest == newest) return newest;
  const unsigned choice = m_strategy.pick_store(newest - oldest + 1);
  m_choices.push_back(choice);
  return newest - choice;
}

void execution::wait(const void* word, std::uint32_t location, std::int64_t deadline_ns,
                     const std::source_location& where) {
  note({m_running, "futex_wait", where, {}, location});
  model_thread& self = m_threads[m_running];
  self.doing = status::waiting;
  self.waits_for = location;
  self.word = word;
  self.deadline_ns = deadline_ns;
  pick_next();
}

void execution::wake(const void* word, int count, const std::source_location& where) {
  note({m_running, "futex_wake", where});
  for (model_thread& t : m_threads) {
    if (count == 0) return;
    if (t.doing != status::waiting || t.word != word) continue;
    t.doing = status::runnable;
    state.catch_up(static_cast<unsigned>(&t - m_threads.data()), t.waits_for);
    --count;
  }
}

void execution::fail(std::string reason, const std::source_location& where) {
  m_failure = std::move(reason);
  if (where.line() != 0) note({m_running, "here", where});
  m_fibers.drop(*m_threads[m_running].stack);
  m_threads[m_running].stack->switch_to(m_fibers.host,
                                        thread_exceptions()); // for good: what is on the fibers is dropped
  __builtin_unreachable();
}

std::string execution::choices() const {
  std::string text;
  for (unsigned choice : m_choices) text += choice_digit(choice);
  text.erase(text.find_last_not_of('0') + 1);
  return text.empty() ? "0" : text;
}

} // namespace treadle::check

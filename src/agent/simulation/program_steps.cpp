#include "agent/simulation/program_steps.hpp"

#include <algorithm>
#include <utility>

namespace treadle::agent {

program_steps::program_steps(const simulated_program& is, double noise, double iteration_noise, std::uint64_t seed)
    : m_is(is), m_noise(noise), m_iteration_noise(iteration_noise), m_random(seed) {}

double program_steps::varied(double work_s, double noise) {
  const double uniform = static_cast<double>(m_random() >> 11) / static_cast<double>(std::uint64_t{1} << 53);
  return work_s * (1 + noise * (2 * uniform - 1));
}

program_steps::begins program_steps::start(unsigned allowed) {
  begins b;
  m_is_here = true;
  m_allowed = std::min(allowed, m_is.workers);
  open_iteration(b);
  return b;
}

program_steps::begins program_steps::allow(unsigned workers) {
  begins b;
  const unsigned before = std::exchange(m_allowed, std::min(workers, m_is.workers));
  for (unsigned i = before; i < m_allowed && can_take(); ++i) take(b); // these are woken at once
  return b;
}

program_steps::begins program_steps::task_ended() {
  begins b;
  --m_running;
  if (--m_open == 0) {
    open_stage(m_stage + 1, b);
  } else if (m_is.rest_s > 0) {
    ++m_resting;
    b.rests = true;
  } else if (can_take()) {
    take(b);
  }
  return b;
}

program_steps::begins program_steps::rest_ended() {
  --m_resting;
  return look();
}

program_steps::begins program_steps::look() {
  begins b;
  if (can_take()) take(b);
  return b;
}

program_steps::begins program_steps::item_made(unsigned items) {
  begins b;
  m_items = items;
  if (m_is_here && m_stage == k_stages) open_iteration(b);
  return b;
}

void program_steps::take(begins& b) {
  --m_waiting;
  ++m_running;
  const double work_s = m_stage == k_tasks ? m_is.task_s * m_cost : m_stage < k_tasks ? m_is.before_s : m_is.after_s;
  b.work_s.push_back(varied(work_s, m_noise));
}

unsigned program_steps::tasks_of(std::size_t stage) const noexcept {
  if (stage == k_tasks) return m_is.tasks;
  return (stage < k_tasks ? m_is.before_s : m_is.after_s) > 0 ? 1 : 0;
}

void program_steps::open_iteration(begins& b) {
  m_stage = k_stages;
  if (m_is.wish.role == "consumer" && m_items <= m_iteration) return;
  m_cost = varied(m_is.cost[m_iteration % m_is.cost.size()], m_iteration_noise);
  open_stage(0, b);
}

/// The thread that has ended the stage before goes on at once, others find out.
void program_steps::open_stage(std::size_t stage, begins& b) {
  while (stage < k_stages && tasks_of(stage) == 0) ++stage;
  m_stage = stage;
  if (stage < k_stages) {
    m_waiting = m_open = tasks_of(stage);
    if (can_take()) take(b);
    return wake(m_allowed - std::min(m_allowed, m_running + m_resting), b);
  }
  ++m_iteration;
  b.made_item = true;
  if (has_ended())
    m_is_here = false;
  else
    open_iteration(b);
}

void program_steps::wake(unsigned threads, begins& b) {
  const unsigned some = std::min(threads, m_waiting);
  for (unsigned i = 0; i < some; ++i) {
    if (m_is.sleep_s > 0)
      b.looks_s.push_back(m_is.sleep_s * m_random.below(1u << 20) / (1u << 20));
    else if (can_take())
      take(b);
  }
}

double program_steps::progress() const noexcept {
  double done = m_iteration;
  if (m_is.fractions && m_stage == k_tasks)
    done += static_cast<double>(m_is.tasks - m_open) / static_cast<double>(m_is.tasks);
  else if (m_is.fractions && m_stage > k_tasks && m_stage < k_stages)
    done += 1;
  return done;
}

} // namespace treadle::agent

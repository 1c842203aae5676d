#include "agent_link/conversation.hpp"

#include "base/clock.hpp"
#include "observe/programs/state_sources.hpp"

#include <algorithm>
#include <cstdio>
#include <random>
#include <utility>

namespace treadle::detail {
namespace {

constexpr std::int64_t k_ms = 1'000'000;
constexpr std::int64_t k_hello_ns = 1000 * k_ms;     // again, as long as nobody answers
constexpr std::int64_t k_refused_ns = 30'000 * k_ms; // where somebody has refused
constexpr std::int64_t k_change_ns = 100 * k_ms;     // no more often because of other workers
constexpr std::int64_t k_effect_look_ns = 1 * k_ms;
constexpr std::int64_t k_idle_ns = 2 * k_ms;        // shorter pauses are not worth a message
constexpr std::int64_t k_idle_look_ns = 200 * k_ms; // how often it looks whether threads that are no workers compute
constexpr unsigned k_lease_most_ms = 3'600'000;

bool has_work(const program_state& state) noexcept { return state.active != 0 || state.queued != 0; }

} // namespace

std::string new_program_number() {
  std::random_device random;
  char text[33];
  std::snprintf(text, sizeof text, "%08x%08x%08x%08x", random(), random(), random(), random());
  return text;
}

conversation::conversation(std::string program, int pid, std::string name, std::int64_t now_ns, bool is_command)
    : m_program(std::move(program)),
      m_name(std::move(name)),
      m_pid(pid),
      m_is_command(is_command),
      m_alone_since_ns(now_ns) {}

void conversation::introduce(const core_wish& wish) {
  m_wish = wish;
  m_hello_due_ns = 0;
}

conversation::actions conversation::receive(const any_message& m, std::int64_t now_ns, const program_state& state) {
  actions result;
  if (const auto* const grant = std::get_if<message::grant>(&m)) {
    follow(*grant, now_ns, state, result);
  } else if (std::holds_alternative<message::who>(m)) {
    say_hello(now_ns, state, result);
  } else if (const auto* const refused = std::get_if<message::refused>(&m)) {
    m_status.trouble = refused->why;
    m_hello_due_ns = now_ns + k_refused_ns;
  }
  return result; // others are not for programs
}

conversation::actions conversation::look(std::int64_t now_ns, const program_state& state) {
  actions result;
  if (m_status.is_governed && now_ns >= m_lease_end_ns) {
    m_status.is_governed = false;
    m_effect.reset();
    m_pause_end_ns.reset();
    m_said_idle = false;
    m_alone_since_ns = now_ns;
    m_hello_due_ns = 0;
    result.govern = k_not_governed;
  }
  // Runtimes come and go; in between there are none.
  const bool has_changed = state.workers != 0 && state.workers != m_said_workers && now_ns >= m_said_ns + k_change_ns;
  if (now_ns >= m_hello_due_ns || has_changed) say_hello(now_ns, state, result);
  if (m_effect && now_ns >= m_effect->next_look_ns) tell_effect(now_ns, state, result);
  if (m_status.is_governed) tell_need(now_ns, state, result);
  return result;
}

std::int64_t conversation::next_look_ns() const noexcept {
  std::int64_t next = m_hello_due_ns;
  if (m_status.is_governed) next = std::min(next, m_lease_end_ns);
  if (m_effect) next = std::min(next, m_effect->next_look_ns);
  if (m_pause_end_ns && m_status.is_governed) next = std::min(next, *m_pause_end_ns);
  return next;
}

void conversation::say_hello(std::int64_t now_ns, const program_state& state, actions& to) {
  m_said_workers = std::max(state.workers, 1u);
  m_said_ns = now_ns;
  to.send.push_back(message::hello{m_program, m_pid, m_name, m_said_workers, m_wish, m_status.epoch, m_is_command});
  m_hello_due_ns = now_ns + k_hello_ns;
  m_said_idle = false; // who hears it knows nothing of that
  m_pause_end_ns.reset();
  m_patience_ns = k_idle_ns;
}

void conversation::follow(const message::grant& g, std::int64_t now_ns, const program_state& state, actions& to) {
  if (g.epoch < m_status.epoch) return; // overtaken by a later one
  const bool is_new = g.epoch != m_status.epoch;
  const std::int64_t lease_ns = std::min(g.lease_ms, k_lease_most_ms) * k_ms;
  m_lease_end_ns = now_ns + lease_ns;
  m_hello_due_ns = now_ns + lease_ns / 3 * 2; // the agent may have lost us
  m_alone_since_ns = k_never_ns;
  m_status.trouble.clear();
  if (is_new || !m_status.is_governed) {
    // Whatever an agent says: not more than there are, and no less than the program can work with, unless it pauses.
    const unsigned most = std::max(state.workers, 1u);
    const unsigned least = g.workers == 0 ? 0 : std::min(std::max(m_wish.least, 1u), most);
    m_status.granted = std::clamp(g.workers, least, most);
    m_status.epoch = g.epoch;
    m_status.reason = g.reason;
    m_status.is_governed = true;
    m_effect = pending_effect{now_ns, now_ns}; // as soon as it was passed on
    to.govern = m_status.granted;
    to.cpus = g.cpus;
  }
  to.send.push_back(message::ack{g.epoch});
}

void conversation::tell_effect(std::int64_t now_ns, const program_state& state, actions& to) {
  if (state.active > m_status.granted) {
    m_effect->next_look_ns = now_ns + k_effect_look_ns;
    return;
  }
  to.send.push_back(message::effective{m_status.epoch, static_cast<double>(now_ns - m_effect->since_ns) / 1e3});
  m_effect.reset();
}

/// Without tasks that could run, and without other threads that do, a program lends its cores.
void conversation::tell_need(std::int64_t now_ns, const program_state& state, actions& to) {
  if (has_work(state)) {
    m_pause_end_ns.reset();
    m_patience_ns = k_idle_ns;
    if (std::exchange(m_said_idle, false)) to.send.push_back(message::need{state.workers});
    return;
  }
  if (m_pause_end_ns && now_ns < *m_pause_end_ns) return;
  if (m_pause_end_ns) {
    const bool computes = state.outside != 0;
    m_patience_ns = std::min(2 * m_patience_ns, k_idle_look_ns);
    if (computes == m_said_idle) {
      to.send.push_back(message::need{computes ? state.workers : 0});
      m_said_idle = !computes;
    }
  }
  m_pause_end_ns = now_ns + m_patience_ns;
}

} // namespace treadle::detail

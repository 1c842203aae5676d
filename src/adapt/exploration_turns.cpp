#include "adapt/exploration_turns.hpp"

#include <algorithm>

namespace treadle::detail {

bool exploration_turns::take(const void* session) {
  std::lock_guard guard(m_mutex);
  if (m_holder == session) {
    m_refused = 0;
    return true;
  }
  const bool first = m_waiting.empty() || m_waiting.front() == session;
  if (!m_holder && first) {
    if (!m_waiting.empty()) m_waiting.erase(m_waiting.begin());
    m_holder = session;
    m_refused = 0;
    return true;
  }
  if (std::find(m_waiting.begin(), m_waiting.end(), session) == m_waiting.end()) m_waiting.push_back(session);
  if (++m_refused < k_patience) return false;
  // Whoever could go on does not ask.
  m_refused = 0;
  if (m_holder)
    m_holder = nullptr;
  else
    m_waiting.erase(m_waiting.begin()); // it asks again when it wants one
  return false;
}

void exploration_turns::done(const void* session) noexcept {
  std::lock_guard guard(m_mutex);
  if (m_holder != session) return;
  m_holder = nullptr;
  m_refused = 0;
}

void exploration_turns::leave(const void* session) noexcept {
  done(session);
  std::lock_guard guard(m_mutex);
  std::erase(m_waiting, session);
}

exploration_turns& process_turns() noexcept {
  static exploration_turns* turns = new exploration_turns; // never destroyed: sessions may be static objects
  return *turns;
}

} // namespace treadle::detail

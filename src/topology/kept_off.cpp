#include "topology/kept_off.hpp"

namespace treadle::detail {

// A machine with more hardware threads than cpu_set_t has bits refuses such a mask: there, nothing is changed.
kept_off::kept_off(int thread_id, int cpu) noexcept {
  if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(thread_id, sizeof m_before, &m_before) != 0) return;
  m_meanwhile = m_before;
  CPU_CLR(static_cast<unsigned>(cpu), &m_meanwhile);
  if (CPU_EQUAL(&m_meanwhile, &m_before) || CPU_COUNT(&m_meanwhile) == 0) return;
  if (sched_setaffinity(thread_id, sizeof m_meanwhile, &m_meanwhile) == 0) m_thread_id = thread_id;
}

kept_off::~kept_off() {
  cpu_set_t now;
  if (m_thread_id == 0 || sched_getaffinity(m_thread_id, sizeof now, &now) != 0 || !CPU_EQUAL(&now, &m_meanwhile))
    return;
  sched_setaffinity(m_thread_id, sizeof m_before, &m_before);
}

} // namespace treadle::detail

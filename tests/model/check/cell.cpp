#include "model/check/cell.hpp"

#include "model/check/execution.hpp"

namespace treadle::check {

void access_times::forget_other_executions() const {
  const unsigned id = execution::current()->id();
  if (m_execution == id) return;
  m_execution = id;
  m_writer = memory::k_nobody;
  m_read = {};
}

void access_times::read(const std::source_location& at) const {
  execution* e = execution::current();
  if (!e) return;
  forget_other_executions();
  m_read[e->thread()] = e->state.tick(e->thread());
  e->note({e->thread(), "plain read", at});
  if (e->state.knows(e->thread(), m_writer, m_written)) return;
  e->fail("data race: T" + std::to_string(e->thread()) + " reads what T" + std::to_string(m_writer) + " wrote", at);
}

void access_times::write(const std::source_location& at) const {
  execution* e = execution::current();
  if (!e) return;
  forget_other_executions();
  const unsigned self = e->thread();
  const std::uint32_t now = e->state.tick(self);
  e->note({self, "plain write", at});
  unsigned other = e->state.knows(self, m_writer, m_written) ? memory::k_nobody : m_writer;
  for (unsigned t = 0; t < k_threads_max; ++t) {
    if (!e->state.knows(self, t, m_read[t])) other = t;
  }
  m_writer = self;
  m_written = now;
  if (other == memory::k_nobody) return;
  e->fail("data race: T" + std::to_string(self) + " writes what T" + std::to_string(other) + " used", at);
}

} // namespace treadle::check

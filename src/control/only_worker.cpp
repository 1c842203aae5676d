#include "control/only_worker.hpp"

#include "task/engine/scheduler.hpp"

#include <treadle/runtime.hpp>

#include <utility>

namespace treadle::detail {

bool only_worker::want(bool wanted) {
  if (!wanted) {
    end();
    return true;
  }
  runtime* const now = runtime::current_or_null();
  if (!now || now->concurrency() <= 1) return true;
  const unsigned granted = scheduler::of(*now).active.granted(); // or by somebody since
  now->set_concurrency(1);
  m_of = now;
  m_granted = granted;
  return false;
}

void only_worker::end() {
  // What the program has changed meanwhile stays, and another runtime is not touched.
  runtime* const of = std::exchange(m_of, nullptr);
  if (!of || of != runtime::current_or_null() || m_granted > of->max_concurrency()) return;
  if (scheduler::of(*of).active.granted() == 1) of->set_concurrency(m_granted);
}

only_worker::~only_worker() { end(); }

} // namespace treadle::detail

#include "control/only_worker.hpp"

#include "task/engine/scheduler.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/runtime.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace treadle::detail {
namespace {

constinit atomic<bool> g_exists{false};

} // namespace

only_worker::only_worker() {
  if (g_exists.exchange(true, order::relaxed))
    throw std::runtime_error(
        "grain_tuner: the policy paper-costs lets its program have one worker for a while, so there "
        "is one tuner with it at a time");
}

bool only_worker::want(bool wanted) {
  if (!wanted) {
    end();
    return true;
  }
  runtime* const now = runtime::current_or_null();
  if (!now || now->concurrency() <= 1) return true;
  const unsigned granted = scheduler::of(*now).active.granted(); // or by somebody since
  try {
    now->set_concurrency(1);
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument(std::string("grain_tuner: the policy paper-costs measures with one worker: ") +
                                e.what());
  }
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

only_worker::~only_worker() {
  end();
  g_exists.store(false, order::relaxed);
}

} // namespace treadle::detail

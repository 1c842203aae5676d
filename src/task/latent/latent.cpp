#include <treadle/detail/latent.hpp>

#include "base/clock.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/scheduler.hpp"
#include "task/latent/promoted_task.hpp"
#include "task/timing.hpp"

#include <treadle/detail/intrusive_ptr.hpp>

#include <thread>

namespace treadle::detail {

void promoted_task::execute(sharing) noexcept {
  m_taken_by.store(this_worker(), order::relaxed);
  std::exception_ptr thrown;
  try {
    kind->run(*this);
  } catch (...) {
    thrown = std::current_exception();
  }
  complete_with(std::move(thrown)); // the joiner may destroy what the task refers to from here on
}

void promoted_task::await_thief() const noexcept {
  if (is_ready() || !is_claimed()) return;
  const worker& here = *this_worker();
  const std::int64_t deadline = ticks_now() + ns_to_ticks(timing::k_join_spin);
  while (!is_ready() && m_taken_by.load(order::relaxed) != &here && here.tasks.empty() && ticks_now() < deadline) {
    cpu_relax();
  }
}

void promoted_task::join() noexcept {
  if (TREADLE_UNLIKELY(forked_in_task.load(order::relaxed))) end_forked_task(); // who has the task is in the parent
  await_thief();
  try {
    wait();
  } catch (...) {
    // No stack to suspend on, and this frame must stay until the task is done: run it here whatever room is left, or
    // keep the thread until the one that runs it has finished.
    try_run();
    while (!is_ready()) std::this_thread::yield();
  }
  if (promoted_by != this_worker()) return;
  promoted_by->latent.note_joined(m_taken_by.load(order::relaxed) != promoted_by);
  promoted_by->latent.take_back(*this);
}

bool latent_fork::promote(latent_work& work, promoted_task& task, bool) noexcept {
  auto& fork = static_cast<latent_fork&>(work);
  task.fork = &fork;
  fork.m_task = &task;
  fork.m_kind = nullptr;
  return true;
}

latent_fork& latent_fork::of(promoted_task& task) noexcept { return *task.fork; }

void latent_fork::finish() {
  const auto task = intrusive_ptr<promoted_task>::adopt(m_task);
  if (task->whole_stack) this_task_stack()->newest = nullptr;
  task->join();
  if (task->failure()) std::rethrow_exception(task->failure());
}

void latent_fork::finish_unwinding(task_stack& current, latent_work* older) noexcept {
  try {
    if (unlink(current, older)) {
      promoted_task here; // never queued: only what run() needs
      const latent_kind* kind = m_kind;
      promote(*this, here, true);
      kind->run(here);
    } else {
      finish();
    }
  } catch (...) { // the exception that unwinds came first
  }
}

void latent_work::promote_oldest(task_stack& current) noexcept { current.runner->promote_oldest(current); }

} // namespace treadle::detail

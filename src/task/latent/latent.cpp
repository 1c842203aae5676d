#include <treadle/detail/latent.hpp>

#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/scheduler.hpp"
#include "task/engine/tunables.hpp"
#include "task/latent/nudge.hpp"
#include "task/latent/promoted_task.hpp"

#include <treadle/detail/intrusive_ptr.hpp>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace treadle::detail {

namespace {
// A nudge costs the busy worker a microsecond or two, even when it has nothing to give.
constexpr std::int64_t k_nudge_pause_ns_min = 50'000, k_nudge_pause_ns_max = 2'000'000;
// How long a join spins before it leaves its stack.
constexpr std::int64_t k_patience_ns = 3'000;
} // namespace

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
  const std::int64_t deadline = ticks_now() + ns_to_ticks(k_patience_ns);
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
    // keep the thread until whoever runs it has finished.
    run_unqueued();
    while (!is_ready()) std::this_thread::yield();
  }
  if (promoted_by != this_worker()) return;
  promoted_by->note_promoted(m_taken_by.load(order::relaxed) != promoted_by);
  promoted_by->take_back(*this);
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

namespace {

/// Keeps answer_nudge() away.
class promoting {
 public:
  explicit promoting(bool& flag) noexcept : m_flag(flag), m_before(std::exchange(flag, true)) { signal_fence(); }
  ~promoting() {
    signal_fence();
    m_flag = m_before;
  }
  promoting(const promoting&) = delete;
  promoting& operator=(const promoting&) = delete;

 private:
  bool& m_flag;
  const bool m_before;
};

} // namespace

bool worker::fill(promoted_task& task, latent_work& record, bool all) noexcept {
  task.kind = record.m_kind;
  if (!task.kind->promote(record, task, all)) return false;
  task.promoted_by = this;
  task.whole_stack = all;
  task.add_ref();
  return true;
}

bool worker::promote(latent_work& record, bool all) {
  const promoting guard(m_promotes);
  auto task = intrusive_ptr<promoted_task>::adopt(new promoted_task);
  if (!fill(*task, record, all)) return false;
  counters.promoted.increment_unshared();
  counters.created.increment_unshared();
  const bool worth_waking = task->worth_waking;
  tell(event_kind::promotion, *task);
  tell(event_kind::task_created, *task);
  // A backlog: the oldest work is the last that its owner comes back to.
  if (queue(*task.detach()) != 0 && worth_waking) m_scheduler.notify_work(true);
  return true;
}

template <class Give>
bool worker::give_oldest(task_stack& current, Give give) {
  for (const latent_work* end = nullptr;;) {
    latent_work* oldest = nullptr;
    for (latent_work* record = current.newest; record != end; record = record->m_older) {
      if (record->m_kind) oldest = record;
    }
    if (!oldest) return false;
    if (give(*oldest)) return true;
    end = oldest; // it has nothing to give
  }
}

/// Nothing inside of a listener or rule: who runs it might have to wait for the end of that call.
void worker::promote_oldest(task_stack& current) noexcept {
  if (callback_scope::is_inside()) return;
  if (is_asked_to_leave()) return give_way();
  const bool recorded = forks_are_recorded.load(order::relaxed);
  if (!recorded && (!tasks.empty() || m_handed.load(order::relaxed))) return; // there is something to steal already
  if (!recorded && ticks_now() < m_promote_after) return;
  const promoting guard(m_promotes);
  try {
    if (TREADLE_UNLIKELY(recorded)) {
      latent_work* newest = current.newest; // each record in its turn, whether somebody wants it or not
      while (newest && !newest->m_kind) newest = newest->m_older;
      if (newest) promote(*newest, false);
      return;
    }
    give_oldest(current, [this](latent_work& record) { return promote(record, false); });
  } catch (...) { // no memory: it stays latent
  }
}

bool worker::nudge() noexcept {
  if (looks_for_work.load(order::relaxed) || !tasks.empty()) return false;
  const std::int64_t now = ticks_now();
  if (now < m_nudge_after.load(order::relaxed)) return false;
  if (!m_empty_task.load(order::relaxed)) {
    try {
      auto* task = new promoted_task;
      promoted_task* none = nullptr;
      if (!m_empty_task.compare_exchange(none, task, order::release, order::relaxed)) task->release();
    } catch (...) { // no memory: the work stays where it is
      return false;
    }
  }
  const std::int64_t pause_ns = std::max(m_nudge_pause_ns.load(order::relaxed), k_nudge_pause_ns_min);
  m_nudge_pause_ns.store(pause_ns, order::relaxed);
  m_nudge_after.store(now + ns_to_ticks(pause_ns), order::relaxed);
  send_nudge(thread_id.load(order::relaxed));
  return true;
}

void worker::answer_nudge(task_stack& current) noexcept {
  if (m_promotes || !tasks.empty() || m_handed.load(order::relaxed) || callback_scope::is_inside()) return;
  promoted_task* task = m_empty_task.load(order::acquire); // pairs with nudge(), which only replaces null
  // While forks are recorded, each becomes a task as it is linked, and only then is its creation recorded.
  const bool no_forks = forks_are_recorded.load(order::relaxed);
  const bool given = task && give_oldest(current, [&](latent_work& record) {
                       if (no_forks && record.m_kind->promote == &latent_fork::promote) return false;
                       return fill(*task, record, false);
                     });
  if (given) {
    m_empty_task.store(nullptr, order::relaxed);
    m_handed.store(task, order::release); // pairs with take_handed()
    const int interrupted = errno;
    m_scheduler.idle.notify_work(true); // whoever asked may not wait for the answer any more
    errno = interrupted;
  }
  m_nudge_pause_ns.store(given ? 0 : std::min(2 * m_nudge_pause_ns.load(order::relaxed), k_nudge_pause_ns_max),
                         order::relaxed);
}

promoted_task* worker::take_handed() noexcept {
  if (TREADLE_LIKELY(!m_handed.load(order::relaxed))) return nullptr;
  return m_handed.exchange(nullptr, order::acquire); // pairs with answer_nudge()
}

job* worker::accept_handed(worker& other) noexcept {
  promoted_task* const task = other.take_handed();
  if (!task) return nullptr;
  counters.promoted.increment_unshared();
  counters.created.increment_unshared();
  tell(event_kind::promotion, *task); // the signal handler that made the task could not
  if (!task->is_claimed()) tell(event_kind::task_created, *task);
  return task;
}

void worker::take_back(promoted_task& task) noexcept {
  promoted_task* handed = &task;
  if (TREADLE_LIKELY(m_handed.load(order::relaxed) != handed)) return;
  if (m_handed.compare_exchange(handed, nullptr, order::relaxed, order::relaxed)) task.release();
}

void worker::promote_all(task_stack& current) {
  if (!current.newest) return;
  const promoting guard(m_promotes);
  if (job* oldest = accept_handed(*this)) push(*oldest);
  // From old to new, so that thieves get the oldest: turn the links round, and on the way back set them right.
  latent_work* record = std::exchange(current.newest, nullptr);
  latent_work* newer = nullptr;
  while (record) {
    latent_work* older = std::exchange(record->m_older, newer);
    newer = std::exchange(record, older);
  }
  std::exception_ptr failure;
  latent_work* older = nullptr;
  for (record = newer; record; record = newer) {
    newer = std::exchange(record->m_older, older);
    older = record;
    if (failure || !record->m_kind) continue;
    try {
      promote(*record, true);
    } catch (...) { // no memory: the rest stays latent
      failure = std::current_exception();
    }
  }
  if (!failure) return; // the list stays empty: nothing older than this will be latent again
  current.newest = older;
  std::rethrow_exception(failure);
}

void worker::end_promotion_pause(bool worth_waking) noexcept {
  if (worth_waking || m_scheduler.idle.somebody_searches()) m_promote_after = 0;
}

void worker::note_promoted(bool stolen) noexcept {
  const std::int64_t pause_ns = tunables::promotion_pause;
  m_promotion_pause_ns = stolen ? 0 : std::clamp(2 * m_promotion_pause_ns, pause_ns, 20 * pause_ns);
  m_promote_after = stolen ? 0 : ticks_now() + ns_to_ticks(m_promotion_pause_ns);
}

} // namespace treadle::detail

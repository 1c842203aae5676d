#include "task/latent/latent_promotion.hpp"

#include "base/clock.hpp"
#include "task/counters/task_events.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/scheduler.hpp"
#include "task/engine/tunables.hpp"
#include "task/latent/nudge.hpp"
#include "task/latent/promoted_task.hpp"
#include "task/timing.hpp"

#include <treadle/detail/intrusive_ptr.hpp>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

namespace treadle::detail {

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

latent_promotion::latent_promotion(worker& owner) noexcept : m_owner(owner) {}
latent_promotion::~latent_promotion() = default;

bool latent_promotion::fill(promoted_task& task, latent_work& record, bool all) noexcept {
  task.kind = record.m_kind;
  if (!task.kind->promote(record, task, all)) return false;
  task.promoted_by = &m_owner;
  task.whole_stack = all;
  task.add_ref();
  return true;
}

bool latent_promotion::promote(latent_work& record, bool all) {
  const promoting guard(m_promotes);
  auto task = intrusive_ptr<promoted_task>::adopt(new promoted_task);
  if (!fill(*task, record, all)) return false;
  m_owner.counters.promoted.increment_unshared();
  m_owner.counters.created.increment_unshared();
  const bool worth_waking = task->worth_waking;
  tell(event_kind::promotion, *task);
  tell(event_kind::task_created, *task);
  // A backlog: the oldest work is the last that its owner comes back to.
  if (m_owner.queue(*task.detach()) != 0 && worth_waking) m_owner.owner().notify_work(true);
  return true;
}

template <class Give>
bool latent_promotion::give_oldest(task_stack& current, Give give) {
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

void latent_promotion::promote_oldest(task_stack& current) noexcept {
  const bool recorded = forks_are_recorded.load(order::relaxed);
  if (!recorded && (!m_owner.tasks.empty() || m_handed.is_full())) return; // there is something to steal already
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

bool latent_promotion::nudge() noexcept {
  if (m_owner.looks_for_work.load(order::relaxed) || !m_owner.tasks.empty()) return false;
  const std::int64_t now = ticks_now();
  if (now < m_nudge_after.load(order::relaxed)) return false;
  if (m_handed.lacks_empty()) {
    try {
      m_handed.leave_empty(new promoted_task);
    } catch (...) { // no memory: the work stays where it is
      return false;
    }
  }
  const std::int64_t pause_ns = std::max(m_nudge_pause_ns.load(order::relaxed), timing::k_between_nudges);
  m_nudge_pause_ns.store(pause_ns, order::relaxed);
  m_nudge_after.store(now + ns_to_ticks(pause_ns), order::relaxed);
  send_nudge(m_owner.thread_id.load(order::relaxed));
  return true;
}

void latent_promotion::answer_nudge(task_stack& current) noexcept {
  if (m_promotes || !m_owner.tasks.empty() || m_handed.is_full() || callback_scope::is_inside()) return;
  promoted_task* task = m_handed.empty();
  // While forks are recorded, each becomes a task as it is linked, and only then is its creation recorded.
  const bool no_forks = forks_are_recorded.load(order::relaxed);
  const bool given = task && give_oldest(current, [&](latent_work& record) {
                       if (no_forks && record.m_kind->promote == &latent_fork::promote) return false;
                       return fill(*task, record, false);
                     });
  if (given) {
    m_handed.hand_over(task);
    const int interrupted = errno;
    m_owner.owner().idle.notify_work(true); // who asked may not wait for the answer any more
    errno = interrupted;
  }
  m_nudge_pause_ns.store(given ? 0 : std::min(2 * m_nudge_pause_ns.load(order::relaxed), timing::k_between_nudges_max),
                         order::relaxed);
}

job* latent_promotion::accept_from(latent_promotion& other) noexcept {
  promoted_task* const task = other.m_handed.take();
  if (!task) return nullptr;
  m_owner.counters.promoted.increment_unshared();
  m_owner.counters.created.increment_unshared();
  tell(event_kind::promotion, *task); // the signal handler that made the task could not
  if (!task->is_claimed()) tell(event_kind::task_created, *task);
  return task;
}

void latent_promotion::take_back(promoted_task& task) noexcept {
  if (m_handed.take_back(task)) task.release();
}

void latent_promotion::promote_all(task_stack& current) {
  if (!current.newest) return;
  const promoting guard(m_promotes);
  if (job* oldest = accept_from(*this)) m_owner.push(*oldest);
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

void latent_promotion::end_pause(bool worth_waking) noexcept {
  if (worth_waking || m_owner.owner().idle.somebody_searches()) m_promote_after = 0;
}

void latent_promotion::note_joined(bool stolen) noexcept {
  const std::int64_t pause_ns = tunables::promotion_pause;
  m_pause_ns = stolen ? 0 : std::clamp(2 * m_pause_ns, pause_ns, 20 * pause_ns);
  m_promote_after = stolen ? 0 : ticks_now() + ns_to_ticks(m_pause_ns);
}

} // namespace treadle::detail

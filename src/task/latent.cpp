#include <treadle/detail/latent.hpp>

#include "task/scheduler.hpp"

#include <thread>

namespace treadle::detail {

/// The task that a latent fork becomes when it is promoted. The joiner holds one reference through the record, the
/// queue another, so neither has to care what the other does with it.
class promoted_fork final : public future_state {
 public:
  explicit promoted_fork(latent_fork& record) noexcept : m_record(record) { make_claimable(false); }

  /// Makes the record a task of `w`. The record must be the oldest of its list; the caller unlinks it.
  static void promote(worker& w, latent_fork& record) {
    auto* task = new promoted_fork(record);
    task->add_ref();
    record.m_promoted = task;
    w.counters.promoted.increment_unshared();
    w.counters.created.increment_unshared();
    w.push(*task);
  }

 private:
  void execute() noexcept override {
    try {
      m_record.m_call(m_record.m_argument);
    } catch (...) {
      m_record.exception = std::current_exception();
    }
    complete(); // the joiner may destroy the record from here on
  }

  latent_fork& m_record;
};

latent_fork::latent_fork(void (*call)(void*), void* argument) noexcept : m_call(call), m_argument(argument) {
  worker* w = this_worker();
  if (!w) return;
  m_list = w;
  m_older = w->newest;
  w->newest = this;
  if (TREADLE_UNLIKELY(w->hungry->load(order::relaxed) != 0)) w->promote_oldest_fork();
}

bool latent_fork::join() {
  if (TREADLE_LIKELY(!m_promoted)) {
    // Not promoted, so the stack was never left since: this is still the same worker, and the record its newest.
    if (m_list) m_list->newest = m_older;
    return true;
  }
  worker* w = this_worker();
  if (w->newest == this) w->newest = nullptr; // everything older is promoted too
  try {
    m_promoted->wait();
  } catch (...) {
    // No stack to suspend on, and this frame must stay until the other half is done: run it here whatever room is left,
    // or keep the thread until whoever runs it has finished.
    m_promoted->run_unqueued();
    while (!m_promoted->is_ready()) std::this_thread::yield();
  }
  m_promoted->release();
  return false;
}

/// The list is linked from new to old and promotion takes the oldest, so it walks the list; it stops below a record
/// that is promoted, because everything older is promoted too.
void worker::promote_oldest_fork() noexcept {
  if (!tasks.empty()) return; // there is something to steal already
  latent_fork* oldest = nullptr;
  for (latent_fork* record = newest; record && !record->m_promoted; record = record->m_older) oldest = record;
  if (!oldest) return;
  try {
    promoted_fork::promote(*this, *oldest);
  } catch (...) { // no memory: it stays latent
  }
}

void worker::promote_all_forks() {
  latent_fork* oldest_first = nullptr;
  for (latent_fork* record = std::exchange(newest, nullptr); record && !record->m_promoted;) {
    latent_fork* older = std::exchange(record->m_older, oldest_first);
    oldest_first = std::exchange(record, older);
  }
  while (oldest_first) {
    latent_fork* next = oldest_first->m_older;
    try {
      promoted_fork::promote(*this, *oldest_first);
    } catch (...) { // no memory: the rest stays latent, linked from new to old as before
      latent_fork* older = nullptr;
      for (latent_fork* record = oldest_first; record; record = next) {
        next = std::exchange(record->m_older, older);
        newest = older = record;
      }
      throw;
    }
    oldest_first = next;
  }
}

} // namespace treadle::detail

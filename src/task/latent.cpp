#include <treadle/detail/latent.hpp>

#include "task/scheduler.hpp"

#include <treadle/detail/intrusive_ptr.hpp>

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
    w.push(*task, true); // the oldest fork is the last that its owner comes back to
  }

  const std::exception_ptr& failure() const noexcept { return m_exception; }

 private:
  void execute() noexcept override {
    std::exception_ptr thrown;
    try {
      m_record.m_call(m_record.m_argument);
    } catch (...) {
      thrown = std::current_exception();
    }
    complete_with(std::move(thrown)); // the joiner may destroy the record from here on
  }

  latent_fork& m_record;
};

void latent_fork::promote_oldest(fork_list& list) noexcept { static_cast<worker&>(list).promote_oldest_fork(); }

void latent_fork::await() noexcept {
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
}

void latent_fork::finish() {
  await();
  const auto task = intrusive_ptr<promoted_fork>::adopt(m_promoted);
  if (task->failure()) std::rethrow_exception(task->failure());
}

void latent_fork::finish_unwinding(fork_list& list) noexcept {
  if (take_back(list)) {
    try {
      m_call(m_argument);
    } catch (...) { // the exception that unwinds came first
    }
  } else {
    await();
    m_promoted->release();
  }
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

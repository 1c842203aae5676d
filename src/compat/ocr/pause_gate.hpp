#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

#include <cstdint>
#include <mutex>

namespace treadle::ocr {

/// What runs, counted by each thread for itself, and a gate that somebody may close. Who begins or ends counts that
/// first and then looks at the gate; who closes it does that first and then adds up, so that one of both sees the other
/// (docs/design/ocr.md, "A pause").
///
/// `own_counts()` returns those of the thread that calls it; a task may go on with another thread after a wait. No wait
/// lasts when `is_given_up()`.
template <class Mutex, class Condition>
class pause_gate {
 public:
  /// Of one thread, which alone writes them. They are never freed, because others add them up.
  class alignas(detail::k_cache_line) counts {
    friend class pause_gate;
    detail::atomic<std::uint64_t> begun{0}, ended{0};
    detail::plain<counts*> next = nullptr;
  };

  /// Once, by the thread that the counts are for.
  void add(counts& of_thread) noexcept {
    counts* head = m_all.load(detail::order::relaxed);
    do of_thread.next = head;
    while (!m_all.compare_exchange(head, &of_thread, detail::order::release,
                                   detail::order::relaxed)); // pairs with running()
  }

  /// Counts one more that runs. Blocks while the gate is closed.
  template <class Counts, class F>
  void begin(Counts own_counts, F is_given_up) {
    while (TREADLE_UNLIKELY(!enter(own_counts())) && !is_given_up()) {
      end(own_counts());
      std::unique_lock guard(m_lock);
      wait_until_open(guard, is_given_up);
    }
  }
  void end(counts& mine) {
    if (TREADLE_LIKELY(!leave(mine))) return;
    const std::lock_guard guard(m_lock); // who has closed the gate either sees it, or waits by now
    m_one_ended.notify_all();
  }

  // acquire: pairs with open(); what was done while the gate was closed has happened.
  bool is_closed() const noexcept { return m_closed.load(detail::order::acquire) != 0; }

  /// True when the gate is closed and nothing runs but the caller, if it does itself (`runs`). False: somebody else had
  /// closed it and the caller does not want to wait (`waits`), or it is given up. Blocks.
  template <class Counts, class F>
  bool close(bool runs, bool waits, Counts own_counts, F is_given_up) {
    std::unique_lock guard(m_lock);
    while (is_closed() && !is_given_up()) {
      if (!waits) return false;
      guard.unlock();
      if (runs) end(own_counts()); // who has closed it waits for that
      guard.lock();
      wait_until_open(guard, is_given_up);
      guard.unlock();
      if (runs) begin(own_counts, is_given_up);
      guard.lock();
    }
    if (is_given_up()) return false;
    m_closed.store(1, detail::order::relaxed);
    detail::heavy_fence();
    const std::uint64_t own = runs ? 1 : 0;
    m_one_ended.wait(guard, [&] { return running() <= own || is_given_up(); });
    return true;
  }
  void open() {
    {
      const std::lock_guard guard(m_lock);
      m_closed.store(0, detail::order::release);
    }
    m_opened.notify_all();
    m_one_ended.notify_all(); // given up, perhaps
  }

 private:
  bool enter(counts& mine) noexcept {
    mine.begun.increment_unshared();
    detail::light_fence();
    return !is_closed();
  }
  /// True: somebody may wait for that.
  bool leave(counts& mine) noexcept {
    // release: pairs with running(); what it did has happened.
    mine.ended.store(mine.ended.load(detail::order::relaxed) + 1, detail::order::release);
    detail::light_fence();
    return is_closed();
  }
  template <class F>
  void wait_until_open(std::unique_lock<Mutex>& guard, F is_given_up) {
    m_opened.wait(guard, [&] { return !is_closed() || is_given_up(); });
  }

  /// All that run, and sometimes one that is about to leave; while the gate is closed.
  std::uint64_t running() const noexcept {
    // First those that have ended: one that runs is never left out because its end was counted and its beginning not.
    std::uint64_t ended = 0, begun = 0;
    for (counts* one = m_all.load(detail::order::acquire); one; one = one->next)
      ended += one->ended.load(detail::order::acquire);
    for (counts* one = m_all.load(detail::order::acquire); one; one = one->next)
      begun += one->begun.load(detail::order::relaxed);
    return begun - ended;
  }

  Mutex m_lock;
  Condition m_opened, m_one_ended;
  detail::atomic<counts*> m_all{nullptr};
  detail::atomic<std::uint32_t> m_closed{0};
};

} // namespace treadle::ocr

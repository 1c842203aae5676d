#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

#include <cstdint>

namespace treadle::ocr {

/// What runs, counted by each thread for itself, and a gate that somebody may close. Who begins or ends counts that
/// first and then looks at the gate; who closes it does that first and then adds up, so that one of both sees the other
/// (docs/design/ocr.md, "A pause").
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

  /// Counts one more that runs. False: the gate is closed, so that it has to leave again and to wait.
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

  // acquire: pairs with open(); what was done in the pause has happened.
  bool is_closed() const noexcept { return m_closed.load(detail::order::acquire) != 0; }
  /// From now on running() counts all that run, and sometimes one that is about to leave. Who leaves later says so. One
  /// caller at a time.
  void close() noexcept {
    m_closed.store(1, detail::order::relaxed);
    detail::heavy_fence();
  }
  void open() noexcept { m_closed.store(0, detail::order::release); }

  std::uint64_t running() const noexcept {
    // First those that have ended: one that runs is never left out because its end was counted and its beginning not.
    std::uint64_t ended = 0, begun = 0;
    for (counts* one = m_all.load(detail::order::acquire); one; one = one->next)
      ended += one->ended.load(detail::order::acquire);
    for (counts* one = m_all.load(detail::order::acquire); one; one = one->next)
      begun += one->begun.load(detail::order::relaxed);
    return begun - ended;
  }

 private:
  detail::atomic<counts*> m_all{nullptr};
  detail::atomic<std::uint32_t> m_closed{0};
};

} // namespace treadle::ocr

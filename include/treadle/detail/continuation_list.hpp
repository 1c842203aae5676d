#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/continuation.hpp>

namespace treadle::detail {

/// Whether anybody but the caller can get at a state while it is completed.
enum class sharing : bool { shared, unshared };

/// One word: the continuations of a future until it is ready, and then that it is ready. docs/design/task.md
class continuation_list {
 public:
  bool is_ready() const noexcept { return m_word.load(order::acquire) == k_ready; } // pairs with complete()

  /// False, and nothing done, when ready already.
  bool try_attach(continuation& c) noexcept;
  /// Takes an attached continuation back; false when it is not there (any more): it was or will be fired. Constant
  /// time, amortised over what was attached.
  bool withdraw(continuation& c) noexcept;
  /// Publishes what the caller wrote before, and fires. Once. The list may be gone as soon as it is ready: a
  /// continuation's owner, or somebody who looked at is_ready(), may destroy it.
  void complete() noexcept { fire(publish()); }
  /// The two halves of it. What publish() returns is to be fired.
  [[nodiscard]] continuation* publish() noexcept;
  static void fire(continuation* first) noexcept;
  /// The same while nobody else looks at the list: without a locked instruction.
  void complete_unshared() noexcept {
    if (TREADLE_UNLIKELY(m_word.load(order::relaxed) != 0)) return complete();
    m_word.store(k_ready, order::relaxed);
  }

 private:
  static void link_back(continuation* newest) noexcept;

  // k_ready once complete, otherwise a list linked from new to old; with k_locked while somebody takes one out.
  static constexpr std::uintptr_t k_ready = 1, k_locked = 2;

  atomic<std::uintptr_t> m_word{0};
};

} // namespace treadle::detail

#pragma once

#include <treadle/detail/atomic.hpp>

#include <algorithm>

namespace treadle::detail {

/// How long something was the case, in ticks, the time that it is the case right now included. One thread begins and
/// ends, any thread reads.
///
/// Sum and state are one word, so a reader never sees the one without the other: 2 * sum while it is not the case,
/// 2 * (sum - when it began) + 1 while it is.
class interval_sum {
 public:
  void begin(std::int64_t now) noexcept {
    m_word.store(2 * (m_word.load(order::relaxed) / 2 - now) + 1, order::relaxed);
  }
  void end(std::int64_t now) noexcept { m_word.store(2 * sum(m_word.load(order::relaxed), now), order::relaxed); }

  bool is_open() const noexcept { return m_word.load(order::relaxed) & 1; }
  std::int64_t read(std::int64_t now) const noexcept {
    return std::max<std::int64_t>(sum(m_word.load(order::relaxed), now), 0); // clocks of two cores may differ a little
  }

 private:
  static std::int64_t sum(std::int64_t word, std::int64_t now) noexcept { return (word >> 1) + (word & 1 ? now : 0); }

  atomic<std::int64_t> m_word{0};
};

} // namespace treadle::detail

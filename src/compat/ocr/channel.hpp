#pragma once

#include "compat/ocr/delivery.hpp"

#include <cstddef>
#include <deque>

namespace treadle::ocr {

/// What a channel event has: satisfactions without a dependence, or dependences without a satisfaction, in their order.
/// With the lock of the event.
class channel {
 public:
  static bool is_possible(const ocrEventChannelParams_t& p) noexcept {
    return p.maxGen != 0 && p.nbSat == 1 && p.nbDeps == 1;
  }
  explicit channel(const ocrEventChannelParams_t& p) noexcept : m_most(p.maxGen) {}

  std::uint8_t satisfy(std::uint64_t db, fired& next);
  std::uint8_t add(const target& to, fired& now);
  bool is_ready() const noexcept { return !m_satisfactions.empty(); }
  std::size_t dependences() const noexcept { return m_dependences.size(); }

 private:
  bool is_full(std::size_t n) const noexcept { return m_most != EVENT_CHANNEL_UNBOUNDED && n >= m_most; }

  const std::uint32_t m_most;
  std::deque<std::uint64_t> m_satisfactions;
  std::deque<target> m_dependences;
};

} // namespace treadle::ocr

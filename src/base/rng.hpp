#pragma once

#include <cstdint>

namespace treadle::detail {

/// Small fast generator for scheduling decisions (Marsaglia, "Xorshift RNGs", 2003). Not for statistics.
class xorshift {
 public:
  explicit constexpr xorshift(std::uint64_t seed) noexcept : m_state(seed * 0x9E3779B97F4A7C15u | 1u) {}

  constexpr std::uint64_t operator()() noexcept {
    m_state ^= m_state << 13;
    m_state ^= m_state >> 7;
    m_state ^= m_state << 17;
    return m_state;
  }
  /// Uniform enough in [0, bound), bound > 0.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((operator()() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t m_state;
};

} // namespace treadle::detail

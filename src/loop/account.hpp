#pragma once

#include <treadle/detail/atomic.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace treadle::loop {

/// Time that may be spent: a share of the time that passes. One word, any thread.
class account {
 public:
  /// 0: without a limit.
  constexpr explicit account(double share) noexcept : m_share(share) {}

  /// What there is to spend; negative after a surprise. Time passes from the first question on. `need`: of who asks,
  /// who saves until it is there.
  double credit_ns(std::int64_t now_ns, double need_ns = 0) noexcept {
    if (m_share <= 0) return std::numeric_limits<double>::infinity();
    std::int64_t since = m_since_ns.load(detail::order::relaxed);
    // What a long calm leaves is not spent at once, and no surprise is paid for ever.
    const auto longest_ns =
        static_cast<std::int64_t>(std::max(k_longest_ns, std::min(2 * need_ns / m_share, k_most_ns)));
    const std::int64_t bounded =
        since == 0 ? now_ns : std::clamp(since, now_ns - longest_ns, now_ns + static_cast<std::int64_t>(k_longest_ns));
    if (bounded != since && m_since_ns.compare_exchange(since, bounded, detail::order::relaxed, detail::order::relaxed))
      since = bounded;
    return m_share * static_cast<double>(now_ns - since);
  }
  /// Before the first question there is nothing that could be spent.
  void spend(double ns) noexcept {
    if (!(m_share > 0 && ns > 0) || m_since_ns.load(detail::order::relaxed) == 0) return;
    m_since_ns.fetch_add(static_cast<std::int64_t>(std::min(ns / m_share, k_longest_ns)), detail::order::relaxed);
  }

 private:
  static constexpr double k_longest_ns = 100e9, k_most_ns = 1e18;

  const double m_share;
  detail::atomic<std::int64_t> m_since_ns{0}; // all that was earned before is spent; 0: nobody has asked
};

} // namespace treadle::loop

#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::detail {

/// What policies and sessions have done in this process, for the counters /policies and /tuning.
struct tuning_totals {
  atomic<std::uint64_t> policy_calls, policy_failures, policy_ns;
  atomic<std::uint64_t> windows, voids, epochs, session_ns;

  static void add(atomic<std::uint64_t>& to, std::uint64_t by = 1) noexcept { to.fetch_add(by, order::relaxed); }
};

inline constinit tuning_totals tuning_total{};

} // namespace treadle::detail

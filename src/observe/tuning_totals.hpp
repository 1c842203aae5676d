#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace treadle::detail {

/// What the runtime decides by itself, or a program by a session.
enum class decision_kind : std::uint8_t { inlining, chunks, grain, splitting, pools, coalescing, session };
inline constexpr std::string_view k_decision_kinds[] = {"inlining", "chunks",     "grain",  "splitting",
                                                        "pools",    "coalescing", "session"};

/// What deciding of one kind has come to in this process.
struct tuning_costs {
  atomic<std::uint64_t> windows, voids, reopenings;
  atomic<std::uint64_t> deciding_ns;  ///< of the threads that measure and decide
  atomic<std::uint64_t> exploring_ns; ///< that tries took longer than the best that is known
};

struct tuning_totals {
  tuning_costs of[std::size(k_decision_kinds)];
  tuning_costs& operator[](decision_kind what) noexcept { return of[static_cast<std::size_t>(what)]; }
};
inline constinit tuning_totals tuning_total{};

/// What rules have done.
struct rule_totals {
  atomic<std::uint64_t> calls, failures, ns;
};
inline constinit rule_totals rule_total{};

inline void count(atomic<std::uint64_t>& to, std::uint64_t by = 1) noexcept { to.fetch_add(by, order::relaxed); }

} // namespace treadle::detail

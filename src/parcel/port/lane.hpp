#pragma once

#include "base/clock.hpp"
#include "parcel/coalescing/tuned_coalescing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

namespace treadle::detail {

/// The time between parcels, of one pair now and then. Such a pair takes the way with the lock, and so some hundred ns
/// more than others of a stream (parcel_run.hpp).
class sampled_gaps {
 public:
  static constexpr int k_ranges = 32; ///< range i: from 2^i ns to less than 2^(i + 1) ns; 0 ns is in the first

  /// With how many parcels there have been, for each that is wanted at least.
  void note(std::uint64_t parcels) noexcept {
    if (TREADLE_LIKELY(!wants(parcels))) return;
    const std::int64_t now = ticks_now();
    if (std::exchange(m_in_pair, !m_in_pair)) add(ticks_to_ns(now - m_before));
    m_before = now;
    m_next = m_in_pair ? parcels + 1 : parcels + k_between;
  }
  /// Not those between two pairs.
  bool wants(std::uint64_t parcels) const noexcept { return parcels >= m_next; }
  void add(const sampled_gaps& more) noexcept {
    m_count += more.m_count;
    m_sum_ns += more.m_sum_ns;
    for (int i = 0; i < k_ranges; ++i)
      m_ranges[static_cast<std::size_t>(i)] += more.m_ranges[static_cast<std::size_t>(i)];
  }
  std::uint64_t count() const noexcept { return m_count; }
  double sum_ns() const noexcept { return m_sum_ns; }
  const std::array<std::uint64_t, k_ranges>& ranges() const noexcept { return m_ranges; }

 private:
  static constexpr std::uint64_t k_between = 256;

  void add(std::int64_t ns) noexcept {
    const auto of = static_cast<std::uint64_t>(std::clamp<std::int64_t>(ns, 1, (std::int64_t{1} << k_ranges) - 1));
    ++m_count;
    m_sum_ns += static_cast<double>(of);
    ++m_ranges[static_cast<std::size_t>(std::bit_width(of) - 1)];
  }

  std::uint64_t m_next = 0;
  std::int64_t m_before = 0;
  bool m_in_pair = false;
  std::uint64_t m_count = 0;
  double m_sum_ns = 0;
  std::array<std::uint64_t, k_ranges> m_ranges{};
};

/// Parcels of one kind, as of one action, for one destination: how they travel, and what is counted of them. With the
/// lock of their outbox, but what is found out.
struct lane {
  static constexpr std::uint64_t k_never = ~std::uint64_t{0};

  std::uint32_t number = 0;
  coalescing asked, how; ///< how: with numbers, in force
  std::uint64_t parcels = 0, bytes = 0;
  std::uint64_t messages = 0; ///< of which one of them was the first parcel
  std::uint64_t next_look = k_never;
  sampled_gaps gaps;
  std::unique_ptr<tuned_coalescing> tuned; ///< made when it looks for itself first
  std::uint64_t asked_at = 0;              ///< with how many parcels `asked` began
  // By the choice that all destinations share, with the lock of what is found out
  std::uint64_t told = 0; ///< parcels that it knows of
  sender_totals counted;  ///< what is in its totals

  /// Of the next parcel nothing is to be noted, and so not of those that follow it closely: a sample and a look may
  /// come some parcels later.
  bool is_calm() const noexcept { return parcels + 1 < next_look && !gaps.wants(parcels + 1); }
};

} // namespace treadle::detail

#pragma once

#include "topology/placement.hpp"

#include <treadle/detail/atomic.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace treadle::detail {

class scheduler;

/// How many workers of a runtime may be active: what the program grants, bounded by the cores that the process may use
/// at the moment, shared out over the pools. docs/design/concurrency.md
class concurrency {
 public:
  /// `follows`: the mask of the main thread, and the quota of the control group. Otherwise workers have the mask with
  /// which the process began: the main thread may since have been bound to a core of its own.
  /// `pools`: how many workers each has.
  concurrency(bool follows, binding how, std::vector<unsigned> pools) noexcept
      : m_follows(follows), m_binding(how), m_workers(std::move(pools)) {}

  /// Once, with all of the runtime; until end().
  void begin(std::vector<scheduler*> pools);
  void end();
  /// Whether its runtime is the one that threads outside use, for present_workers().
  void make_current(bool is_current);
  /// Any thread. Throws std::invalid_argument beyond what there is.
  void grant(unsigned n);
  /// In all pools, at the moment. Any thread.
  unsigned present() const noexcept { return m_present.load(order::relaxed); }
  unsigned maximum() const noexcept { return m_maximum; }

  /// By any worker, now and then: twice in a second one of them looks at what the process may use.
  void look_at_cores(std::int64_t now_ns) noexcept {
    if (TREADLE_UNLIKELY(now_ns >= m_next_look_ns.load(order::relaxed))) look(now_ns);
  }
  /// By worker `number`: places it when it has not been yet, or when the mask that is followed has changed since.
  void place(unsigned number, std::uint32_t& placed) noexcept {
    const std::uint32_t now = m_masks.load(order::relaxed);
    if (TREADLE_LIKELY(placed == now)) return;
    placed = now;
    put(number);
  }

 private:
  static constexpr std::int64_t k_look_ns = 500'000'000;

  void look(std::int64_t now_ns) noexcept;
  void put(unsigned number) noexcept;
  void put_within(const process_mask& within, unsigned number) noexcept;
  std::size_t place_of(unsigned number) const noexcept;
  // With the mutex
  void share_out(unsigned granted, unsigned usable);
  void publish() const noexcept;

  const bool m_follows;
  const binding m_binding;
  const std::vector<unsigned> m_workers;
  unsigned m_maximum = 0;
  atomic<unsigned> m_present{0};
  atomic<std::int64_t> m_next_look_ns{INT64_MAX}; // until begin(), or for ever
  atomic<std::uint32_t> m_masks{1};               // that were seen
  std::mutex m_mutex;                             // of the next
  std::vector<scheduler*> m_pools;
  bool m_is_current = false;
  unsigned m_granted = 0, m_usable = 0;
  std::uint64_t m_fingerprint = 0;
  std::mutex m_placing; // of the next
  std::optional<std::uint64_t> m_placed_within;
  std::vector<unsigned> m_cpus; // of workers by their numbers
};

/// Shares `n` out over pools of `most` workers each: one for each pool, the first pools first; the rest by their sizes.
std::vector<unsigned> shares(std::span<const unsigned> most, unsigned n);

} // namespace treadle::detail

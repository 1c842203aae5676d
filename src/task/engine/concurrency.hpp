#pragma once

#include "observe/programs/state_sources.hpp"
#include "task/pools/loans.hpp"
#include "topology/placement.hpp"

#include <treadle/detail/atomic.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace treadle::detail {

class scheduler;

/// A pool, for concurrency.
struct managed_pool {
  placed_pool placed;
  bool exclusive;    ///< it neither lends nor borrows workers
  bool counts_cores; ///< it has no more workers active than the process may use cores
};

/// How many workers of a runtime may be active: what the program grants, bounded by the cores that the process may use
/// at the moment, shared out over the pools. docs/design/concurrency.md
class concurrency {
 public:
  /// `follows`: the mask of the main thread, and the quota of the control group. Otherwise workers have the mask with
  /// which the process began: the main thread may since have been bound to a core of its own.
  concurrency(bool follows, binding how, std::vector<managed_pool> pools);

  /// Once, with all of the runtime; until end().
  void begin(std::vector<scheduler*> pools);
  void end();
  /// Whether its runtime is the one that threads outside use, for present_workers().
  void make_current(bool is_current);
  /// Any thread. Throws std::invalid_argument beyond what there is, and below what pools that share nothing need.
  void grant(unsigned n);
  /// What the program grants; present() may be less.
  unsigned granted();
  /// By an agent: no more than `n`, or k_not_governed; beside what the program grants. Any thread.
  void govern(unsigned n);
  /// The same for one pool; see runtime::set_concurrency().
  void limit(std::string_view pool, unsigned n);
  /// What the pool gains or loses is the default one's; see runtime::resize_pool().
  void resize(std::string_view pool, unsigned n);
  /// For some pools at once, of workers that they have together; and binds all workers, unless that is null.
  void arrange(std::span<const std::string> pools, std::span<const unsigned> sizes, const binding* how);
  /// Unless it has hardware threads of its own.
  bool can_resize(std::size_t pool) const noexcept { return m_managed[pool].placed.cpus.empty(); }
  /// Whether a pool can be without workers: the default one runs its tasks then.
  bool can_be_hosted(std::string_view pool);
  /// Where workers run from now on. Reads the topology where that has not been done yet.
  void bind(binding how);
  binding bound();
  unsigned size_of(std::string_view pool);
  /// What there is to share out, whatever the sizes of pools.
  unsigned budget();
  /// In all pools, at the moment. Any thread.
  unsigned present() const noexcept { return m_present.load(order::relaxed); }
  unsigned maximum() const noexcept { return m_maximum; }

  /// Whether a pool lends and borrows workers.
  bool lends(std::size_t pool) const noexcept;
  /// How many spare workers a pool has at most: for those that block, and for what it borrows.
  unsigned spares_of(std::size_t pool) const noexcept;

  loans<scheduler> between_pools;

  /// By any worker, now and then: twice in a second one of them looks at what the process may use.
  void look_at_cores(std::int64_t now_ns) noexcept {
    if (TREADLE_UNLIKELY(now_ns >= m_next_look_ns.load(order::relaxed))) look(now_ns);
  }
  /// By worker `number`: places it when it has not been yet, or when the mask that is followed has changed since, and
  /// says who is near.
  void place(unsigned number, std::uint32_t& placed, steal_order& near) noexcept {
    const std::uint32_t now = m_masks.load(order::relaxed);
    if (TREADLE_LIKELY(placed == now)) return;
    placed = now;
    put(number, near);
  }

 private:
  void look(std::int64_t now_ns) noexcept;
  void put(unsigned number, steal_order& near) noexcept;
  void put_within(const process_mask& within, unsigned number, steal_order& near) noexcept;
  void put_in_pool(std::size_t pool, unsigned index, steal_order& near) const;
  void find_places(const process_mask& within);
  // With the mutex
  unsigned least_grant() const noexcept;
  unsigned grant_in_force() const noexcept;
  void divide(std::vector<unsigned>& each, unsigned n, bool (*of)(const managed_pool&)) const;
  void share_out();
  void use_sizes();
  std::vector<unsigned> working_sizes() const;
  void choose_hosts() noexcept;
  bool can_host(std::size_t pool, std::size_t by) const noexcept;
  void place_anew(const binding* how);
  std::size_t index_of(std::string_view pool, const char* asking) const;
  unsigned usable_by(std::size_t pool) const noexcept;
  void publish() const noexcept;

  const bool m_follows;
  const std::vector<managed_pool> m_managed;
  unsigned m_maximum = 0;
  atomic<unsigned> m_present{0};
  atomic<std::int64_t> m_next_look_ns{INT64_MAX}; // until begin(), or for ever
  atomic<std::uint32_t> m_masks{1};               // that were seen
  std::mutex m_mutex;                             // of the next
  std::vector<scheduler*> m_pools;
  bool m_is_current = false;
  unsigned m_granted = 0, m_governed = k_not_governed, m_usable = 0;
  std::vector<unsigned> m_limits; // of pools: how many may be active
  std::vector<unsigned> m_sizes;  // and are theirs; 0: the default one runs its tasks, and keeps a worker for it
  std::vector<unsigned> m_mask;   // hardware threads
  std::uint64_t m_fingerprint = 0;
  std::mutex m_placing; // of the next
  binding m_binding;
  std::vector<unsigned> m_placed_sizes;
  std::optional<std::uint64_t> m_placed_within;
  std::vector<pool_places> m_places;
  std::vector<unsigned> m_for_loans; // where spare workers of pools that lend each other slots may run
};

/// Shares `n` out over pools of `most` workers each: one for each pool that may have any, the first pools first; the
/// rest by their sizes.
std::vector<unsigned> shares(std::span<const unsigned> most, unsigned n);

} // namespace treadle::detail

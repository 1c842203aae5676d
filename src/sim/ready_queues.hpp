#pragma once

#include "sim/processors.hpp"

#include "base/rng.hpp"
#include "topology/steal_order.hpp"

#include <optional>
#include <set>

namespace treadle::sim {

/// What can run and waits for a worker, in the queues of each pool as its scheduling policy has them: one per worker,
/// and one for what comes from elsewhere. The smallest rank goes first.
class ready_queues {
 public:
  /// A task, or a stack that can go on: whatever the number says to the caller.
  struct entry {
    double major, minor;
    int what;
    friend auto operator<=>(const entry&, const entry&) = default;
  };
  struct place {
    unsigned pool = 0;
    int queue = -1; ///< of a worker of the pool; none: the common one
  };
  struct taken {
    int what;
    place from;
    bool stolen = false, remote = false;
    double distance = 1; ///< of the victim
    unsigned missed = 0; ///< looks before
  };

  ready_queues(const std::vector<pool>& pools, const machine& on, const std::vector<std::vector<unsigned>>& places,
               std::uint64_t seed);

  /// Into the queue where the policy wants what `by` makes runnable: a worker, counted through all pools, or none.
  place push(unsigned pool, int by, bool is_new, const entry& one);
  void remove(const place& where, const entry& one);
  /// What the worker would run next of its own; null when there is nothing.
  const entry* first_of(unsigned worker) const;
  std::optional<taken> take(unsigned worker, const processors& where);

  /// Whether the workers of a pool may run what belongs to another one.
  bool lends(unsigned from, unsigned to) const;
  bool runs_in_place(unsigned pool) const {
    return m_pools[pool].policy == scheduling::work_stealing || m_pools[pool].policy == scheduling::critical_path;
  }
  bool steals(unsigned pool) const { return m_pools[pool].policy != scheduling::static_placement; }
  bool has_work(unsigned pool) const { return m_pools[pool].ready > 0; }
  unsigned first_worker(unsigned pool) const { return m_pools[pool].first; }
  bool is_own(unsigned worker, const place& where) const {
    return where.queue >= 0 && first_worker(where.pool) + static_cast<unsigned>(where.queue) == worker;
  }

 private:
  using queue = std::set<entry>;
  struct pool_state {
    scheduling policy;
    bool exclusive;
    unsigned first, workers;
    std::vector<queue> own; // of its workers
    queue common;
    std::vector<detail::steal_order> near; // of each worker
    unsigned next = 0;                     // who gets the next one that is placed by turns
    std::size_t ready = 0;
  };

  queue& at(const place& where) {
    pool_state& one = m_pools[where.pool];
    return where.queue < 0 ? one.common : one.own[static_cast<std::size_t>(where.queue)];
  }
  static void note_victim(taken& what, unsigned victim, unsigned worker, const processors& where);
  std::optional<taken> take_more_urgent(const pool_state& own, unsigned pool, unsigned worker, const processors& where);
  static bool takes_oldest_of_others(const pool_state& one, const queue& from);
  std::optional<taken> take_from(const place& where, bool as_thief);
  std::optional<taken> steal(unsigned pool, unsigned worker, unsigned own_pool, const processors& where,
                             unsigned& missed);

  std::vector<pool_state> m_pools;
  std::vector<unsigned> m_pool_of; // by worker
  detail::xorshift m_random;
};

} // namespace treadle::sim

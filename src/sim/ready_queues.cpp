#include "sim/ready_queues.hpp"

#include "decide/bottom_levels.hpp"

#include <algorithm>

namespace treadle::sim {

ready_queues::ready_queues(const std::vector<pool>& pools, const machine& on,
                           const std::vector<std::vector<unsigned>>& places, std::uint64_t seed)
    : m_random(seed) {
  unsigned first = 0;
  for (std::size_t p = 0; p < pools.size(); ++p) {
    const unsigned workers = pools[p].workers;
    m_pools.push_back({pools[p].policy,
                       pools[p].exclusive,
                       first,
                       workers,
                       std::vector<queue>(workers),
                       {},
                       detail::steal_orders(on.shape, places[p])});
    m_pool_of.insert(m_pool_of.end(), workers, static_cast<unsigned>(p));
    first += workers;
  }
}

bool ready_queues::lends(unsigned from, unsigned to) const {
  if (from == to) return true;
  const auto may = [](const pool_state& one) { return !one.exclusive && one.policy != scheduling::static_placement; };
  return may(m_pools[from]) && may(m_pools[to]);
}

ready_queues::place ready_queues::push(unsigned pool, int by, bool is_new, const entry& one) {
  pool_state& into = m_pools[pool];
  place where{pool, -1};
  const bool is_own = by >= 0 && m_pool_of[static_cast<std::size_t>(by)] == pool;
  switch (into.policy) {
  case scheduling::work_stealing:
    if (is_own) where.queue = by - static_cast<int>(into.first);
    break;
  case scheduling::local_priority_fifo:
  case scheduling::local_priority_lifo:
  case scheduling::static_placement:
    if (is_own && !is_new) // what goes on stays where it is woken
      where.queue = by - static_cast<int>(into.first);
    else
      where.queue = static_cast<int>(into.next++ % into.workers);
    break;
  case scheduling::critical_path:
    where.queue = static_cast<int>(is_own ? static_cast<unsigned>(by) - into.first : into.next++ % into.workers);
    break;
  case scheduling::shared_priority:
    break;
  }
  at(where).insert(one);
  ++into.ready;
  return where;
}

void ready_queues::remove(const place& where, const entry& one) {
  at(where).erase(one);
  --m_pools[where.pool].ready;
}

const ready_queues::entry* ready_queues::first_of(unsigned worker) const {
  const pool_state& mine = m_pools[m_pool_of[worker]];
  const queue& own = mine.own[worker - mine.first];
  return own.empty() ? nullptr : &*own.begin();
}

/// Who runs the newest of its own leaves the oldest to others. Where an order is asked for they take the first one.
bool ready_queues::takes_oldest_of_others(const pool_state& one, const queue& from) {
  const bool by_age = from.begin()->major == from.rbegin()->major;
  return by_age && (one.policy == scheduling::work_stealing || one.policy == scheduling::local_priority_lifo);
}

std::optional<ready_queues::taken> ready_queues::take_from(const place& where, bool as_thief) {
  queue& from = at(where);
  if (from.empty()) return std::nullopt;
  pool_state& one = m_pools[where.pool];
  const auto which = as_thief && takes_oldest_of_others(one, from) ? std::prev(from.end()) : from.begin();
  taken found{which->what, where};
  from.erase(which);
  --one.ready;
  return found;
}

void ready_queues::note_victim(taken& what, unsigned victim, unsigned worker, const processors& where) {
  const unsigned mine = where.unit_of(worker).domain, other = where.unit_of(victim).domain;
  what.stolen = true;
  what.remote = mine != other;
  what.distance = where.distance(mine, other);
}

std::optional<ready_queues::taken> ready_queues::steal(unsigned pool, unsigned worker, unsigned own_pool,
                                                       const processors& where, unsigned& missed) {
  pool_state& from = m_pools[pool];
  if (from.ready == 0) return std::nullopt;
  if (auto found = take_from({pool, -1}, false)) return found;
  ++missed;
  std::vector<unsigned> victims;
  std::vector<unsigned> ends;
  if (pool == own_pool) {
    const detail::steal_order& near = from.near[worker - from.first];
    victims = near.workers;
    ends = near.ends;
  }
  if (victims.empty()) { // all are alike
    for (unsigned v = 0; v < from.workers; ++v)
      if (from.first + v != worker) victims.push_back(v);
    ends = {static_cast<unsigned>(victims.size())};
  }
  for (unsigned begin = 0; const unsigned end : ends) { // from one that is drawn on through the equally near ones
    const unsigned count = end - begin, turn = count > 1 ? m_random.below(count) : 0;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned victim = victims[begin + (i + turn) % count];
      if (auto found = take_from({pool, static_cast<int>(victim)}, true)) {
        note_victim(*found, from.first + victim, worker, where);
        return found;
      }
      ++missed;
    }
    begin = end;
  }
  return std::nullopt;
}

/// From one of two others whose first entry goes before those of this worker.
std::optional<ready_queues::taken> ready_queues::take_more_urgent(const pool_state& own, unsigned pool, unsigned worker,
                                                                  const processors& where) {
  const unsigned here = worker - own.first, n = own.workers;
  unsigned most = here;
  for (unsigned looks = std::min(decide::k_looks_at_others, n - 1); looks > 0; --looks) {
    const unsigned other = (here + 1 + m_random.below(n - 1)) % n;
    const queue &mine = own.own[most], &others = own.own[other];
    if (!others.empty() && (mine.empty() || *others.begin() < *mine.begin())) most = other;
  }
  if (most == here) return std::nullopt;
  auto found = take_from({pool, static_cast<int>(most)}, true);
  note_victim(*found, own.first + most, worker, where);
  return found;
}

std::optional<ready_queues::taken> ready_queues::take(unsigned worker, const processors& where) {
  const unsigned mine = m_pool_of[worker];
  pool_state& own = m_pools[mine];
  if (own.ready > 0) {
    if (own.policy == scheduling::critical_path)
      if (auto found = take_more_urgent(own, mine, worker, where)) return found;
    if (auto found = take_from({mine, static_cast<int>(worker - own.first)}, false)) return found;
    if (own.policy == scheduling::static_placement) return take_from({mine, -1}, false);
  }
  unsigned missed = 0;
  for (unsigned i = 0; i < m_pools.size(); ++i) { // the own pool first
    const unsigned pool = i == 0 ? mine : i <= mine ? i - 1 : i;
    if (!lends(mine, pool)) continue;
    if (auto found = steal(pool, worker, mine, where, missed)) {
      found->missed = missed;
      return found;
    }
  }
  return std::nullopt;
}

} // namespace treadle::sim

#include "task/engine/concurrency.hpp"

#include "task/engine/concurrency_knob.hpp"
#include "task/engine/present_workers.hpp"
#include "task/engine/scheduler.hpp"
#include "task/timing.hpp"
#include "topology/usable_cores.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>

namespace treadle::detail {

constinit atomic<unsigned> workers_outside{0};

unsigned present_workers() noexcept {
  const worker* w = this_worker();
  return w ? w->worker_count() : workers_outside.load(order::relaxed);
}

std::vector<unsigned> shares(std::span<const unsigned> most, unsigned n) {
  std::vector<unsigned> result(most.size());
  unsigned rest = n;
  std::uint64_t all = 0; // that more can be given to
  for (std::size_t i = 0; i < most.size(); ++i) {
    if (most[i] == 0) continue;
    all += most[i] - 1;
    if (rest == 0) continue;
    result[i] = 1;
    --rest;
  }
  if (rest == 0 || all == 0) return result;
  // Rounded down, and what is left to those that lost most by it; the first of equals.
  std::vector<std::size_t> by_loss(most.size());
  std::iota(by_loss.begin(), by_loss.end(), std::size_t{0});
  const auto more = [&](std::size_t i) { return std::uint64_t{most[i]} - (most[i] != 0); };
  const auto lost = [&, rest](std::size_t i) { return rest * more(i) % all; };
  unsigned left = rest;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const auto share = static_cast<unsigned>(std::min<std::uint64_t>(rest * more(i) / all, more(i)));
    result[i] += share;
    left -= share;
  }
  std::stable_sort(by_loss.begin(), by_loss.end(), [&](std::size_t a, std::size_t b) { return lost(a) > lost(b); });
  for (const std::size_t i : by_loss) {
    if (left == 0) break;
    if (result[i] == most[i]) continue;
    ++result[i];
    --left;
  }
  return result;
}

concurrency::concurrency(bool follows, binding how, std::vector<managed_pool> pools)
    : m_follows(follows), m_managed(std::move(pools)), m_binding(how) {
  for (const managed_pool& one : m_managed) m_placed_sizes.push_back(one.placed.workers);
}

bool concurrency::lends(std::size_t pool) const noexcept {
  const auto shares = [](const managed_pool& one) { return !one.exclusive; };
  return shares(m_managed[pool]) && std::count_if(m_managed.begin(), m_managed.end(), shares) > 1;
}

unsigned concurrency::spares_of(std::size_t pool) const noexcept {
  unsigned n = scheduler::k_spares_max;
  for (std::size_t i = 0; i < m_managed.size(); ++i)
    if (i != pool) n += m_managed[i].placed.workers;
  return n;
}

void concurrency::begin(std::vector<scheduler*> pools) {
  const std::lock_guard guard(m_mutex);
  m_pools = std::move(pools);
  for (const scheduler* pool : m_pools) {
    m_maximum += pool->capacity();
    m_limits.push_back(loans<scheduler>::k_no_limit);
    m_sizes.push_back(pool->capacity());
    if (m_managed[m_limits.size() - 1].counts_cores) m_usable += pool->capacity();
  }
  m_granted = m_maximum;
  m_present.store(m_maximum, order::relaxed);
  const process_mask mask;
  m_fingerprint = mask.fingerprint();
  m_mask = mask.cpus();
  between_pools.begin(m_pools);
  if (m_follows) m_next_look_ns.store(steady_now_ns() + timing::k_between_looks_at_cores, order::relaxed);
}

void concurrency::end() {
  const std::lock_guard guard(m_mutex);
  between_pools.end();
  for (scheduler* pool : m_pools) pool->set_host(nullptr);
  for (scheduler* pool : m_pools) pool->set_active(pool->capacity()); // to do what is left
  m_pools.clear();
}

void concurrency::make_current(bool is_current) {
  const std::lock_guard guard(m_mutex);
  m_is_current = is_current;
  publish();
}

void concurrency::publish() const noexcept {
  if (!m_is_current) return;
  for (const scheduler* pool : m_pools)
    if (pool->is_default) workers_outside.store(std::max(pool->share.load(order::relaxed), 1u), order::relaxed);
}

unsigned concurrency::granted() {
  const std::lock_guard guard(m_mutex);
  return m_granted;
}

void concurrency::grant(unsigned n) {
  if (n > m_maximum)
    throw std::invalid_argument("runtime::set_concurrency: expected 0 to " + std::to_string(m_maximum) +
                                ", the workers of all pools, got " + std::to_string(n));
  {
    const std::lock_guard guard(m_mutex);
    if (const unsigned least = least_grant(); n != 0 && n < least)
      throw std::invalid_argument("runtime::set_concurrency: expected 0 or " + std::to_string(least) + " to " +
                                  std::to_string(m_maximum) +
                                  ", because that many pools do not run the tasks of others, got " + std::to_string(n));
    m_granted = n;
    share_out();
  }
  trace_knob(the_concurrency_knob.knob_name(), present());
}

void concurrency::govern(unsigned n) {
  {
    const std::lock_guard guard(m_mutex);
    if (std::exchange(m_governed, n) == n) return;
    share_out();
  }
  trace_knob(the_concurrency_knob.knob_name(), present());
}

/// An agent knows nothing of pools: it gets what they need at least where it grants anything.
unsigned concurrency::grant_in_force() const noexcept {
  const unsigned governed = m_governed == 0 ? 0 : std::max(m_governed, least_grant());
  return std::min(m_granted, governed);
}

std::size_t concurrency::index_of(std::string_view name, const char* asking) const {
  std::string known;
  for (std::size_t i = 0; i < m_pools.size(); ++i) {
    if (m_pools[i]->name == name) return i;
    known += (known.empty() ? "'" : ", '") + m_pools[i]->name + "'";
  }
  throw std::invalid_argument(std::string(asking) + ": no pool '" + std::string(name) + "'; there are " + known);
}

void concurrency::limit(std::string_view name, unsigned n) {
  const std::lock_guard guard(m_mutex);
  if (m_pools.empty()) return; // it ends
  const std::size_t i = index_of(name, "runtime::set_concurrency");
  const scheduler& pool = *m_pools[i];
  const unsigned most = std::max(m_sizes[i], 1u); // one for what it still has where it has none of its own
  if (n > most)
    throw std::invalid_argument("runtime::set_concurrency: pool '" + pool.name + "' has " + std::to_string(most) +
                                " workers, got " + std::to_string(n));
  if (n == 0 && !pool.quiescent())
    throw std::system_error(std::make_error_code(std::errc::device_or_resource_busy),
                            "runtime::set_concurrency: pool '" + pool.name + "' has tasks, and would have no worker");
  m_limits[i] = n == most ? loans<scheduler>::k_no_limit : n;
  share_out();
}

void concurrency::resize(std::string_view name, unsigned n) {
  constexpr const char* k_asking = "runtime::resize_pool";
  const std::lock_guard guard(m_mutex);
  if (m_pools.empty()) return; // it ends
  const std::size_t i = index_of(name, k_asking), rest = index_of("default", k_asking);
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(std::string(k_asking) + ": pool '" + std::string(name) + "' " + why);
  };
  if (i == rest) refuse("has the workers that no other pool has");
  for (const std::size_t one : {i, rest})
    if (!can_resize(one)) refuse("cannot change: pool '" + m_pools[one]->name + "' has hardware threads of its own");
  if (n == 0 && !can_host(i, rest))
    refuse("cannot be without workers: it, or the pool 'default', is exclusive or static, or its stacks are larger");
  const unsigned both = m_sizes[i] + m_sizes[rest];
  unsigned most = both - 1; // the default pool keeps one for itself, and for each that has none
  for (std::size_t k = 0; k < m_sizes.size(); ++k)
    if (k != i && m_sizes[k] == 0) --most;
  if (n > most)
    refuse("may have " + std::string(can_host(i, rest) ? "0" : "1") + " to " + std::to_string(most) +
           " workers, because the pool 'default' keeps " + std::to_string(both - most) + ", got " + std::to_string(n));
  if (n == m_sizes[i]) return;
  m_sizes[i] = n;
  m_sizes[rest] = both - n;
  use_sizes();
}

void concurrency::arrange(std::span<const std::string> pools, std::span<const unsigned> sizes, const binding* how) {
  const std::lock_guard guard(m_mutex);
  if (m_pools.empty()) return; // it ends
  for (std::size_t i = 0; i < pools.size(); ++i) m_sizes[index_of(pools[i], "pool_tuner")] = sizes[i];
  share_out();
  place_anew(how);
}

bool concurrency::can_host(std::size_t pool, std::size_t by) const noexcept {
  return pool != by && can_resize(pool) && can_resize(by) && lends(pool) && lends(by) &&
         m_pools[pool]->stack_bytes <= m_pools[by]->stack_bytes;
}

bool concurrency::can_be_hosted(std::string_view pool) {
  const std::lock_guard guard(m_mutex);
  return !m_pools.empty() && can_host(index_of(pool, "pool_tuner"), index_of("default", "pool_tuner"));
}

/// With the workers that pools use: one that has none keeps one of the default pool's, for tasks that it still has. It
/// lends that one as long as there are none.
std::vector<unsigned> concurrency::working_sizes() const {
  std::vector<unsigned> each = m_sizes;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (m_sizes[i] != 0) continue;
    each[i] = 1;
    for (std::size_t k = 0; k < each.size(); ++k)
      if (m_pools[k]->is_default) --each[k];
  }
  return each;
}

/// Limits are for a pool's own tasks: where there is one, it runs them itself.
void concurrency::choose_hosts() noexcept {
  const auto is_free = [&](std::size_t i) { return m_limits[i] == loans<scheduler>::k_no_limit; };
  for (std::size_t by = 0; by < m_pools.size(); ++by) {
    if (!m_pools[by]->is_default) continue;
    bool hosts_all = true;
    for (std::size_t i = 0; i < m_pools.size(); ++i) {
      if (i == by) continue;
      const bool hosts = m_sizes[i] == 0 && is_free(i) && is_free(by);
      m_pools[i]->set_host(hosts ? m_pools[by] : nullptr);
      hosts_all = hosts_all && hosts;
    }
    m_pools[by]->set_hosts_all(hosts_all && m_pools.size() > 1);
  }
}

void concurrency::bind(binding how) {
  prepare(how); // before workers wait for who reads it
  const std::lock_guard guard(m_mutex);
  if (!m_pools.empty()) place_anew(&how); // else it ends
}

binding concurrency::bound() {
  const std::lock_guard placing(m_placing);
  return m_binding;
}

unsigned concurrency::size_of(std::string_view pool) {
  const std::lock_guard guard(m_mutex);
  return m_pools.empty() ? 1 : m_sizes[index_of(pool, "pool_tuner")];
}

unsigned concurrency::budget() {
  const std::lock_guard guard(m_mutex);
  unsigned n = 0;
  bool counts_cores = false;
  for (const managed_pool& one : m_managed) one.counts_cores ? counts_cores = true : n += one.placed.workers;
  return std::min(grant_in_force(), counts_cores ? n + m_usable : n);
}

void concurrency::use_sizes() {
  share_out();
  place_anew(nullptr);
}

/// Null: bound as before.
void concurrency::place_anew(const binding* how) {
  const std::lock_guard placing(m_placing);
  if (how) m_binding = *how;
  m_placed_sizes = m_sizes;
  m_placed_within.reset();
  m_masks.fetch_add(1, order::relaxed); // workers look for their places anew
}

/// What it may use of its own hardware threads, where its workers were counted by them.
unsigned concurrency::usable_by(std::size_t pool) const noexcept {
  const auto& [placed, exclusive, counts_cores] = m_managed[pool];
  if (!counts_cores) return loans<scheduler>::k_no_limit;
  if (placed.cpus.empty()) return m_usable;
  const auto left = std::count_if(placed.cpus.begin(), placed.cpus.end(),
                                  [&](unsigned cpu) { return std::binary_search(m_mask.begin(), m_mask.end(), cpu); });
  return left == 0 ? m_usable : std::min(static_cast<unsigned>(left), m_usable);
}

/// A worker for each pool that cannot borrow one, and one for all others together: with fewer, tasks would wait for
/// ever.
unsigned concurrency::least_grant() const noexcept {
  unsigned n = 0;
  bool some_lend = false;
  for (std::size_t i = 0; i < m_managed.size(); ++i) lends(i) ? some_lend = true : ++n;
  return n + some_lend;
}

/// As shares(), of those of the pools that `of` has a number for; who cannot borrow is served first.
void concurrency::divide(std::vector<unsigned>& each, unsigned n, bool (*of)(const managed_pool&)) const {
  std::vector<std::size_t> order;
  for (const bool lending : {false, true})
    for (std::size_t i = 0; i < each.size(); ++i)
      if (of(m_managed[i]) && lends(i) == lending) order.push_back(i);
  std::vector<unsigned> most;
  for (const std::size_t i : order) most.push_back(each[i]);
  const std::vector<unsigned> got = shares(most, n);
  for (std::size_t k = 0; k < order.size(); ++k) each[order[k]] = got[k];
}

void concurrency::share_out() {
  if (m_pools.empty()) return; // it ends
  std::vector<unsigned> each = working_sizes();
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = std::min(each[i], m_limits[i]);
  divide(each, grant_in_force(), [](const managed_pool&) { return true; });
  const std::vector<unsigned> granted = each;
  unsigned counted = 0; // of those that may use all cores of the process together
  for (std::size_t i = 0; i < each.size(); ++i) {
    each[i] = std::min(each[i], usable_by(i));
    if (m_managed[i].counts_cores) counted += each[i];
  }
  if (counted > m_usable) divide(each, m_usable, [](const managed_pool& one) { return one.counts_cores; });
  // However few cores are left: without a worker the tasks of such a pool would wait for ever.
  for (std::size_t i = 0; i < each.size(); ++i)
    if (!lends(i)) each[i] = std::max(each[i], std::min(granted[i], 1u));
  between_pools.share_out(each, m_limits);
  choose_hosts();
  for (scheduler* pool : m_pools) pool->add_workers();
  m_present.store(std::accumulate(each.begin(), each.end(), 0u), order::relaxed);
  publish();
}

void concurrency::find_places(const process_mask& within) {
  std::vector<placed_pool> placed;
  for (std::size_t i = 0; i < m_managed.size(); ++i) placed.push_back({m_placed_sizes[i], m_managed[i].placed.cpus});
  m_places = place_pools(m_binding, within, placed);
  m_for_loans.clear();
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    if (m_managed[i].exclusive) continue;
    const auto& [workers, all, orders] = m_places[i];
    m_for_loans.insert(m_for_loans.end(), (m_binding ? workers : all).begin(), (m_binding ? workers : all).end());
  }
}

/// The worker of a pool with this index; those beyond its size are spare.
void concurrency::put_in_pool(std::size_t pool, unsigned index, steal_order& near) const {
  const auto& [workers, all, orders] = m_places[pool];
  if (index >= m_placed_sizes[pool]) {
    near = {};
    return run_on(!m_managed[pool].exclusive ? m_for_loans : m_binding ? workers : all);
  }
  near = orders.empty() ? steal_order() : orders[index];
  if (!workers.empty()) run_on(std::span(workers).subspan(index, 1));
  if (!m_binding) run_on(all); // from there
}

void concurrency::put_within(const process_mask& within, unsigned number, steal_order& near) noexcept {
  try {
    const std::lock_guard guard(m_placing);
    if (const std::uint64_t fingerprint = within.fingerprint(); m_placed_within != fingerprint) {
      find_places(within);
      m_placed_within = fingerprint;
    }
    for (std::size_t i = 0; i < m_places.size(); ++i) {
      const unsigned n = m_managed[i].placed.workers;
      if (number < n) return put_in_pool(i, number, near);
      number -= n;
    }
    for (std::size_t i = 0; i < m_places.size(); ++i) { // made as spare ones
      const unsigned n = spares_of(i);
      if (number < n) return put_in_pool(i, m_managed[i].placed.workers + number, near);
      number -= n;
    }
  } catch (...) { // no memory: stays where it is
  }
}

void concurrency::put(unsigned number, steal_order& near) noexcept {
  if (m_follows)
    put_within(process_mask(), number, near);
  else
    put_within(process_mask::at_start(), number, near);
}

void concurrency::look(std::int64_t now_ns) noexcept {
  std::int64_t next = m_next_look_ns.load(order::relaxed);
  if (now_ns < next ||
      !m_next_look_ns.compare_exchange(next, now_ns + timing::k_between_looks_at_cores, order::relaxed, order::relaxed))
    return;
  try {
    const process_mask mask;
    const std::uint64_t fingerprint = mask.fingerprint();
    const unsigned usable = usable_cores(); // reads files: without the mutex
    const std::lock_guard guard(m_mutex);
    const bool is_same = std::exchange(m_fingerprint, fingerprint) == fingerprint;
    if (!is_same) {
      m_mask = mask.cpus();
      m_masks.fetch_add(1, order::relaxed);
    }
    if (std::exchange(m_usable, usable) != usable || !is_same) share_out();
  } catch (...) { // no memory: stays as it is
  }
}

} // namespace treadle::detail

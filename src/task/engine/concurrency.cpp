#include "task/engine/concurrency.hpp"

#include "task/engine/concurrency_knob.hpp"
#include "task/engine/present_workers.hpp"
#include "task/engine/scheduler.hpp"
#include "topology/usable_cores.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

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
    all += most[i] - 1;
    if (rest == 0) continue;
    result[i] = 1;
    --rest;
  }
  if (rest == 0 || all == 0) return result;
  // Rounded down, and what is left to those that lost most by it; the first of equals.
  std::vector<std::size_t> by_loss(most.size());
  std::iota(by_loss.begin(), by_loss.end(), std::size_t{0});
  const auto lost = [&, rest](std::size_t i) { return std::uint64_t{rest} * (most[i] - 1) % all; };
  unsigned left = rest;
  for (std::size_t i = 0; i < most.size(); ++i) {
    const auto share =
        static_cast<unsigned>(std::min<std::uint64_t>(std::uint64_t{rest} * (most[i] - 1) / all, most[i] - 1));
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

void concurrency::begin(std::vector<scheduler*> pools) {
  const std::lock_guard guard(m_mutex);
  m_pools = std::move(pools);
  for (const scheduler* pool : m_pools) m_maximum += pool->capacity();
  m_granted = m_maximum;
  m_usable = m_pools.front()->capacity();
  m_present.store(m_maximum, order::relaxed);
  m_fingerprint = process_mask().fingerprint();
  if (m_follows) m_next_look_ns.store(steady_now_ns() + k_look_ns, order::relaxed);
}

void concurrency::end() {
  const std::lock_guard guard(m_mutex);
  for (scheduler* pool : m_pools) pool->set_active(pool->capacity()); // to do what is left
  m_pools.clear();
}

void concurrency::make_current(bool is_current) {
  const std::lock_guard guard(m_mutex);
  m_is_current = is_current;
  publish();
}

void concurrency::publish() const noexcept {
  if (m_is_current && !m_pools.empty())
    workers_outside.store(std::max(m_pools.front()->on_duty.wanted(), 1u), order::relaxed);
}

void concurrency::grant(unsigned n) {
  if (n > m_maximum)
    throw std::invalid_argument("runtime::set_concurrency: expected 0 to " + std::to_string(m_maximum) +
                                ", the workers of all pools, got " + std::to_string(n));
  {
    const std::lock_guard guard(m_mutex);
    share_out(n, m_usable);
  }
  trace_knob(the_concurrency_knob.knob_name(), present());
}

void concurrency::share_out(unsigned granted, unsigned usable) {
  if (m_pools.empty()) return; // it ends
  std::vector<unsigned> most;
  for (const scheduler* pool : m_pools) most.push_back(pool->capacity());
  std::vector<unsigned> each = shares(most, granted);
  each[0] = std::min(each[0], usable); // other pools have as many as the program has asked for
  m_granted = granted;
  m_usable = usable;
  for (std::size_t i = 0; i < each.size(); ++i) m_pools[i]->set_active(each[i]);
  m_present.store(std::accumulate(each.begin(), each.end(), 0u), order::relaxed);
  publish();
}

/// Where in m_cpus: spares, whose numbers follow those of all workers, share the places of their pool.
std::size_t concurrency::place_of(unsigned number) const noexcept {
  const unsigned all = std::accumulate(m_workers.begin(), m_workers.end(), 0u);
  if (number < all) return number;
  const unsigned pool = (number - all) / scheduler::k_spares_max;
  const unsigned first = std::accumulate(m_workers.begin(), m_workers.begin() + pool, 0u);
  return first + (number - all) % m_workers[pool];
}

void concurrency::put_within(const process_mask& within, unsigned number) noexcept {
  try {
    const std::lock_guard guard(m_placing);
    if (const std::uint64_t fingerprint = within.fingerprint(); m_placed_within != fingerprint) {
      m_cpus = cpus_of_workers(m_binding, within, m_workers);
      m_placed_within = fingerprint;
    }
    if (!m_cpus.empty()) run_on(m_cpus[place_of(number) % m_cpus.size()]);
  } catch (...) { // no memory
  }
  if (!m_binding) within.apply(); // from there
}

void concurrency::put(unsigned number) noexcept {
  if (m_follows)
    put_within(process_mask(), number);
  else
    put_within(process_mask::at_start(), number);
}

void concurrency::look(std::int64_t now_ns) noexcept {
  std::int64_t next = m_next_look_ns.load(order::relaxed);
  if (now_ns < next || !m_next_look_ns.compare_exchange(next, now_ns + k_look_ns, order::relaxed, order::relaxed))
    return;
  try {
    const std::uint64_t fingerprint = process_mask().fingerprint();
    const unsigned usable = usable_cores(); // reads files: without the mutex
    const std::lock_guard guard(m_mutex);
    if (std::exchange(m_fingerprint, fingerprint) != fingerprint) m_masks.fetch_add(1, order::relaxed);
    if (m_usable != usable) share_out(m_granted, usable);
  } catch (...) { // no memory: stays as it is
  }
}

} // namespace treadle::detail

#include <treadle/detail/site.hpp>

#include "base/clock.hpp"
#include "task/worker.hpp"

#include <algorithm>

namespace treadle::detail {
namespace {

std::uint64_t suspensions_here() noexcept {
  worker* w = this_worker();
  return w ? w->counters.suspensions.load(order::relaxed) : 0;
}

} // namespace

void site::record(std::int64_t ns, bool blocked) noexcept {
  if (blocked) m_blocks.store(true, order::relaxed);
  const std::int64_t bounded = std::clamp<std::int64_t>(ns, 0, 1'000'000'000);
  const std::uint32_t n = m_samples.load(order::relaxed);
  const std::int64_t mean = m_mean_ns.load(order::relaxed);
  // The plain mean of the first samples, then an exponential one that follows changes.
  const std::int64_t weight = std::min<std::int64_t>(n + 1, 8);
  m_mean_ns.store(static_cast<std::uint32_t>(mean + (bounded - mean) / weight), order::relaxed);
  m_samples.store(n + 1 == 0 ? n : n + 1, order::relaxed);
}

site_timer::site_timer(site& where) noexcept
    : m_site(where), m_start_ticks(ticks_now()), m_suspensions(suspensions_here()) {}

site_timer::~site_timer() {
  // A migration also shows as a different count, and only suspended tasks migrate.
  m_site.record(ticks_to_ns(ticks_now() - m_start_ticks), suspensions_here() != m_suspensions);
}

} // namespace treadle::detail

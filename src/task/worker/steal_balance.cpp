#include "task/worker/steal_balance.hpp"

#include "base/clock.hpp"
#include "task/timing.hpp"
#include "task/worker/worker.hpp"

#include <algorithm>
#include <utility>

namespace treadle::detail {

constexpr std::int64_t k_patience = 16; // steals that do not pay, in a row

void steal_balance::note_victim(const worker& victim) noexcept {
  m_from[victim.index()].increment_unshared();
  const auto ran = victim.counters.inlined.load(order::relaxed) + victim.counters.phases.load(order::relaxed);
  const bool has_run = std::exchange(m_victim, &victim) != &victim || m_victim_ran != ran;
  m_victim_ran = ran;
  m_victim_waits = !has_run && victim.tasks.empty();
}

void steal_balance::note_time(std::int64_t began, std::int64_t now) noexcept {
  m_stole_at = now;
  m_steal_ticks += (std::min(now - began, 4 * m_steal_ticks) - m_steal_ticks) / 8;
}

std::int64_t steal_balance::settle(std::int64_t now, std::uint64_t suspensions) noexcept {
  const bool blocked = suspensions != std::exchange(m_suspensions_before, suspensions);
  if (m_stole_at == 0) return 0;
  const std::int64_t steal = std::max(ns_to_ticks(timing::k_steal), 3 * m_steal_ticks);
  const std::int64_t ran = now - std::exchange(m_stole_at, 0);
  const bool paid = ran > (blocked ? 4 * steal : steal) || (m_victim_waits && !blocked);
  const std::int64_t lost = blocked ? steal : steal - ran; // where it did not pay
  m_lost_ticks = paid ? 0 : std::min(m_lost_ticks + lost, (k_patience + 2) * steal);
  const std::int64_t rests = m_lost_ticks / steal - k_patience;
  return rests >= 0 ? timing::k_rest << rests : 0;
}

bool steal_balance::is_low() const noexcept { return m_lost_ticks >= ns_to_ticks(k_patience / 2 * timing::k_steal); }

} // namespace treadle::detail

#include "task/idle/idle_workers.hpp"

namespace treadle::detail {

void idle_workers::announce(unsigned worker, bool naps) noexcept {
  m_seats[worker].naps.store(naps, order::relaxed); // published with the bit
  m_seats[worker].until.store(k_never_ns, order::relaxed);
  // B: withdraw() reads `naps` after it has found the bit. If it came too early for the bit, as in wake_all(), we see
  // what it did before, because heavy_fence() acquires.
  m_sleeping[worker / 64].fetch_or(std::uint64_t{1} << (worker % 64), order::release);
  // C, and publishes the bit to wake_one(). Acquire is stronger than needed: heavy_fence() would do, but there is none
  // before a nap, which then might begin although there is an injected job.
  m_count.fetch_add((naps ? k_napping : k_parked) - k_searching, order::acq_rel);
}

bool idle_workers::withdraw(unsigned worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker % 64);
  if (!(m_sleeping[worker / 64].fetch_and(~bit, order::acq_rel) & bit)) return false; // B
  m_count.fetch_add(k_searching - (m_seats[worker].naps.load(order::relaxed) ? k_napping : k_parked), order::relaxed);
  return true;
}

void idle_workers::wake(unsigned worker) noexcept {
  m_seats[worker].wake_up.store(1, order::release); // W, beyond the model: pairs with sleep()
  if (m_how.wake)
    m_how.wake(*this, worker, m_seats[worker].wake_up);
  else
    futex_wake(m_seats[worker].wake_up);
}

bool idle_workers::somebody_sleeps() const noexcept {
  for (unsigned i = 0; i * 64 < m_workers; ++i) {
    if (m_sleeping[i].load(order::relaxed) != 0) return true;
  }
  return false;
}

bool idle_workers::wake_one() noexcept {
  if (m_how.nearest) {
    for (const unsigned worker : m_how.nearest(*this)) {
      if (!(m_sleeping[worker / 64].load(order::relaxed) >> (worker % 64) & 1) || !withdraw(worker)) continue;
      wake(worker);
      return true;
    }
  }
  for (unsigned i = 0; i * 64 < m_workers; ++i) {
    std::uint64_t set = m_sleeping[i].load(order::relaxed);
    while (set != 0) {
      const unsigned worker = i * 64 + static_cast<unsigned>(__builtin_ctzll(set));
      if (withdraw(worker)) {
        wake(worker);
        return true;
      }
      set &= set - 1;
    }
  }
  return false;
}

bool idle_workers::somebody_wakes_by(std::int64_t deadline_ns) const noexcept {
  if (deadline_ns == k_never_ns) return true;
  for (unsigned i = 0; i * 64 < m_workers; ++i) {
    for (std::uint64_t set = m_sleeping[i].load(order::relaxed); set != 0; set &= set - 1) {
      const unsigned worker = i * 64 + static_cast<unsigned>(__builtin_ctzll(set));
      if (m_seats[worker].until.load(order::relaxed) <= deadline_ns) return true;
    }
  }
  return false;
}

void idle_workers::wake_all() noexcept {
  for (unsigned worker = 0; worker < m_workers; ++worker) {
    if (withdraw(worker)) wake(worker);
  }
}

} // namespace treadle::detail

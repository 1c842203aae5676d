#include "task/idle_workers.hpp"

namespace treadle::detail {

void idle_workers::announce(unsigned worker, bool naps) noexcept {
  m_seats[worker].naps.store(naps, order::relaxed); // published with the bit
  m_sleeping[worker / 64].fetch_or(std::uint64_t{1} << (worker % 64), order::seq_cst);
  m_count.fetch_add((naps ? k_napping : k_parked) - k_searching, order::seq_cst);
}

bool idle_workers::withdraw(unsigned worker) noexcept {
  const std::uint64_t bit = std::uint64_t{1} << (worker % 64);
  if (!(m_sleeping[worker / 64].fetch_and(~bit, order::seq_cst) & bit)) return false;
  m_count.fetch_add(k_searching - (m_seats[worker].naps.load(order::relaxed) ? k_napping : k_parked), order::seq_cst);
  return true;
}

void idle_workers::wake(unsigned worker) noexcept {
  m_seats[worker].wake_up.store(1, order::release); // pairs with the acquire load in sleep()
  futex_wake(m_seats[worker].wake_up);
}

void idle_workers::wake_one() noexcept {
  for (unsigned i = 0; i * 64 < m_workers; ++i) {
    std::uint64_t set = m_sleeping[i].load(order::relaxed);
    while (set != 0) {
      const unsigned worker = i * 64 + static_cast<unsigned>(__builtin_ctzll(set));
      if (withdraw(worker)) return wake(worker);
      set &= set - 1;
    }
  }
}

void idle_workers::wake_all() noexcept {
  for (unsigned worker = 0; worker < m_workers; ++worker) {
    if (withdraw(worker)) wake(worker);
  }
}

} // namespace treadle::detail

#include "topology/process_mask.hpp"

#include "base/fnv1a.hpp"

#include <thread>
#include <utility>

#include <unistd.h>

namespace treadle::detail {

process_mask::process_mask() noexcept {
  // The kernel refuses a mask that is too small for the machine: grow until it fits.
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20) && !m_set; cpus *= 2) {
    m_set = CPU_ALLOC(cpus);
    if (!m_set) return;
    m_bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(m_bytes, m_set);
    if (sched_getaffinity(getpid(), m_bytes, m_set) == 0) return;
    CPU_FREE(std::exchange(m_set, nullptr));
  }
}

static const process_mask g_at_start;
const process_mask& process_mask::at_start() noexcept { return g_at_start; }

process_mask::~process_mask() {
  if (m_set) CPU_FREE(m_set);
}

unsigned process_mask::count() const noexcept {
  return m_set ? static_cast<unsigned>(CPU_COUNT_S(m_bytes, m_set)) : std::thread::hardware_concurrency();
}

std::vector<unsigned> process_mask::cpus() const {
  std::vector<unsigned> all;
  for (unsigned cpu = 0; m_set && cpu < 8 * m_bytes; ++cpu) {
    if (CPU_ISSET_S(cpu, m_bytes, m_set)) all.push_back(cpu);
  }
  return all;
}

std::uint64_t process_mask::fingerprint() const noexcept {
  return m_set ? fnv1a({reinterpret_cast<const char*>(m_set), m_bytes}) : fnv1a({});
}

} // namespace treadle::detail

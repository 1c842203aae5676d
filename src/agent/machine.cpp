#include "agent/machine.hpp"

#include "topology/cpu_distance.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>

namespace treadle::agent {

watched_process::watched_process(int pid) noexcept
    : m_pid(pid), m_descriptor(pid > 0 ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1) {}

bool watched_process::has_ended() const noexcept {
  pollfd one{m_descriptor.get(), POLLIN, 0};
  return m_descriptor && poll(&one, 1, 0) == 1;
}

std::optional<double> watched_process::cpu_s() const noexcept {
  clockid_t clock;
  timespec time;
  if (m_pid <= 0 || clock_getcpuclockid(m_pid, &clock) != 0 || clock_gettime(clock, &time) != 0 || has_ended())
    return std::nullopt; // after it was read: until now the number meant that process
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::vector<unsigned> own_cpus() {
  cpu_set_t set;
  std::vector<unsigned> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

decide::cpus_and_distances with_distances(std::vector<unsigned> cpus) {
  // A program gains more from one cache for all than from two cores in the place of one's two threads, so each step
  // counts more than all nearer ones together.
  constexpr std::uint8_t k_distances[] = {1, 4, 16, 64};
  static_assert(std::size(k_distances) == detail::k_cpu_distances);
  std::vector<std::uint8_t> distances;
  for (const unsigned a : cpus)
    for (const unsigned b : cpus)
      distances.push_back(
          a == b ? 0
                 : k_distances[static_cast<int>(detail::distance_between(static_cast<int>(a), static_cast<int>(b)))]);
  return {std::move(cpus), std::move(distances)};
}

double busy_s(std::string_view text, const std::vector<unsigned>& cpus, double ticks_per_s) {
  double ticks = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto word = [&line] {
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      const std::string_view found = line.substr(0, line.find(' '));
      line.remove_prefix(found.size());
      return found;
    };
    const auto number = [](std::string_view from) {
      std::uint64_t value = 0;
      std::from_chars(from.data(), from.data() + from.size(), value);
      return value;
    };
    const std::string_view name = word();
    if (!name.starts_with("cpu") || name == "cpu" ||
        !std::binary_search(cpus.begin(), cpus.end(), static_cast<unsigned>(number(name.substr(3)))))
      continue;
    // user, nice, system, idle, iowait, irq, softirq, steal: all in which something runs that does not give way to
    // others. What guests use is in the first two.
    for (int field = 0; field < 7; ++field) {
      const std::uint64_t value = number(word());
      if (field != 1 && field != 3 && field != 4) ticks += static_cast<double>(value);
    }
  }
  return ticks / ticks_per_s;
}

void foreign_load::observe(double seconds, double busy, double own) noexcept {
  if (!(seconds > 0)) return;
  const double seen = std::max((busy - own) / seconds, 0.0);
  m_cores += (1 - std::exp(-seconds / k_memory_s)) * (seen - m_cores);
}

unsigned capacity(unsigned usable, double foreign) noexcept {
  // What is less than half a core is not worth one.
  const double left = usable - std::floor(std::max(foreign, 0.0) + 0.5);
  return left >= 1 ? static_cast<unsigned>(left) : 1;
}

} // namespace treadle::agent

#pragma once

#include <gtest/gtest.h>

#include <vector>

#include <sched.h>
#include <unistd.h>

namespace treadle::testing {

/// By their numbers, rising.
inline std::vector<unsigned> cpus_of(const cpu_set_t& mask) {
  std::vector<unsigned> cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(cpu);
  return cpus;
}

/// The hardware threads of the main thread, and the first of them.
struct masks {
  cpu_set_t whole, one;
};
inline masks masks_of_main_thread() {
  masks found;
  CPU_ZERO(&found.whole);
  EXPECT_EQ(sched_getaffinity(getpid(), sizeof found.whole, &found.whole), 0);
  CPU_ZERO(&found.one);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&found.one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &found.whole)) CPU_SET(cpu, &found.one);
  return found;
}

} // namespace treadle::testing

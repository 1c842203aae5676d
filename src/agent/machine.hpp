// What the kernel tells an agent of the machine and of processes.
#pragma once

#include "base/posix_file.hpp"
#include "decide/cpu_sets.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace treadle::agent {

/// A process that is watched until it ends; its number cannot come to mean another one unnoticed.
class watched_process {
 public:
  /// Not watched (descriptor() is -1) where it has ended already, is not visible here, or the kernel cannot do that.
  explicit watched_process(int pid) noexcept;

  int pid() const noexcept { return m_pid; }
  int descriptor() const noexcept { return m_descriptor.get(); } ///< readable when it has ended
  bool has_ended() const noexcept;
  /// Seconds of processor time that it has used so far, with threads that have ended; none when it cannot be read.
  std::optional<double> cpu_s() const noexcept;

 private:
  int m_pid;
  detail::posix_file m_descriptor;
};

/// Hardware threads on which this process may run, by number.
std::vector<unsigned> own_cpus();
/// How far they are from each other: as their caches and memory are.
decide::cpus_and_distances with_distances(std::vector<unsigned> cpus);
/// Seconds for which these have been busy since the machine was started, from the text of /proc/stat; without processes
/// of lower priority than usual (nice), which give way.
double busy_s(std::string_view proc_stat, const std::vector<unsigned>& cpus, double ticks_per_s);

/// How many cores others keep busy, smoothed over a few seconds.
class foreign_load {
 public:
  /// In the last `seconds` the machine's cores were busy for `busy_s`, `own_s` of that with the agent's programs.
  void observe(double seconds, double busy_s, double own_s) noexcept;
  double cores() const noexcept { return m_cores; }

 private:
  static constexpr double k_memory_s = 2;
  double m_cores = 0;
};

/// Cores to share out: those that there are, without those that others keep busy, as long as one is left.
unsigned capacity(unsigned usable, double foreign) noexcept;

} // namespace treadle::agent

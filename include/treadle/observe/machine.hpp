#pragma once

#include <treadle/detail/config.hpp>

#include <string>

namespace treadle {

/// The machine as the operating system shows it to this process.
struct machine_info {
  std::string processor;         ///< model name, "unknown" when not known
  unsigned packages = 0;         ///< sockets
  unsigned cores = 0;            ///< physical cores
  unsigned processing_units = 0; ///< hardware threads
  unsigned numa_domains = 0;
  /// What a runtime uses by default: bounded by the affinity mask and the quota of the control group, and a share of
  /// that where mpirun has started several processes here.
  unsigned usable_cores = 0;
  std::uint64_t l1d_bytes = 0; ///< of one cache; 0 when not known
  std::uint64_t l2_bytes = 0;
  std::uint64_t l3_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

/// machine_info::usable_cores by itself: reads a few small files, under 0.1 ms.
unsigned usable_cores();

/// Reads the topology through hwloc: some milliseconds. Throws std::runtime_error when the machine cannot be read.
machine_info describe_machine();

} // namespace treadle

#pragma once

#include <string>

namespace treadle::detail {

/// Cores this process may keep busy: the affinity mask of its main thread, bounded by the CPU quota of its control
/// group and of all groups above it (rounded up). Where mpirun has started several processes here, not
/// more than each one's share of the machine. At least 1. Reads a few small files; under 0.1 ms.
unsigned usable_cores();

/// Processes of this program on this machine, as the variables of OpenMPI and MPICH say; 1 where there are none.
unsigned ranks_on_this_machine();

/// The quota in cores that the control-group files under `root` grant to the group named in `self_cgroup` (the text of
/// /proc/self/cgroup); 0 when there is none. Both hierarchies, version 2 (cpu.max) and 1 (cpu.cfs_quota_us).
double cgroup_quota_cores(const std::string& self_cgroup, const std::string& root);

} // namespace treadle::detail

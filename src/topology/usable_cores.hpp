#pragma once

#include <string>

namespace treadle::detail {

/// Cores this process may keep busy: the affinity mask of its main thread, bounded by the CPU quota of its control
/// group and of all groups above it (rounded up). At least 1. Reads a few small files; under 0.1 ms.
unsigned usable_cores();

/// The quota in cores that the control-group files under `root` grant to the group named in `self_cgroup` (the text of
/// /proc/self/cgroup); 0 when there is none. Both hierarchies, version 2 (cpu.max) and 1 (cpu.cfs_quota_us).
double cgroup_quota_cores(const std::string& self_cgroup, const std::string& root);

} // namespace treadle::detail

#pragma once

namespace treadle::detail {

/// What two hardware threads have in common, nearest first.
enum class cpu_distance { core, cache, node, machine };
inline constexpr int k_cpu_distances = 4;

/// By the numbers of the operating system. The first call reads the topology (some milliseconds); `machine` where that
/// is not possible. Any thread.
cpu_distance distance_between(int cpu, int other_cpu) noexcept;

} // namespace treadle::detail

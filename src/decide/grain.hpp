// How much work a task gets, its grain. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle::decide {

/// What is known of tasks that do the same to more or less work, without having tried sizes. Times in ns.
struct grain_model {
  double work = 0;        ///< between two waits for all tasks, in units such as points
  double ns_per_unit = 0; ///< of execution
  double overhead_ns = 0; ///< per task, all that is not execution
  unsigned workers = 1;
  static constexpr double k_overhead_share = 0.05;

  /// The grain g at which that takes least: (W c / P) (1 + t_o / (g c)) + g c / 2, half a task being the mean time that
  /// the last of them keeps the others waiting.
  double best() const noexcept;
  /// From here on overhead is at most k_overhead_share of the time of a task.
  double smallest_useful() const noexcept { return (1 / k_overhead_share - 1) * overhead_ns / ns_per_unit; }
  /// The useful grain closest to another one, of which the model does not know what speaks for it, such as caches. What
  /// a task costs is about known, so one that is off by less than a factor of two stays.
  double closest(double grain) const noexcept;
};

/// The grains that are tried: half octaves from a start, which is one of them.
class grain_places {
 public:
  /// Both bounds at least 1; `start` is moved in between.
  grain_places(double smallest, double largest, double start) noexcept;

  std::uint32_t count() const noexcept { return m_count; }
  double grain(std::uint64_t place) const noexcept;
  std::uint32_t closest(double grain) const noexcept; ///< place
  std::uint32_t start() const noexcept { return m_start; }

 private:
  double m_smallest; // of the places
  std::uint32_t m_count, m_start;
};

} // namespace treadle::decide

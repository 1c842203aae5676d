#pragma once

#include "stencil/partitions.hpp"

#include <treadle/future.hpp>
#include <treadle/tune/grain_tuner.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace stencil {

/// The benchmark of Grubel et al., "The Performance Implication of Task Size for Applications on the HPX Runtime
/// System" (CLUSTER 2015), that is HPX's 1d_stencil_4: a future per partition and step, made by dataflow of the three
/// closest partitions of the step before, and every task returns a partition that it has just allocated.
class faithful_ring {
 public:
  faithful_ring(std::size_t points, std::size_t partition);

  std::size_t points() const noexcept { return m_parts.end(m_parts.count() - 1); }
  std::size_t partition_count() const noexcept { return m_parts.count(); }
  /// With a tuner, in partitions of its choice. In the step that changes them a task reads the old partitions that its
  /// points lie in; what it returns is new anyway, so nothing is copied.
  void run_steps(std::size_t steps, treadle::grain_tuner* tuner = nullptr);
  std::size_t partition_asked() const noexcept { return m_asked; }
  std::vector<double> values() const;

 private:
  struct partition {
    std::unique_ptr<double[]> data;
    std::size_t size;
  };
  using future_partition = treadle::shared_future<partition>;

  static partition heat_across(const std::vector<future_partition>& sources, std::size_t offset, std::size_t size);
  static partition heat_part(const partition& left, const partition& middle, const partition& right);

  partitions m_parts;
  std::size_t m_asked;
  std::vector<future_partition> m_now;
};

} // namespace stencil

#pragma once

#include "stencil/kernel.hpp"
#include "stencil/partitions.hpp"

#include <treadle/localities/channel.hpp>
#include <treadle/localities/collectives.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace distributed_stencil {

using edge = std::vector<double>;

/// A locality's block of the ring of the heat equation (stencil/heat.hpp). In a round, all localities make `height`
/// steps, after each has sent its neighbours the points at its edges: as many as it makes steps, because those are
/// computed twice in place of sending some after each step. Tiles in the middle do not wait for them.
class ring_block {
 public:
  /// Collective. `blocks`: of blocks_of() for this `height`; `tile`: points of a task.
  ring_block(treadle::communicator& all, const stencil::partitions& blocks, std::size_t tile, std::size_t height);

  /// No locality is more than a round ahead of its neighbours. To be called in a task.
  void run_steps(std::size_t steps);
  /// From point begin() of the ring on.
  std::span<const double> values() const noexcept { return {m_now.get() + m_halo, m_points}; }
  std::size_t begin() const noexcept { return m_begin; }

 private:
  using done = treadle::shared_future<void>;

  void send_edges() const;
  /// When the edge has come, and is beside the block.
  done receive(const treadle::remote_channel<edge>& from, double* to) const;
  void advance(std::size_t tile, std::size_t steps) const;
  void run_round(std::size_t steps);

  std::size_t m_begin, m_points; ///< of this block
  std::size_t m_height, m_halo;  ///< steps of a round; points beside the block
  stencil::partitions m_tiles;
  stencil::aligned_array m_now, m_next; ///< halo, block, halo
  treadle::remote_channel<edge> m_from_left, m_from_right, m_to_left, m_to_right;
};

/// The ring cut into blocks of whole lines. Throws std::invalid_argument that says what does not fit.
stencil::partitions blocks_of(std::size_t points, std::size_t localities, std::size_t height);

} // namespace distributed_stencil

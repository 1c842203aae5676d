#include "distributed_stencil/ring_block.hpp"

#include "stencil/heat.hpp"
#include "stencil/scratch.hpp"

#include <treadle/dataflow.hpp>
#include <treadle/when.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace distributed_stencil {

using stencil::k_line;

stencil::partitions blocks_of(std::size_t points, std::size_t localities, std::size_t height) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument("--points " + std::to_string(points) + ": " + why);
  };
  if (points % k_line != 0) refuse("expected a multiple of " + std::to_string(k_line));
  if (points / k_line < localities) refuse("too few for " + std::to_string(localities) + " localities");
  const std::size_t lines = points / k_line, lines_each = lines / localities + (lines % localities != 0 ? 1 : 0);
  const stencil::partitions blocks(points, lines_each * k_line, k_line);
  if (blocks.count() != localities) refuse("cannot be shared out over " + std::to_string(localities) + " localities");
  if (stencil::rounded_to_lines(height) > blocks.smallest())
    refuse("blocks of " + std::to_string(blocks.smallest()) + " points, fewer than the " +
           std::to_string(stencil::rounded_to_lines(height)) + " that --height " + std::to_string(height) + " needs");
  return blocks;
}

ring_block::ring_block(treadle::communicator& all, const stencil::partitions& blocks, std::size_t tile,
                       std::size_t height)
    : m_begin(blocks.begin(all.rank())),
      m_points(blocks.size(all.rank())),
      m_height(height),
      m_halo(stencil::rounded_to_lines(height)),
      m_tiles(m_points, tile, k_line),
      m_now(stencil::make_aligned(m_points + 2 * m_halo)),
      m_next(stencil::make_aligned(m_points + 2 * m_halo)),
      m_from_left(treadle::remote_channel<edge>::make()),
      m_from_right(treadle::remote_channel<edge>::make()) {
  for (std::size_t i = 0; i < m_points; ++i) m_now[m_halo + i] = stencil::initial_value(m_begin + i);
  const unsigned left = (all.rank() + all.size() - 1) % all.size(), right = (all.rank() + 1) % all.size();
  m_to_left = treadle::all_gather(all, m_from_right).get()[left];
  m_to_right = treadle::all_gather(all, m_from_left).get()[right];
}

void ring_block::send_edges() const {
  const double* const first = m_now.get() + m_halo;
  m_to_left.set(edge(first, first + m_halo));
  m_to_right.set(edge(first + m_points - m_halo, first + m_points));
}

ring_block::done ring_block::receive(const treadle::remote_channel<edge>& from, double* to) const {
  return from.get()
      .then(treadle::launch::sync,
            [to](treadle::future<edge> came) {
              const edge points = came.get();
              std::copy(points.begin(), points.end(), to);
            })
      .share();
}

void ring_block::advance(std::size_t tile, std::size_t steps) const {
  const std::size_t points = m_tiles.size(tile);
  const std::size_t at = m_halo + m_tiles.begin(tile);
  stencil::advance_tile(m_now.get() + at, m_next.get() + at, points, steps,
                        stencil::scratch(stencil::tile_scratch(points, steps)));
}

void ring_block::run_round(std::size_t steps) {
  send_edges();
  const done left = receive(m_from_left, m_now.get());
  const done right = receive(m_from_right, m_now.get() + m_halo + m_points);
  const done here = treadle::make_ready_future().share();
  std::vector<treadle::future<void>> tasks;
  tasks.reserve(m_tiles.count());
  for (std::size_t i = 0; i < m_tiles.count(); ++i) {
    tasks.push_back(treadle::dataflow(
        [this, i, steps](const done& before, const done& behind) {
          before.get();
          behind.get();
          advance(i, steps);
        },
        m_tiles.begin(i) < m_halo ? left : here, m_tiles.end(i) + m_halo > m_points ? right : here));
  }
  treadle::wait_all(tasks);
  for (auto& task : tasks) task.get();
  std::swap(m_now, m_next);
}

void ring_block::run_steps(std::size_t steps) {
  for (; steps > 0; steps -= std::min(steps, m_height)) run_round(std::min(steps, m_height));
}

} // namespace distributed_stencil

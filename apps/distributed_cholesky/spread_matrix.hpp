#pragma once

#include "cholesky/tiled_matrix.hpp"
#include "distributed_cholesky/block_cyclic.hpp"

#include <treadle/future.hpp>
#include <treadle/promise.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace distributed_cholesky {

/// The values of a tile, one column after the other. Who has the last reference frees them.
using values = std::shared_ptr<std::vector<double>>;
using future_values = treadle::shared_future<values>;

/// The lower triangle of a matrix over all localities, and its factorisation: each executes the tasks that write its
/// own tiles, and sends those that are finished to all who read them. One at a time in a process, which its tiles come
/// to; to be made and ended by all localities, with a barrier behind the one and in front of the other.
class spread_matrix {
 public:
  /// `element(row, column)` of the matrix, in parallel.
  spread_matrix(const cholesky::tiling& shape, std::size_t localities, unsigned own,
                const std::function<double(std::size_t, std::size_t)>& element);
  ~spread_matrix();
  spread_matrix(const spread_matrix&) = delete;
  spread_matrix& operator=(const spread_matrix&) = delete;

  /// Waits for the tiles of this locality. In a task. Throws cholesky::not_positive_definite in all localities that
  /// depend on the tile where that was found.
  void factorise();
  bool is_own(std::size_t i, std::size_t j) const noexcept { return m_grid.owner(i, j) == m_own; }
  /// One of this locality.
  const std::vector<double>& at(std::size_t i, std::size_t j) const { return *m_tiles[place(i, j)].get(); }

  /// A finished tile of another locality; no values: the diagonal's tile `tile` has no factor, from `order` on.
  void receive(std::size_t i, std::size_t j, std::vector<double> came, std::size_t tile, std::size_t order);

 private:
  std::size_t place(std::size_t i, std::size_t j) const noexcept { return j * m_shape.count() + i; }
  /// A tile as it will be when it is finished, of whichever locality.
  future_values finished(std::size_t i, std::size_t j);
  /// Sends it to all who read it when it is finished.
  void publish(std::size_t i, std::size_t j);
  std::set<unsigned> readers(std::size_t i, std::size_t j) const;
  /// A task on a tile of this locality: kernel(tile, read...), all of which are futures that are ready.
  template <class Kernel, class... Read>
  void update(const char* name, std::size_t i, std::size_t j, Kernel kernel, const Read&... read);
  cholesky::tile view(const future_values& of, std::size_t i, std::size_t j) const;

  const cholesky::tiling m_shape;
  const block_cyclic m_grid;
  const unsigned m_own;
  std::vector<future_values> m_tiles;           // own ones, as they will be after the tasks that exist so far
  std::vector<treadle::future<void>> m_sending; // of finished ones
  struct coming {
    treadle::promise<values> tile;
    future_values when = tile.get_future().share();
  };
  /// Made when it comes or is asked for, whichever is first.
  coming& coming_tile(std::size_t i, std::size_t j);
  std::mutex m_lock; // of the next
  std::vector<std::unique_ptr<coming>> m_coming;
};

} // namespace distributed_cholesky

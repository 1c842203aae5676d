#include "cholesky/factorise.hpp"

#include "cholesky/kernels.hpp"

#include <treadle/executors.hpp>
#include <treadle/future.hpp>
#include <treadle/this_task.hpp>

#include <cstddef>
#include <vector>

namespace cholesky {

namespace {

using future_tile = treadle::shared_future<tile>;

/// For recordings: what the running task reads or writes.
template <class... Tile>
void note(const Tile&... used) noexcept {
  (treadle::this_task::note_memory(used.data, used.rows * used.columns * sizeof(double)), ...);
}

/// The tiles of the lower triangle as they will be after the tasks that exist so far. An update works in place: only
/// the next update of a tile reads what the last one made, and the tiles that others read, those of finished columns,
/// are never written again. An exception passes from tile to tile to all that depend on it.
class graph {
 public:
  graph(tiled_matrix& a, const settings& how)
      : m_shape(a.shape()), m_how(how), m_tiles(m_shape.count() * m_shape.count()) {
    for (std::size_t j = 0; j < m_shape.count(); ++j) {
      for (std::size_t i = j; i < m_shape.count(); ++i) at(i, j) = treadle::make_ready_future(a.at(i, j));
    }
  }
  ~graph() { // no memory for a task, perhaps: those that exist write to the matrix
    for (const future_tile& one : m_tiles) {
      if (one.valid()) one.wait();
    }
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;

  void create() {
    for (std::size_t k = 0; k < m_shape.count(); ++k) {
      at(k, k) = m_how.launch.potrf.dataflow(
          treadle::annotated(
              [k, begin = m_shape.begin(k), times = m_how.slow_potrf](const future_tile& a) {
                note(a.get());
                potrf(a.get(), k, begin, times);
                return a.get();
              },
              "potrf"),
          at(k, k));
      for (std::size_t i = k + 1; i < m_shape.count(); ++i)
        at(i, k) = update<trsm>(m_how.launch.trsm, "trsm", at(i, k), at(k, k));
      for (std::size_t j = k + 1; j < m_shape.count(); ++j) {
        at(j, j) = update<syrk>(m_how.launch.syrk, "syrk", at(j, j), at(j, k));
        for (std::size_t i = j + 1; i < m_shape.count(); ++i)
          at(i, j) = update<gemm>(m_how.launch.gemm, "gemm", at(i, j), at(i, k), at(j, k));
      }
    }
  }

  /// Throws what the first task that failed threw: columns are in the order of time on the diagonal.
  void finish() {
    for (const future_tile& one : m_tiles) {
      if (one.valid()) one.wait();
    }
    for (std::size_t k = 0; k < m_shape.count(); ++k) at(k, k).get();
  }

 private:
  future_tile& at(std::size_t i, std::size_t j) { return m_tiles[j * m_shape.count() + i]; }

  template <auto Kernel, class... Read>
  static future_tile update(const apps::launcher& launch, const char* name, const future_tile& written,
                            const Read&... read) {
    return launch.dataflow(treadle::annotated(
                               [](const future_tile& into, const auto&... from) {
                                 note(into.get(), from.get()...);
                                 Kernel(into.get(), from.get()...);
                                 return into.get();
                               },
                               name),
                           written, read...);
  }

  const tiling m_shape;
  const settings& m_how;
  std::vector<future_tile> m_tiles; // (i, j) at j * count + i
};

} // namespace

launchers launchers_of(const apps::configuration& how) {
  const apps::launcher other = how.launcher_of(false);
  return {.potrf = how.launcher_of(true), .trsm = other, .syrk = other, .gemm = other};
}

void factorise(tiled_matrix& a, const settings& how) {
  graph tasks(a, how);
  tasks.create();
  tasks.finish();
}

} // namespace cholesky

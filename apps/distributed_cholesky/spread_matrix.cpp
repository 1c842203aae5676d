#include "distributed_cholesky/spread_matrix.hpp"

#include "cholesky/kernels.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/annotated.hpp>
#include <treadle/dataflow.hpp>
#include <treadle/localities/action.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace distributed_cholesky {

using cholesky::tile;

namespace {

spread_matrix* matrix_here = nullptr; // set and cleared while no tile is on its way

void receive(std::size_t i, std::size_t j, std::vector<double> came, std::size_t at, std::size_t order) {
  matrix_here->receive(i, j, std::move(came), at, order);
}

} // namespace

spread_matrix::spread_matrix(const cholesky::tiling& shape, std::size_t localities, unsigned own,
                             const std::function<double(std::size_t, std::size_t)>& element)
    : m_shape(shape),
      m_grid(localities),
      m_own(own),
      m_tiles(shape.count() * shape.count()),
      m_coming(shape.count() * shape.count()) {
  treadle::for_loop(treadle::par, std::size_t{0}, m_tiles.size(), [&](std::size_t k) {
    const std::size_t i = k % shape.count(), j = k / shape.count();
    if (i < j || !is_own(i, j)) return;
    const auto of_tile = std::make_shared<std::vector<double>>(shape.size(i) * shape.size(j));
    for (std::size_t c = 0; c < shape.size(j); ++c)
      for (std::size_t r = i == j ? c : 0; r < shape.size(i); ++r)
        (*of_tile)[c * shape.size(i) + r] = element(shape.begin(i) + r, shape.begin(j) + c);
    m_tiles[k] = treadle::make_ready_future(of_tile);
  });
  matrix_here = this;
}

spread_matrix::~spread_matrix() {
  for (const auto& one : m_tiles)
    if (one.valid()) one.wait();
  for (const auto& one : m_sending)
    if (one.valid()) one.wait();
  matrix_here = nullptr;
}

spread_matrix::coming& spread_matrix::coming_tile(std::size_t i, std::size_t j) {
  const std::lock_guard guard(m_lock);
  auto& one = m_coming.at(place(i, j));
  if (!one) one = std::make_unique<coming>();
  return *one;
}

future_values spread_matrix::finished(std::size_t i, std::size_t j) {
  return is_own(i, j) ? m_tiles[place(i, j)] : coming_tile(i, j).when;
}

void spread_matrix::receive(std::size_t i, std::size_t j, std::vector<double> came, std::size_t at, std::size_t order) {
  treadle::promise<values>& tile = coming_tile(i, j).tile;
  if (came.empty())
    tile.set_exception(std::make_exception_ptr(cholesky::not_positive_definite(at, order)));
  else
    tile.set_value(std::make_shared<std::vector<double>>(std::move(came)));
}

/// Tile (i, j) is read by those that write column j, if it is on the diagonal, or else row i and column i.
std::set<unsigned> spread_matrix::readers(std::size_t i, std::size_t j) const {
  std::set<unsigned> all;
  for (std::size_t k = i == j ? i + 1 : i; k < m_shape.count(); ++k) all.insert(m_grid.owner(k, i));
  if (i != j)
    for (std::size_t k = j + 1; k <= i; ++k) all.insert(m_grid.owner(i, k));
  all.erase(m_own);
  return all;
}

void spread_matrix::publish(std::size_t i, std::size_t j) {
  auto to = readers(i, j);
  if (to.empty()) return;
  m_sending.push_back(m_tiles[place(i, j)].then([i, j, to = std::move(to)](const future_values& tile) {
    std::size_t at = 0, order = 0;
    values finished;
    try {
      finished = tile.get();
    } catch (const cholesky::not_positive_definite& e) {
      at = e.tile();
      order = e.order();
    } catch (const std::exception& e) { // others would wait for the tile for ever
      std::fprintf(stderr, "distributed_cholesky: tile (%zu, %zu): %s\n", i, j, e.what());
      std::_Exit(1);
    }
    static const std::vector<double> none;
    const std::vector<double>& sent = finished ? *finished : none;
    for (const unsigned one : to)
      treadle::post<&distributed_cholesky::receive>(treadle::locality(one), i, j, sent, at, order);
  }));
}

tile spread_matrix::view(const future_values& of, std::size_t i, std::size_t j) const {
  return {of.get()->data(), m_shape.size(i), m_shape.size(j)};
}

template <class Kernel, class... Read>
void spread_matrix::update(const char* name, std::size_t i, std::size_t j, Kernel kernel, const Read&... read) {
  m_tiles[place(i, j)] = treadle::dataflow(treadle::annotated(
                                               [kernel](const future_values& into, const Read&... from) {
                                                 kernel(into, from...);
                                                 return into.get();
                                               },
                                               name),
                                           m_tiles[place(i, j)], read...)
                             .share();
}

void spread_matrix::factorise() {
  const std::size_t n = m_shape.count();
  using one = const future_values&;
  for (std::size_t k = 0; k < n; ++k) {
    if (is_own(k, k)) {
      update("potrf", k, k, [this, k](one a) { potrf(view(a, k, k), k, m_shape.begin(k)); });
      publish(k, k);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      if (!is_own(i, k)) continue;
      update("trsm", i, k, [this, i, k](one b, one l) { trsm(view(b, i, k), view(l, k, k)); }, finished(k, k));
      publish(i, k);
    }
    for (std::size_t j = k + 1; j < n; ++j) {
      if (is_own(j, j))
        update("syrk", j, j, [this, j, k](one c, one a) { syrk(view(c, j, j), view(a, j, k)); }, finished(j, k));
      for (std::size_t i = j + 1; i < n; ++i) {
        if (!is_own(i, j)) continue;
        update(
            "gemm", i, j, [this, i, j, k](one c, one a, one b) { gemm(view(c, i, j), view(a, i, k), view(b, j, k)); },
            finished(i, k), finished(j, k));
      }
    }
  }
  for (const auto& tile : m_tiles)
    if (tile.valid()) tile.wait();
  for (auto& sent : m_sending) sent.get();
  for (std::size_t j = 0; j < n; ++j) // the first failure, in the order of time on the diagonal
    for (std::size_t i = j; i < n; ++i)
      if (is_own(i, j)) m_tiles[place(i, j)].get();
}

} // namespace distributed_cholesky

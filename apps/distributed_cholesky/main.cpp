// Blocked Cholesky factorisation of a matrix that is spread over localities.
#include "cholesky/blas.hpp"
#include "cholesky/kernels.hpp"
#include "cholesky/problem.hpp"
#include "common/arguments.hpp"
#include "common/localities_run.hpp"
#include "distributed_cholesky/spread_matrix.hpp"

#include <treadle/runtime.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>

namespace {

using cholesky::tiled_matrix;

struct arguments {
  std::size_t n = 2048;
  std::size_t tile = 128;
  std::size_t seed = 1;
  std::optional<std::size_t> spoil = {};
  bool check = false;
  bool json = false;
};

constexpr const char* k_about =
    R"(A symmetric positive definite matrix, in tiles that are dealt out over the localities,
is factorised by dataflow: each locality executes the tasks of its tiles, and sends those that are finished.

  treadle run -n 2 -- distributed_cholesky --n 2048 --tile 128 --check
  treadle run -n 4 -- distributed_cholesky --json)";

double element(const arguments& a, std::size_t row, std::size_t column) {
  const bool spoils = row == column && a.spoil == row;
  return spoils ? -1.0 : cholesky::random_element(a.seed, a.n, row, column);
}

/// By one thread.
tiled_matrix serial_factor(const arguments& a, const cholesky::tiling& shape) {
  tiled_matrix l(shape);
  l.fill([&](std::size_t row, std::size_t column) { return element(a, row, column); });
  for (std::size_t k = 0; k < shape.count(); ++k) {
    cholesky::potrf(l.at(k, k), k, shape.begin(k));
    for (std::size_t i = k + 1; i < shape.count(); ++i) cholesky::trsm(l.at(i, k), l.at(k, k));
    for (std::size_t j = k + 1; j < shape.count(); ++j) {
      cholesky::syrk(l.at(j, j), l.at(j, k));
      for (std::size_t i = j + 1; i < shape.count(); ++i) cholesky::gemm(l.at(i, j), l.at(i, k), l.at(j, k));
    }
  }
  return l;
}

/// The tiles of this locality: in the lower triangle, to the last bit.
bool is_as_serial(const distributed_cholesky::spread_matrix& mine, const arguments& a, const cholesky::tiling& shape) {
  const tiled_matrix whole = serial_factor(a, shape);
  for (std::size_t j = 0; j < shape.count(); ++j) {
    for (std::size_t i = j; i < shape.count(); ++i) {
      if (!mine.is_own(i, j)) continue;
      const std::vector<double>& found = mine.at(i, j);
      for (std::size_t c = 0; c < shape.size(j); ++c)
        for (std::size_t r = i == j ? c : 0; r < shape.size(i); ++r)
          if (found[c * shape.size(i) + r] != whole.at(i, j)(r, c)) return false;
    }
  }
  return true;
}

struct outcome {
  std::size_t order; ///< of the first leading minor that is not positive, or 0
  bool is_right;
};

outcome factorise(const arguments& a, treadle::communicator& all, apps::phases& measured) {
  const cholesky::tiling shape(a.n, a.tile);
  distributed_cholesky::spread_matrix matrix(shape, all.size(), all.rank(),
                                             [&](std::size_t r, std::size_t c) { return element(a, r, c); });
  measured.begin();
  constexpr std::size_t k_none = std::numeric_limits<std::size_t>::max();
  std::size_t order = k_none;
  try {
    matrix.factorise();
  } catch (const cholesky::not_positive_definite& e) {
    order = e.order();
  }
  measured.end(); // no tile is on its way any more
  order = treadle::all_reduce(all, order, [](std::size_t x, std::size_t y) { return std::min(x, y); }).get();
  if (order != k_none) return {order, true};
  return {0, apps::all_are(all, !a.check || is_as_serial(matrix, a, shape))};
}

void check(const arguments& a, std::size_t localities) {
  if (a.spoil && *a.spoil >= a.n)
    throw std::invalid_argument("--spoil " + std::to_string(*a.spoil) + ": the last element of the diagonal is " +
                                std::to_string(a.n - 1));
  const cholesky::tiling shape(a.n, a.tile);
  const auto n = static_cast<double>(a.n), tiles = static_cast<double>(shape.count());
  constexpr double k_bytes_per_task = 512, k_bytes_per_tile = 64;
  const auto shares = static_cast<double>(a.check ? 1 : localities);
  apps::check_memory("--n " + std::to_string(a.n) + " --tile " + std::to_string(a.tile),
                     k_bytes_per_tile * tiles * tiles +
                         (sizeof(double) * n * n + k_bytes_per_task * cholesky::tasks(tiles)) / shares);
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "distributed_cholesky");
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = 1'000'000;
  apps::add_number(app, "--n", a.n, 1, k_most, "rows of the matrix");
  apps::add_number(app, "--tile", a.tile, 1, k_most, "rows of a tile");
  apps::add_number(app, "--seed", a.seed, 0, k_most, "of the random matrix");
  app.add_option("--spoil", a.spoil, "make this element of the diagonal -1, so that there is no factor");
  app.add_flag("--check", a.check, "compare with the factor that one thread computes, bit by bit");
  app.add_flag("--json", a.json, "print one JSON object");
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  cholesky::use_blas_threads(1);
  treadle::runtime runtime(options);
  const treadle::localities here;
  treadle::communicator all("distributed_cholesky");
  check(a, all.size());
  apps::phases measured(all, "receive");
  const auto [order, is_right] =
      apps::run_together("distributed_cholesky", [&] { return factorise(a, all, measured); });
  if (order != 0) {
    const cholesky::not_positive_definite why((order - 1) / cholesky::tiling(a.n, a.tile).tile(), order);
    if (all.rank() == 0) std::fprintf(stderr, "distributed_cholesky: %s\n", why.what());
    return 1;
  }
  const distributed_cholesky::block_cyclic grid(all.size());
  const std::string n = std::to_string(a.n), tile = std::to_string(a.tile);
  return apps::report(all, measured, a.json, "\"n\": " + n + ", \"tile\": " + tile,
                      std::to_string(grid.rows()) + " rows of " + std::to_string(grid.columns()) + ", " + n + " x " +
                          n + " elements in tiles of " + tile,
                      {is_right, a.check});
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("distributed_cholesky", argc, argv, run); }

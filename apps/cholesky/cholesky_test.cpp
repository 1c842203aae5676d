// The factor is LAPACK's, whatever the tiles, the configuration and the number of workers.
#include "cholesky/blas.hpp"
#include "cholesky/factorise.hpp"
#include "cholesky/kernels.hpp"
#include "cholesky/problem.hpp"
#include "cholesky/tiled_matrix.hpp"
#include "common/configurations_fixture.hpp"

#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <rapidcheck.h>
#include <vector>

namespace {

using namespace cholesky;

constexpr unsigned k_workers[] = {1, 2, 4};

struct size_case {
  std::size_t n, tile;
};
constexpr size_case k_cases[] = {{1, 1},   {1, 7},   {2, 1},   {3, 2},    {5, 5},    {7, 3},     {16, 4},   {17, 4},
                                 {31, 32}, {33, 32}, {64, 16}, {100, 30}, {129, 64}, {200, 199}, {256, 32}, {301, 50}};

/// By dpotrf in one piece.
std::vector<double> by_lapack(std::size_t n, std::uint64_t seed) {
  std::vector<double> a(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) a[j * n + i] = random_element(seed, n, i, j);
  }
  const auto rows = static_cast<int>(n);
  EXPECT_EQ(CHOLESKY_BLAS(LAPACKE_dpotrf)(LAPACK_COL_MAJOR, 'L', rows, a.data(), rows), 0);
  return a;
}

void expect_factor(const size_case& c, std::uint64_t seed, const settings& how) {
  SCOPED_TRACE(testing::Message() << c.n << " rows in tiles of " << c.tile << ", seed " << seed);
  const tiled_matrix a = random_matrix({c.n, c.tile}, seed);
  tiled_matrix l = a;
  factorise(l, how);
  const std::vector<double> expected = by_lapack(c.n, seed);
  const double limit = residual_limit(c.n);
  double largest = 0;
  l.for_each_element([&](const double& value, std::size_t row, std::size_t column) {
    largest = std::max(largest, std::abs(value - expected[column * c.n + row]));
  });
  EXPECT_LE(largest, limit * std::sqrt(static_cast<double>(c.n)));
  EXPECT_LE(residual(a, l), limit);
  EXPECT_LE(residual_of_vector(a, l), limit);
}

/// check(settings) with every configuration.
void with_configurations(const auto& check) {
  use_blas_threads(1);
  apps::with_configurations(k_workers,
                            [&](const apps::configuration& how) { check(settings{.launch = launchers_of(how)}); });
}

/// What factorising a matrix throws of which some elements of the diagonal are spoilt.
not_positive_definite failure_of(const size_case& c, std::initializer_list<std::size_t> spoilt, double value,
                                 const settings& how) {
  tiled_matrix a = random_matrix({c.n, c.tile}, 1);
  for (const std::size_t i : spoilt) a.at(i / c.tile, i / c.tile)(i % c.tile, i % c.tile) = value;
  try {
    factorise(a, how);
  } catch (const not_positive_definite& failure) {
    return failure;
  }
  ADD_FAILURE() << "not refused";
  return {0, 0};
}

} // namespace

TEST(cholesky, tiles_cover_the_matrix) {
  for (const size_case& c : k_cases) {
    const tiling shape(c.n, c.tile);
    std::size_t rows = 0;
    for (std::size_t i = 0; i < shape.count(); ++i) {
      EXPECT_EQ(shape.begin(i), rows);
      EXPECT_GT(shape.size(i), 0U);
      EXPECT_LE(shape.size(i), c.tile);
      rows += shape.size(i);
    }
    EXPECT_EQ(rows, c.n);
  }
  EXPECT_THROW(tiling(0, 1), std::invalid_argument);
  EXPECT_THROW(tiling(1, 0), std::invalid_argument);
  EXPECT_THROW(tiling(std::size_t{1} << 31U, 64), std::invalid_argument);
}

TEST(cholesky, factor_is_that_of_lapack) {
  with_configurations([](const settings& how) {
    for (const size_case& c : k_cases) expect_factor(c, 1, how);
  });
}

TEST(cholesky, factor_is_that_of_lapack_whatever_the_sizes) {
  with_configurations([](settings how) {
    EXPECT_TRUE(rc::check([&] {
      const auto some = [](std::size_t end) { return *rc::gen::inRange<std::size_t>(1, end); };
      const std::size_t n = some(120);
      how.slow_potrf = static_cast<unsigned>(some(4));
      expect_factor({n, some(n + 10)}, some(1'000'000), how);
      RC_ASSERT(!testing::Test::HasFailure());
    }));
  });
}

TEST(cholesky, a_wrong_factor_has_a_large_residual) {
  const tiled_matrix a = random_matrix({100, 30}, 1);
  tiled_matrix l = a;
  factorise(l);
  for (const std::size_t i : {1U, 3U}) {
    tiled_matrix wrong = l;
    wrong.at(i, 1)(5, 3) += 1e-6;
    EXPECT_GT(residual(a, wrong), residual_limit(100));
    EXPECT_GT(residual_of_vector(a, wrong), residual_limit(100));
  }
}

TEST(cholesky, a_slow_potrf_changes_no_bit) {
  use_blas_threads(1);
  tiled_matrix once = random_matrix({200, 30}, 1), often = once;
  factorise(once);
  factorise(often, {.slow_potrf = 7});
  once.for_each_element([&](const double& value, std::size_t row, std::size_t column) {
    EXPECT_EQ(value, often.at(row / 30, column / 30)(row % 30, column % 30));
  });
}

TEST(cholesky, says_which_minor_is_not_positive) {
  with_configurations([](const settings& how) {
    for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
      for (const std::size_t i : {0U, 1U, 49U, 50U, 137U, 199U}) {
        const auto failure = failure_of({200, 50}, {i}, bad, how);
        EXPECT_EQ(failure.order(), i + 1);
        EXPECT_EQ(failure.tile(), i / 50);
      }
    }
    const auto failure = failure_of({200, 50}, {180, 60}, -1, how); // the first one counts
    EXPECT_EQ(failure.order(), 61U);
    EXPECT_STREQ(failure.what(), "the matrix is not positive definite: tile (1, 1), leading minor of order 61");
  });
}

TEST(cholesky, a_failure_leaves_nothing_behind) {
  const treadle::runtime runtime({.workers = 2});
  for (int i = 0; i < 20; ++i) {
    failure_of({300, 10}, {static_cast<std::size_t>(i) * 10}, -1, {});
    expect_factor({100, 10}, 5, {});
  }
}

#include "tree/linear_solver.hpp"
#include "tree/matrix_product.hpp"
#include "tree/test_support.hpp"

#include <cmath>
#include <random>

namespace treadle::tree {
namespace {

array random_matrix(std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  auto a = array::uninitialized(dtype::float64, {rows, columns});
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = number(engine);
  return a;
}

double element_at(const array& a, std::int64_t i, std::int64_t j) {
  return a.data<double>()[i * a.strides()[0] + j * a.strides()[1]];
}

TEST(matrix, products_of_vectors_and_matrices) {
  check({{"dot([1, 2], [3, 4])", "11"},
         {"dot([[1, 2], [3, 4]], [1, 1])", "[3, 7]"},
         {"dot([1, 1], [[1, 2], [3, 4]])", "[4, 6]"},
         {"dot([[1, 2], [3, 4]], [[0.0, 1.0], [1.0, 0.0]])", "[[2.0, 1.0], [4.0, 3.0]]"},
         {"dot(2, [1, 2])", "[2, 4]"},
         {"__matmul([[1, 2]], [[3], [4]])", "[[11]]"},
         {"__matmul([true, true], [true, true])", "true"},
         {"__matmul([[true], [false]], [[true]])", "[[true], [false]]"},
         {"__matmul(2, [1])", "error __matmul: a matrix product needs arrays, found shapes () and (1,)"},
         {"__matmul(constant(1, list(2, 1, 2)), [[1], [2]])", "[[[3]], [[3]]]"},
         {"outer([1, 2], [3, 4])", "[[3, 4], [6, 8]]"},
         {"trace([[1, 2], [3, 4]])", "5"},
         {"dot([1, 2], [1, 2, 3])", "error dot: shapes (2,) and (3,) do not fit for a product"},
         {"dot(constant(1.0, list(2, 0)), constant(1.0, list(0, 2)))", "[[0.0, 0.0], [0.0, 0.0]]"}});
}

TEST(matrix, every_layout_and_size_gives_the_same_product) {
  for (std::int64_t n : {1, 2, 5, 15, 16, 17, 40}) {
    const auto a = random_matrix(n, n + 3, 1), b = random_matrix(n + 3, n, 2);
    const array lefts[] = {a, a.transpose().copy().transpose(),
                           random_matrix(2 * n, 2 * (n + 3), 3).view(0, a.shape(), {4 * (n + 3), 2})};
    const array rights[] = {b, b.transpose().copy().transpose()};
    for (const auto& x : lefts)
      for (const auto& y : rights) {
        const auto z = dot(value(x), value(y)).to_array();
        for (std::int64_t i = 0; i < n; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            double expected = 0;
            for (std::int64_t k = 0; k < n + 3; ++k) expected += element_at(x, i, k) * element_at(y, k, j);
            ASSERT_NEAR(element_at(z, i, j), expected, 1e-12);
          }
      }
  }
}

TEST(matrix, large_matrix_times_vector) {
  const auto a = random_matrix(200, 100, 1);
  const auto v = random_matrix(100, 1, 2).reshape({100}), w = random_matrix(200, 1, 3).reshape({200});
  const auto by_column = dot(value(a), value(v)).to_array(), by_row = dot(value(w), value(a)).to_array();
  const auto transposed = dot(value(a.transpose()), value(w)).to_array();
  double first = 0, second = 0;
  for (std::int64_t k = 0; k < 100; ++k) first += element_at(a, 7, k) * v.data<double>()[k];
  for (std::int64_t k = 0; k < 200; ++k) second += element_at(a, k, 9) * w.data<double>()[k];
  EXPECT_NEAR(by_column.data<double>()[7], first, 1e-12);
  EXPECT_NEAR(by_row.data<double>()[9], second, 1e-12);
  EXPECT_NEAR(transposed.data<double>()[9], second, 1e-12);
}

TEST(solvers, small_systems) {
  check({{"inverse([[2.0, 0.0], [0.0, 4.0]])", "[[0.5, 0.0], [0.0, 0.25]]"},
         {"inverse([[0, 1], [1, 0]])", "[[0.0, 1.0], [1.0, 0.0]]"},
         {"determinant([[1, 2], [3, 4]])", "-2.0"},
         {"determinant([[1, 2], [2, 4]])", "0.0"},
         {"solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0])", "[1.0, 1.0]"},
         {"linear_solver_lu([[2.0, 0.0], [0.0, 4.0]], [[2.0], [4.0]])", "[[1.0], [1.0]]"},
         {"inverse([[1.0, 2.0], [2.0, 4.0]])", "error inverse: the matrix of shape (2, 2) is singular"},
         {"solve([[0.0]], [1.0])", "error solve: the matrix of shape (1, 1) is singular"},
         {"inverse([1.0])", "error inverse: expected a square matrix, found an array of shape (1,)"},
         {"solve([[1.0]], [1.0, 2.0])",
          "error solve: a right-hand side of shape (2,) does not fit a matrix of shape (1, 1)"}});
}

TEST(solvers, both_paths_solve_random_systems) {
  for (std::int64_t n : {1, 3, 16, 17, 50}) {
    const auto a = random_matrix(n, n, 5), b = random_matrix(n, 2, 6);
    const auto x = solve(a, b);
    const auto back = dot(value(a), value(x)).to_array(), unit = dot(value(a), value(inverse(a))).to_array();
    for (std::int64_t i = 0; i < n; ++i) {
      EXPECT_NEAR(element_at(back, i, 1), element_at(b, i, 1), 1e-9);
      for (std::int64_t j = 0; j < n; ++j) EXPECT_NEAR(element_at(unit, i, j), i == j ? 1.0 : 0.0, 1e-9);
    }
    EXPECT_NEAR(determinant(a) * determinant(inverse(a)), 1.0, 1e-6);
  }
  const auto singular = array::zeros(dtype::float64, {20, 20});
  EXPECT_THROW(static_cast<void>(inverse(singular)), value_error);
  EXPECT_EQ(determinant(singular), 0.0);
}

} // namespace
} // namespace treadle::tree

#include "tree/kernels/linear_solver.hpp"
#include "tree/kernels/matrix_product.hpp"
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

// Of whatever the axes before the last two select.
array part(const array& a, std::int64_t i, std::int64_t j) {
  extents shape = a.shape(), strides = a.strides();
  std::int64_t offset = 0;
  const std::int64_t at[] = {i, j};
  for (std::size_t axis = 4; axis-- > 2;)
    if (a.rank() > axis) { // (i, j) of a stack of rank 4, (j) of one of rank 3
      const auto here = at[a.rank() == 4 ? 3 - axis : 1];
      offset += (shape[0] == 1 ? 0 : here) * strides[0];
      shape.erase(0);
      strides.erase(0);
    }
  return a.view(offset, shape, strides);
}

TEST(matrix, stacks_are_products_of_their_matrices) {
  const auto stacked = [](const extents& shape, unsigned seed) {
    return random_matrix(shape.product(), 1, seed).reshape(shape);
  };
  for (const std::int64_t n : {1, 3, 40}) {
    const array lefts[] = {stacked({2, 5, n, 7}, 1),
                           stacked({5, n, 7}, 2),
                           stacked({2, 1, n, 7}, 3),
                           stacked({1, 5, n, 7}, 4),
                           stacked({n, 7}, 5),
                           stacked({1, n, 7}, 6),
                           array::broadcast(stacked({n, 7}, 7), {2, 5, n, 7}),
                           stacked({5, 7, n}, 8).transpose(std::vector<std::int64_t>{0, 2, 1})};
    const array rights[] = {stacked({2, 5, 7, n}, 11),
                            stacked({5, 7, n}, 12),
                            stacked({2, 1, 7, n}, 13),
                            stacked({7, n}, 14),
                            stacked({5, n, 7}, 15).transpose(std::vector<std::int64_t>{0, 2, 1}),
                            stacked({1, 7, n}, 16)};
    for (const auto& a : lefts)
      for (const auto& b : rights) {
        const auto c = matmul(value(a), value(b)).to_array();
        if (a.rank() <= 2 && b.rank() <= 2) continue;
        for (std::int64_t i = 0; i < 2; ++i)
          for (std::int64_t j = 0; j < 5; ++j) {
            const auto found = part(c, i, j), expected = dot(value(part(a, i, j)), value(part(b, i, j))).to_array();
            ASSERT_EQ(found.shape(), expected.shape());
            for (std::int64_t r = 0; r < n; ++r)
              for (std::int64_t k = 0; k < n; ++k)
                ASSERT_NEAR(element_at(found, r, k), element_at(expected, r, k), 1e-12);
          }
      }
  }
  check({{"__matmul(constant(true, list(2, 1, 2)), constant(true, list(2, 1)))", "[[[true]], [[true]]]"},
         {"__matmul(constant(2, list(3, 1, 2)), [1, 1])", "[[4], [4], [4]]"},
         {"__matmul([1, 1], constant(2.0, list(2, 2, 1)))", "[[4.0], [4.0]]"},
         {"__matmul(constant(1, list(2, 1, 0)), constant(1, list(0, 1)))", "[[[0]], [[0]]]"},
         {"shape(__matmul(constant(1, list(0, 3, 2)), constant(1.0, list(2, 4))))", "list(0, 3, 4)"},
         {"__matmul(constant(1, list(2, 1, 2)), constant(1, list(3, 2, 1)))",
          "error __matmul: shapes (2, 1, 2) and (3, 2, 1) do not fit for a product"},
         {"__matmul(constant(1, list(2, 1, 2)), constant(1, list(3, 1)))",
          "error __matmul: shapes (2, 1, 2) and (3, 1) do not fit for a product"}});
}

TEST(matrix, stacks_are_the_same_for_any_number_of_workers) {
  const std::vector<value> args = {random_matrix(60 * 50, 80, 1).reshape({60, 50, 80}),
                                   random_matrix(60 * 80, 70, 2).reshape({60, 80, 70})};
  const physl::program p("define(f, a, b, list(__matmul(a, b), __matmul(a, slice(b, 0)), __matmul(slice(a, 0), b))) f",
                         "t");
  const auto expected = p.run(args, with_policy(physl::policy::always_inline));
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (const auto& options : splitting_options()) EXPECT_EQ(p.run(args, options), expected);
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

#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(solvers, symmetric_systems) {
  check({
      {"linear_solver_cholesky([[4.0, 2], [2, 5]], [8.0, 8])", "[1.5, 1.0]"},
      {"linear_solver_ldlt([[0.0, 1], [1, 0]], [2.0, 3])", "[3.0, 2.0]"},
      {"linear_solver_cholesky([[4.0, 0], [2, 5]], [8.0, 8], \"L\")", "[1.5, 1.0]"}, // the other triangle is not read
      {"iterative_solver_conjugate_gradient([[2.0, 0], [0, 2]], [2.0, 4])", "[1.0, 2.0]"},
      {"iterative_solver_conjugate_gradient([[2.0, 0], [0, 2]], [0.0, 0])", "[0.0, 0.0]"},
      {"linear_solver_cholesky([[4.0]], [[8.0, 4]])", "[[2.0, 1.0]]"},
  });
}

TEST(solvers, refuse_what_has_no_solution) {
  EXPECT_NE(error_of("linear_solver_cholesky([[1.0, 2], [2, 1]], [1.0, 1])").message().find("not positive definite"),
            std::string::npos);
  EXPECT_NE(error_of("linear_solver_ldlt([[0.0, 0], [0, 0]], [1.0, 1])").message().find("singular"), std::string::npos);
  EXPECT_NE(error_of("iterative_solver_conjugate_gradient([[0.0, 1], [0, 0]], [1.0, 1])").message().find("converge"),
            std::string::npos);
  error_of("linear_solver_cholesky([[1.0]], [1.0, 2])");
  error_of("linear_solver_cholesky([[1.0, 2]], [1.0])");
  error_of("linear_solver_cholesky([[1.0]], [1.0], \"X\")");
}

TEST(solvers, parts_of_a_matrix) {
  check({
      {"lu([[1.0, 2], [3, 4]])", "list([[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.3333333333333333, 1.0]], "
                                 "[[3.0, 4.0], [0.0, 0.6666666666666667]])"},
      {"define(parts, lu([[0.0, 0], [0, 0]])) slice(parts, 2)", "[[0.0, 0.0], [0.0, 0.0]]"},
  });
}

} // namespace
} // namespace treadle::tree

// Creation, shapes, joining, order.
#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(creation, of_constants_and_sequences) {
  check({{"constant(3, list(2, 2))", "[[3, 3], [3, 3]]"},
         {"constant(3.5)", "3.5"},
         {"constant(0, list(2), float)", "[0.0, 0.0]"},
         {"full(list(2), true)", "[true, true]"},
         {"zeros(2)", "[0.0, 0.0]"},
         {"ones(list(1, 2), int)", "[[1, 1]]"},
         {"constant_like(7, [1.0, 2.0])", "[7.0, 7.0]"},
         {"zeros_like([1, 2])", "[0, 0]"},
         {"arange(3)", "[0, 1, 2]"},
         {"arange(1, 7, 2)", "[1, 3, 5]"},
         {"arange(3, 0, -1)", "[3, 2, 1]"},
         {"arange(0.0, 1.0, 0.25)", "[0.0, 0.25, 0.5, 0.75]"},
         {"linspace(0, 1, 5)", "[0.0, 0.25, 0.5, 0.75, 1.0]"},
         {"eye(2)", "[[1.0, 0.0], [0.0, 1.0]]"},
         {"eye(2, 3, 1)", "[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"},
         {"identity(1)", "[[1.0]]"},
         {"diag([1, 2])", "[[1, 0], [0, 2]]"},
         {"diag([1, 2], 1)", "[[0, 1, 0], [0, 0, 2], [0, 0, 0]]"},
         {"diag([1, 2], -1)", "[[0, 0, 0], [1, 0, 0], [0, 2, 0]]"},
         {"diag([[1, 2], [3, 4]])", "[1, 4]"},
         {"diag([[1, 2], [3, 4]], 1)", "[2]"},
         {"array('('(1, 2), '(3, 4)))", "[[1, 2], [3, 4]]"},
         {"arange(0, 5, 0)", "error arange: the step must not be 0"},
         {"zeros(list(1, 2, 3, 4, 5))", "error zeros: arrays have at most 4 dimensions"}});
}

TEST(shapes, change_without_touching_elements) {
  check({{"reshape([1, 2, 3, 4], list(2, 2))", "[[1, 2], [3, 4]]"},
         {"reshape([[1, 2], [3, 4]], -1)", "[1, 2, 3, 4]"},
         {"reshape([1, 2, 3, 4], 2, -1)", "[[1, 2], [3, 4]]"},
         {"reshape(transpose([[1, 2], [3, 4]]), list(4))", "[1, 3, 2, 4]"},
         {"reshape([1, 2, 3], list(2, 2))", "error reshape: an array of shape (3,) cannot be reshaped to (2, 2)"},
         {"flatten([[1], [2]])", "[1, 2]"},
         {"expand_dims([1, 2], 1)", "[[1], [2]]"},
         {"squeeze([[[1], [2]]])", "[1, 2]"},
         {"squeeze([[1, 2]], 0)", "[1, 2]"},
         {"squeeze([[1, 2]], 1)", "error squeeze: axis 1 has length 2, not 1"},
         {"transpose([[1, 2, 3]])", "[[1], [2], [3]]"},
         {"shape(transpose(constant(0, list(2, 3, 4)), list(1, 0, 2)))", "list(3, 2, 4)"},
         {"transpose([[1]], list(0, 0))", "error transpose: axes of a transpose must be a permutation; got 0"},
         {"shape([[1, 2, 3]])", "list(1, 3)"},
         {"shape([[1, 2, 3]], 1)", "3"},
         {"size([[1, 2, 3]])", "3"},
         {"ndim([[1]])", "2"},
         {"ndim(5)", "0"},
         {"flip([1, 2, 3])", "[3, 2, 1]"},
         {"flip([[1, 2], [3, 4]], 0)", "[[3, 4], [1, 2]]"},
         {"broadcast_to([1, 2], list(2, 2))", "[[1, 2], [1, 2]]"},
         {"swapaxes([[1, 2]], 0, 1)", "[[1], [2]]"},
         {"astype([1.7, -1.7], int)", "[1, -1]"},
         {"astype([0.0, 2.0], \"bool\")", "[false, true]"},
         {"astype(1, \"complex\")", "error astype: unknown dtype \"complex\": use bool, int64 or float64"},
         {"float(3)", "3.0"},
         {"int(3.9)", "3"},
         {"bool(0.0)", "false"}});
}

TEST(joining, of_arrays) {
  check({{"concatenate('([1, 2], [3]))", "[1, 2, 3]"},
         {"concatenate('([[1], [2]], [[3], [4]]), 1)", "[[1, 3], [2, 4]]"},
         {"stack('([1, 2], [3, 4]))", "[[1, 2], [3, 4]]"},
         {"stack('([1, 2], [3, 4]), 1)", "[[1, 3], [2, 4]]"},
         {"hstack([1, 2], [3.5])", "[1.0, 2.0, 3.5]"},
         {"hstack('([[1], [2]], [[3], [4]]))", "[[1, 3], [2, 4]]"},
         {"hstack(1, 2)", "[1, 2]"},
         {"vstack([1, 2], [3, 4])", "[[1, 2], [3, 4]]"},
         {"shape(dstack([1, 2], [3, 4]))", "list(1, 2, 2)"},
         {"column_stack([1, 2], [3, 4])", "[[1, 3], [2, 4]]"},
         {"tile([1, 2], 2)", "[1, 2, 1, 2]"},
         {"tile([[1, 2]], list(2, 1))", "[[1, 2], [1, 2]]"},
         {"repeat([1, 2], 2)", "[1, 1, 2, 2]"},
         {"repeat([[1, 2]], 2, 0)", "[[1, 2], [1, 2]]"},
         {"vstack([1, 2], [3])", "error vstack: arrays of shapes (1, 2) and (1, 1) cannot be joined along axis 0"}});
}

TEST(order, sorts_and_finds) {
  check({{"sort([3, 1, 2])", "[1, 2, 3]"},
         {"sort([[3, 1], [2, 4]], 0)", "[[2, 1], [3, 4]]"},
         {"sort([nan, 1.0])", "[1.0, nan]"},
         {"argsort([3, 1, 2])", "[1, 2, 0]"},
         {"argmax([1, 5, 5])", "1"},
         {"argmin([[3, 1], [0, 4]])", "2"},
         {"argmin([[3, 1], [0, 4]], 1)", "[1, 0]"},
         {"argmax([1.0, nan, 2.0])", "1"},
         {"argmax([])", "error argmax: the axis to search is empty"},
         {"unique([3, 1, 3, 2])", "[1, 2, 3]"},
         {"bincount([0, 2, 2])", "[1, 0, 2]"},
         {"bincount([9223372036854775807])", "error bincount: an array of shape (9223372036854775807,) is impossible"},
         {"block(define(x, zeros(list(3, 0))), store(slice(x, 1), 5.0), shape(x))", "list(3, 0)"},
         {"sort(slice(zeros(list(0, 10)), nil, list(nil, nil, 2)), nil)", "[]"}});
}

TEST(random, a_run_can_be_repeated) {
  const char* const text =
      "block(set_seed(7), list(random(list(2, 3)), random_sample(), random_integers(0, 10, list(4)), get_seed()))";
  EXPECT_EQ(repr(run(text)), repr(run(text)));
  check({{"shape(randn(2, 3))", "list(2, 3)"},
         {"block(define(x, random(list(1000), \"uniform\")), list(amin(x) >= 0.0, amax(x) < 1.0))", "list(true, true)"},
         {"sort(shuffle([3, 1, 2]))", "[1, 2, 3]"},
         {"random(2, \"cauchy\")", "error random: unknown distribution \"cauchy\": use \"normal\" or \"uniform\""}});
}

} // namespace
} // namespace treadle::tree

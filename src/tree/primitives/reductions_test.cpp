#include "tree/test_support.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

TEST(reductions, over_everything) {
  check({{"sum([1, 2, 3])", "6"},
         {"sum([[1.5, 2.5], [3.0, 4.0]])", "11.0"},
         {"sum([true, true])", "2"},
         {"prod([2, 3, 4])", "24"},
         {"mean([1, 2, 3, 4])", "2.5"},
         {"amax([3, 9, 1])", "9"},
         {"amin([3.0, nan, 1.0])", "nan"},
         {"all([true, false])", "false"},
         {"any([0, 2])", "true"},
         {"count_nonzero([[1, 0], [2, 3]])", "3"},
         {"sum([])", "0.0"},
         {"sum(5)", "5"}});
}

TEST(reductions, along_axes) {
  check({{"sum([[1, 2], [3, 4]], 0)", "[4, 6]"},
         {"sum([[1, 2], [3, 4]], -1)", "[3, 7]"},
         {"sum([[1, 2], [3, 4]], 1, true)", "[[3], [7]]"},
         {"sum([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], list(0, 2))", "[14, 22]"},
         {"amax([[1, 5], [7, 2]], 0)", "[7, 5]"},
         {"mean([[1.0, 2.0], [3.0, 6.0]], __arg(axis, 0))", "[2.0, 4.0]"},
         {"sum(transpose([[1, 2], [3, 4]]), 0)", "[3, 7]"},
         {"all([[1, 0], [1, 1]], 0)", "[true, false]"},
         {"sum([[1, 2]], 2)", "error sum: axis 2 is out of range for an array of 2 dimensions"},
         {"sum([[1, 2]], list(0, 0))", "error sum: axis 0 is given twice"}});
}

TEST(reductions, options) {
  check({{"sum([1, 2], __arg(initial, 10))", "13"},
         {"sum([1, 2], __arg(dtype, float))", "3.0"},
         {"amax([], __arg(initial, -1.0))", "-1.0"},
         {"amax([])", "error amax: the axis to reduce is empty: there is no such element"},
         {"sum([[1, 2], [3, 4]], __arg(keepdims, true))", "[[10]]"}});
}

TEST(reductions, spread) {
  check({{"var([1, 2, 3, 4])", "1.25"},
         {"std([1.0, 3.0])", "1.0"},
         {"var([[1.0, 2.0], [3.0, 6.0]], 0)", "[1.0, 4.0]"},
         {"var([1.0, 3.0], __arg(ddof, 1))", "2.0"}});
}

TEST(reductions, norms_and_running_sums) {
  check({{"norm([3.0, 4.0])", "5.0"},
         {"norm([[3.0, 0.0], [0.0, 4.0]])", "5.0"},
         {"norm([[3.0, 4.0], [6.0, 8.0]], __arg(axis, 1))", "[5.0, 10.0]"},
         {"norm([3, -4], 1)", "7.0"},
         {"norm([3, -4], inf)", "4.0"},
         {"cumsum([1, 2, 3])", "[1, 3, 6]"},
         {"cumsum([[1, 2], [3, 4]], 0)", "[[1, 2], [4, 6]]"},
         {"cumprod([1.0, 2.0, 3.0])", "[1.0, 2.0, 6.0]"},
         {"clip([1, 5, 9], 2, 6)", "[2, 5, 6]"},
         {"clip([1, 5], nil, 4)", "[1, 4]"},
         {"logsumexp([1000.0, 1000.0])", "1000.6931471805599"},
         {"normalize([3.0, 4.0])", "[0.6, 0.8]"}});
}

TEST(reductions, long_sums_lose_little) {
  const auto sum = run("sum(full(list(1000000), 0.1))").to_float64();
  EXPECT_NEAR(sum, 100000.0, 1e-9); // adding one by one is off by 1e-6
}

} // namespace
} // namespace treadle::tree

#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(comparison, numbers_and_arrays) {
  check({{"1 < 2", "true"},
         {"2 <= 1.5", "false"},
         {"[1, 2, 3] > 2", "[false, false, true]"},
         {"[1.0, 0.0] != 0.0", "[true, false]"},
         {"__ne([1.0, 0.0], 0.0, true)", "[1.0, 0.0]"},
         {"__lt(1, 2, true)", "1.0"},
         {"nan == nan", "false"},
         {"[[1, 2]] == [[1], [2]]", "[[true, false], [false, true]]"}});
}

TEST(comparison, text_lists_and_nil) {
  check({{"\"a\" < \"b\"", "true"},
         {"\"a\" == \"a\"", "true"},
         {"'(1, 2) == '(1, 2)", "true"},
         {"nil == nil", "true"},
         {"nil == 1", "false"},
         {"\"a\" != 1", "true"},
         {"\"a\" < 1", "error __lt: cannot compare string with int64"}});
}

TEST(comparison, logic) {
  check({{"!true", "false"},
         {"![1, 0]", "[false, true]"},
         {"true && 0", "false"},
         {"0 || 2", "true"},
         {"[true, false] && [true, true]", "[true, false]"},
         {"[0, 1] || false", "[false, true]"},
         {"logical_and([1, 0], 1)", "[true, false]"},
         {"logical_or(0, 0)", "false"},
         {"logical_xor([1, 0], [1, 1])", "[false, true]"},
         {"logical_not([1.5, 0.0])", "[false, true]"}});
}

TEST(comparison, and_and_or_stop_as_soon_as_they_know) {
  check({{"block(define(n, 0), define(f, x, block(store(n, n + 1), x)), f(0) && f(1), f(1) || f(0), n)", "2"},
         {"false && 1 / 0", "false"},
         {"true || 1 / 0", "true"}});
}

TEST(comparison, selection) {
  check({{"where([true, false], 1, 2)", "[1, 2]"},
         {"where([[1.0], [0.0]], [1, 2], 0.5)", "[[1.0, 2.0], [0.5, 0.5]]"},
         {"where(true, 1, 2)", "1"},
         {"where([0, 3, 0, 4])", "list([1, 3])"},
         {"nonzero([[1, 0], [0, 2]])", "list([0, 1], [0, 1])"},
         {"allclose([1.0, 2.0], [1.0, 2.00000001])", "true"},
         {"allclose(1.0, 1.1)", "false"},
         {"array_equal([1, 2], [1.0, 2.0])", "true"},
         {"array_equal([1, 2], [1, 2, 3])", "false"}});
}

} // namespace
} // namespace treadle::tree

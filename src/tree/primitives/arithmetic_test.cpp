#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(arithmetic, integers_stay_integers) {
  check({{"1 + 2", "3"},
         {"7 / 2", "3"},
         {"-7 / 2", "-3"},
         {"-7 % 3", "-1"},
         {"2 * 3 - 4", "2"},
         {"[9223372036854775807] + 1", "[-9223372036854775808]"},
         {"9223372036854775807 + 1",
          "error __add: the result of + does not fit 64 bits: integers grow in Python, and do not here"},
         {"-9223372036854775808 / -1", "-9223372036854775808"},
         {"-9223372036854775808 % -1", "0"},
         {"true + true", "2"},
         {"__minus(-9223372036854775808)",
          "error __minus: the result of - does not fit 64 bits: integers grow in Python, and do not here"}});
}

TEST(arithmetic, python_operators_differ_from_those_of_c) {
  check({{"__truediv(7, 2)", "3.5"},
         {"__floordiv(-7, 2)", "-4"},
         {"__floordiv(-7.0, 2)", "-4.0"},
         {"__floordiv(6, 3)", "2"},
         {"__pymod(-7, 3)", "2"},
         {"__pymod(7, -3)", "-2"},
         {"__pymod(-7.5, 2.0)", "0.5"},
         {"power(2, 10)", "1024"},
         {"power(2.0, 0.5)", "1.4142135623730951"},
         {"power([1, 2, 3], 2)", "[1, 4, 9]"}});
}

TEST(arithmetic, division_by_zero_is_an_error_for_integers_only) {
  check({{"1 / 0", "error __div: integer division by zero"},
         {"1 % 0", "error __mod: integer division by zero"},
         {"1.0 / 0", "inf"},
         {"power(2, -1)", "0.5"},
         {"power([2], -1)", "error power: integers to negative integer powers are not allowed"},
         {"power(0, -1)", "error power: 0.0 cannot be raised to a negative power"},
         {"__truediv(1.0, 0)", "error __truediv: float division by zero"},
         {"__pymod(1.0, 0.0)", "error __pymod: float modulo by zero"},
         {"__truediv([1.0, -1.0], 0)", "[inf, -inf]"}});
}

TEST(arithmetic, more_operands_fold_from_the_left) {
  check({{"__sub(10, 3, 2)", "5"}, {"__add(1, 2.5, [1, 2])", "[4.5, 5.5]"}, {"maximum(1, 5, 3)", "5"}});
}

TEST(arithmetic, lists_repeat) {
  check({{"list(1, \"a\") * 2", "list(1, \"a\", 1, \"a\")"},
         {"2 * list(0)", "list(0, 0)"},
         {"list(1) * -1", "list()"},
         {"list(1, 2) * [3, 4]", "[3, 8]"},
         {"list(1) * 9223372036854775807", "error __mul: that many items are impossible"}});
}

TEST(arithmetic, floor_division_with_infinities) {
  check({{"__floordiv(inf, 2.0)", "nan"},
         {"__floordiv(3.0, inf)", "0.0"},
         {"__floordiv(-3.0, inf)", "-1.0"},
         {"__floordiv([-1.0], 0.0)", "[-inf]"},
         {"__floordiv(-7.5, 2.0)", "-4.0"}});
}

TEST(arithmetic, types_promote_bool_int64_float64) {
  check({{"[true, false] + 1", "[2, 1]"},
         {"[1, 2] * 0.5", "[0.5, 1.0]"},
         {"[1, 2] + [0.5, 0.5]", "[1.5, 2.5]"},
         {"[true, true, false] + [true, false, false]", "[true, true, false]"},
         {"[true, true, false] * true", "[true, true, false]"},
         {"true * true", "1"},
         {"[true] * 2", "[2]"},
         {"__add__float(1, 2)", "3.0"},
         {"__mul__int(1.5, [2.0, 3.0])", "[3, 4]"}});
}

TEST(arithmetic, shapes_broadcast_as_in_numpy) {
  check({{"[[1, 2], [3, 4]] + [10, 20]", "[[11, 22], [13, 24]]"},
         {"[[1], [2]] * [10, 20]", "[[10, 20], [20, 40]]"},
         {"[] + 1", "[]"},
         {"[1, 2, 3] + [1, 2]", "error __add: operands of shapes (3,) and (2,) cannot be broadcast"},
         {"transpose([[1, 2], [3, 4]]) - [[1, 2], [3, 4]]", "[[0, 1], [-1, 0]]"}});
}

TEST(arithmetic, nan_wins_a_maximum) {
  check({{"maximum(nan, 1.0)", "nan"}, {"minimum([1.0, 2.0], nan)", "[nan, nan]"}, {"minimum(2, 1)", "1"}});
}

TEST(arithmetic, plus_joins_text_and_lists) {
  check({{"\"a\" + \"b\"", "\"ab\""},
         {"'(1, 2) + '(3)", "list(1, 2, 3)"},
         {"\"a\" + 1", "error __add: expected an array, found string"}});
}

TEST(arithmetic, a_temporary_may_be_reused_but_never_a_variable) {
  check({{"block(define(x, [1.0, 2.0]), define(y, (x + x) + x), list(x, y))", "list([1.0, 2.0], [3.0, 6.0])"},
         {"block(define(x, [1.0, 2.0]), define(y, x), store(slice(y, 0), 9.0), list(x, y))",
          "list([1.0, 2.0], [9.0, 2.0])"}});
}

} // namespace
} // namespace treadle::tree

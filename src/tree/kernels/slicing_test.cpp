#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(slicing, reads_as_numpy) {
  check({{"slice([1, 2, 3], 0)", "1"},
         {"slice([1, 2, 3], -1)", "3"},
         {"slice([1, 2, 3], list(1))", "2"},
         {"slice([1, 2, 3, 4], list(1, 3))", "[2, 3]"},
         {"slice([1, 2, 3, 4], list(nil, nil, 2))", "[1, 3]"},
         {"slice([1, 2, 3, 4], list(nil, nil, -1))", "[4, 3, 2, 1]"},
         {"slice([1, 2, 3], list(-2, 100))", "[2, 3]"},
         {"slice([1, 2, 3], list(5, 9))", "[]"},
         {"slice([[1, 2], [3, 4]], 1)", "[3, 4]"},
         {"slice([[1, 2], [3, 4]], nil, 1)", "[2, 4]"},
         {"slice([[1, 2], [3, 4]], list(), 0)", "[1, 3]"},
         {"slice([[1, 2], [3, 4]], 1, 0)", "3"},
         {"slice_row([[1, 2], [3, 4]], 0)", "[1, 2]"},
         {"slice_column([[1, 2], [3, 4]], -1)", "[2, 4]"},
         {"shape(slice([1, 2], newaxis, nil))", "list(1, 2)"},
         {"slice(constant(1, list(2, 3, 4)), \"...\", 0) == constant(1, list(2, 3))",
          "[[true, true, true], [true, true, true]]"}});
}

TEST(slicing, gathers_and_masks) {
  check({{"slice([10, 20, 30], [2, 0, -1])", "[30, 10, 30]"},
         {"slice([[1, 2], [3, 4]], [1, 0])", "[[3, 4], [1, 2]]"},
         {"slice([[1, 2], [3, 4]], nil, [1, 1])", "[[2, 2], [4, 4]]"},
         {"slice([[1, 2], [3, 4]], [0, 1], [1, 0])", "[2, 3]"},
         {"slice([10, 20, 30], [[0, 1], [1, 2]])", "[[10, 20], [20, 30]]"},
         {"slice([1, 2, 3], [true, false, true])", "[1, 3]"},
         {"slice([[1, 2], [3, 4]], [[true, false], [false, true]])", "[1, 4]"},
         {"slice([[1, 2], [3, 4]], [true, false])", "[[1, 2]]"},
         {"slice([1, 2, 3], range(0, 2))", "[1, 2]"},
         {"shape(slice(constant(0, list(2, 3, 4)), 0, nil, [0, 1]))", "list(2, 3)"},
         {"shape(slice(constant(0, list(2, 3, 4)), nil, 0, [0, 1]))", "list(2, 2)"},
         {"shape(slice(constant(0, list(2, 3, 4)), [0, 1], nil, 0))", "list(2, 3)"},
         {"slice([[1, 2], [3, 4]], tuple(0, 1))", "2"},
         {"slice([[1, 2], [3, 4]], nonzero([[0, 1], [1, 0]]))", "[2, 3]"},
         {"define(m, [[1, 2], [3, 4]]) store(slice(m, tuple(0, 1)), 9) m", "[[1, 9], [3, 4]]"},
         {"take([10, 20, 30], [0, 2])", "[10, 30]"},
         {"take([10, 20, 30], list(0, 2))", "[10, 30]"},
         {"take([10, 20, 30], list(1))", "[20]"},
         {"take([[1, 2], [3, 4]], [1], 1)", "[[2], [4]]"}});
}

TEST(slicing, other_values) {
  check({{"slice('(1, 2, 3), -1)", "3"},
         {"slice('(1, 2, 3), list(0, 2))", "list(1, 2)"},
         {"slice(slice('('(1, 2), '(3)), 0), 1)", "2"},
         {"slice('('(1, 2), '(3)), 0, 1)", "error slice: a list takes one index, not 2"},
         {"slice(dict(list(list(tuple(1, 2), 3))), 1, 2)", "3"},
         {"slice(\"abc\", 1)", "\"b\""},
         {"slice(\"abc\", list(nil, nil, -1))", "\"cba\""},
         {"slice(dict('(\"a\", 1)), \"a\")", "1"}});
}

TEST(slicing, refuses_what_numpy_refuses) {
  check({{"slice([1, 2], 2)", "error slice: index 2 is out of range for axis 0 of length 2"},
         {"slice([1, 2], 0, 0)", "error slice: too many indices: the array has 1 dimensions, 2 were indexed"},
         {"slice([1, 2], 1.5)",
          "error slice: an index must be an integer, a slice or an array of integers or bool, not float64"},
         {"slice([1, 2], [0.5])", "error slice: an index array must hold integers or bool, not float64"},
         {"slice([1, 2], list(0, 2, 0))", "error slice: the step of a slice must not be 0"},
         {"slice([1, 2], [true])", "error slice: a mask of shape (1,) does not fit an array of shape (2,)"},
         {"slice(5, 0)", "error slice: a int64 cannot be indexed"},
         {"slice(dict('(\"a\", 1)), \"b\")", "error slice: the dict has no key \"b\""},
         {"slice('(1), 1)", "error slice: index 1 is out of range for axis 0 of length 1"}});
}

std::string after(const std::string& start, const std::string& statement) {
  return shown("block(define(x, " + start + "), " + statement + ", x)");
}

TEST(slicing, writes_in_place) {
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, 0), 9)"), "[9, 2, 3]");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, list(1, 3)), 0)"), "[1, 0, 0]");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, list(1, 3)), [7, 8])"), "[1, 7, 8]");
  EXPECT_EQ(after("[[1, 2], [3, 4]]", "store(slice(x, list(0, 1, 1), nil), [5, 6])"), "[[5, 6], [3, 4]]");
  EXPECT_EQ(after("[[1, 2], [3, 4]]", "store(slice_column(x, 1), [5, 6])"), "[[1, 5], [3, 6]]");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, [0, 2]), [7, 8])"), "[7, 2, 8]");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, x > 1), 0)"), "[1, 0, 0]");
  EXPECT_EQ(after("[[1, 2], [3, 4]]", "store(slice(slice(x, 1), 0), 9)"), "[[1, 2], [9, 4]]");
  EXPECT_EQ(after("[[1, 2], [3, 4]]", "store(slice(slice(x, list(0, 2)), 1), 9)"), "[[1, 2], [9, 9]]");
  EXPECT_EQ(after("[1.5, 2.5]", "store(slice(x, 0), 1)"), "[1.0, 2.5]");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, list(1, 3)), slice(x, list(0, 2)))"), "[1, 1, 2]");
  EXPECT_EQ(after("'(1, 2)", "store(slice(x, 0), 9)"), "list(9, 2)");
  EXPECT_EQ(after("'('(1, 2), 3)", "store(slice(x, 0, 1), 9)"), "list(list(1, 9), 3)");
  EXPECT_EQ(after("dict('(\"a\", 1))", "store(slice(x, \"b\"), 2)"), "dict(list(\"a\", 1), list(\"b\", 2))");
  EXPECT_EQ(after("transpose([[1, 2], [3, 4]])", "store(slice(x, 0, 1), 9)"), "[[1, 9], [2, 4]]");
}

TEST(slicing, writes_as_numpy_does) {
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, 0), -2.9)"), "[-2, 2, 3]");
  EXPECT_EQ(after("[1.0, 2.0]", "store(slice(x, list()), [[3, 4]])"), "[3.0, 4.0]");
  EXPECT_EQ(after("'(1, 2, 3)", "store(slice(x, list(1, 2)), '(7, 8, 9))"), "list(1, 7, 8, 9, 3)");
}

TEST(slicing, refuses_bad_writes_and_keeps_the_value) {
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, 0), nan)"), "error store: cannot convert float NaN to integer");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, 0), 1e300)"), "error store: 1e+300 does not fit an array of integers");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, list(0, 2)), [1, 2, 3])"),
            "error store: an array of shape (3,) cannot be broadcast to (2,)");
  EXPECT_EQ(after("[1, 2, 3]", "store(slice(x, 3), 0)"), "error store: index 3 is out of range for axis 0 of length 3");
}

TEST(slicing, a_copy_is_made_only_for_those_who_look) {
  check({{"block(define(x, [1, 2]), define(v, slice(x, list(0, 1))), store(slice(x, 0), 9), list(x, v))",
          "list([9, 2], [1])"},
         {"block(define(f, a, block(store(slice(a, 0), 9), a)), define(x, [1, 2]), list(f(x), x))",
          "list([9, 2], [1, 2])"}});
}

TEST(slicing, borrowed_memory_is_never_written) {
  const std::int64_t data[] = {1, 2, 3};
  int released = 0;
  {
    const value args[] = {
        array::borrow(dtype::int64, {3}, {1}, data, &released, [](void* n) { ++*static_cast<int*>(n); })};
    const physl::program p("define(f, x, block(store(slice(x, 0), 9), x)) f", "test.physl");
    EXPECT_EQ(repr(p.run(args, with_policy(physl::policy::always_inline))), "[9, 2, 3]");
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(released, 1);
}

} // namespace
} // namespace treadle::tree

// Changes as Python means them: made where nobody else holds what they change, refused elsewhere.
#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

const char* const k_shared = "would be changed in place, but shares memory";

TEST(change, of_what_nobody_else_holds) {
  check({
      {"define(x, constant(0, list(3))) __change(slice(x, 1), 5) x", "[0, 5, 0]"},
      {"define(x, constant(0, list(3))) define(y, x + 0) __change(slice(x, 1), 5) list(x, y)",
       "list([0, 5, 0], [0, 0, 0])"},
      {"define(x, constant(1, list(3))) __update(x, x + 2) x", "[3, 3, 3]"},
      {"define(x, arange(4)) __change(slice(x, list(1, nil)), slice(x, list(nil, -1))) x", "[0, 0, 1, 2]"},
      {"define(l, make_list()) __append(l, 1) __append(l, make_list()) __append(slice(l, 1), 2) l", "list(1, list(2))"},
      {"define(d, dict(list(list(\"a\", arange(2) + 0)))) __change(slice{1}(d, \"a\", 0), 7) d",
       "dict(list(\"a\", [7, 1]))"},
      {"define(m, constant(0, list(2, 2))) __change(slice(slice(m, list(1, nil)), 0), 5) m", "[[0, 0], [5, 5]]"},
      {"define(x, 3) define(y, x) __update(x, x + 1) list(x, y)", "list(4, 3)"},
      {"define(x, where{array}(true, 1.0, 2.0)) define(y, x + 0) __update(x, x + 1) list(x + 0, y)", "list(2.0, 1.0)"},
      {"define(t, tuple(1)) define(u, t) __update(t, __iadd(t, tuple(2))) list(t, u)", "list(list(1, 2), list(1))"},
  });
}

TEST(change, of_what_somebody_else_holds) {
  for (const char* text : {
           "define(x, arange(3) + 0) define(y, x) __change(slice(x, 1), 5)",
           "define(x, arange(3) + 0) define(y, flip(x)) __change(slice(x, 1), 5)",
           "define(x, arange(3) + 0) define(y, list(x)) __change(slice(x, 1), 5)",
           "define(x, arange(3) + 0) define(y, list(x)) __update(x, x + 1)",
           "define(x, arange(3) + 0) define(y, list(x)) __change(slice{1}(y, 0, 1), 5)",
           "define(x, list(1, 2)) define(y, x) __append(y, 1)",
           "define(x, list(list(1), 2)) define(y, x) __append(slice(y, 0), 1)",
           "define(x, list(1)) __append(x, x)",
           "define(x, where{array}(true, 1.0, 2.0)) define(y, x) __update(x, x + 1)",
           "define(x, zeros{array}(list())) define(y, list(x, x)) __update(slice(y, 0), 1.0)",
           "define(x, array(zeros{array}(list()))) define(y, astype(x, \"float\")) define(z, y) __update(y, y + 1)",
           "define(x, arange(3) + 0) define(f, v, lambda(v)) define(g, f(x)) __change(slice(x, 0), 1)",
       }) {
    const auto error = error_of(text);
    EXPECT_NE(error.message().find(k_shared), std::string::npos) << text << error.message();
    EXPECT_EQ(error.kind(), error_kind::sharing) << text;
  }
}

TEST(change, drops_what_is_not_read_any_more) {
  check({
      {"define(x, arange(3) + 0) define(y, x) __change(slice(x, 1), 5, list(y)) x", "[0, 5, 2]"},
      {"define(x, arange(3) + 0) define(y, x) __change(slice(x, 1), 5, list(), list(y)) x",
       "error store: 'x' would be changed in place, but shares memory with another name, a container or an argument: "
       "make one of them a copy with .copy()"},
  });
}

TEST(change, of_copies_and_constants) {
  const auto message = [](const char* text) { return error_of(text).message(); };
  EXPECT_NE(message("define(x, arange(3) + 0) __change(slice(slice(x, x > 0), 0), 5)").find("is a copy"),
            std::string::npos);
  EXPECT_NE(message("define(l, list(1, 2, 3)) __append(slice(l, list(0, 2)), 5)").find("is a copy"), std::string::npos);
  EXPECT_NE(message("define(t, tuple(1)) __change(slice(t, 0), 5)").find("item assignment"), std::string::npos);
  EXPECT_NE(message("define(x, arange(3) + 0) __update(x, x + 0.5)").find("cannot give float64"), std::string::npos);
  EXPECT_NE(message("define(x, arange(3) + 0) __append(x, 1)").find("has no append"), std::string::npos);
}

TEST(change, loops_that_keep_views_are_not_split) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (const auto& options : splitting_options()) {
      const auto result = [&](const char* text) {
        try {
          return repr(physl::program(text, "t").run({}, options));
        } catch (const physl::error& e) {
          return e.message().substr(0, 30);
        }
      };
      EXPECT_EQ(result("define(x, constant(1, list(40, 2))) define(i, 0) define(r, nil)\n"
                       "while(i < 40, block(store(r, slice(x, i)), __change(slice(x, i), r * 2), store(i, i + 1))) x"),
                "store: 'x' would be changed in");
      EXPECT_EQ(
          result("define(x, constant(1, list(40))) define(i, 0) define(r, nil)\n"
                 "while(i < 40, block(store(r, slice(x, i)), __change(slice(x, i), r * 2), store(i, i + 1))) sum(x)"),
          "80");
      EXPECT_EQ(
          result(
              "define(x, constant(1, list(40))) define(i, 0) define(r, nil) define(n, nil)\n"
              "while(i < 40, block(store(r, slice(x, i, __index(n))), __change(slice(x, i), r + 1), store(i, i + 1)))"),
          "store: 'x' would be changed in");
      EXPECT_EQ(result("define(f, v, v) define(x, constant(1, list(40, 2))) define(i, 0)\n"
                       "while(i < 40, block(__change(slice(x, i), f(slice(x, i)) * 2), store(i, i + 1))) sum(x)"),
                "160");
      EXPECT_EQ(result("define(x, constant(1, list(40, 2))) define(i, 0)\n"
                       "while(i < 40, block(__update(slice(x, i), slice(x, i) * 2), store(i, i + 1))) sum(x)"),
                "160");
    }
  }
}

TEST(change, deep_lists_end_without_recursion) {
  const auto nested = [](const std::string& after) {
    return "define(l, make_list()) define(i, 0) while(i < 300000, block(store(l, list(l)), store(i, i + 1))) " + after;
  };
  EXPECT_EQ(repr(run(nested("1"))), "1");
  EXPECT_EQ(run(nested("l")).kind(), value_kind::list);
  for (const char* after : {"string(l)", "l == list(l)", "array(l)"})
    EXPECT_NE(error_of(nested(after)).message().find("nested"), std::string::npos) << after;
}

} // namespace
} // namespace treadle::tree

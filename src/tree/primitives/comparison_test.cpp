#include "tree/test_support.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace treadle::tree {
namespace {

// Rows of all lengths, because vectors compute many elements at once and the rest one by one.
template <class T>
void check_rows(const std::vector<T>& candidates) {
  std::mt19937 random(7);
  const auto draw = [&] { return candidates[random() % candidates.size()]; };
  const auto element = [](const value& v, std::int64_t i) {
    return v.is_array() ? v.as_array().data<bool>()[i] : v.to_bool();
  };
  const std::pair<const char*, std::function<bool(T, T)>> k_tests[] = {
      {"x == y", std::equal_to<T>()}, {"x != y", std::not_equal_to<T>()}, {"x < y", std::less<T>()},
      {"x > y", std::greater<T>()},   {"x <= y", std::less_equal<T>()},   {"x >= y", std::greater_equal<T>()},
  };
  for (const auto& [text, expected] : k_tests) {
    const auto function = "lambda(x, y, " + std::string(text) + ")";
    for (std::int64_t n = 1; n <= 70; ++n) {
      std::vector<T> x, y;
      for (std::int64_t i = 0; i < n; ++i) {
        x.push_back(draw());
        y.push_back(draw());
      }
      const value p(array::of<T>({n}, std::span<const T>(x))), q(array::of<T>({n}, std::span<const T>(y)));
      const auto of_rows = run(function, {p, q}), left = run(function, {value(x[0]), q}),
                 right = run(function, {p, value(y[0])});
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ASSERT_EQ(element(of_rows, i), expected(x[at], y[at])) << text << ", element " << i << " of " << n;
        ASSERT_EQ(element(left, i), expected(x[0], y[at])) << text << ", element " << i << " of " << n;
        ASSERT_EQ(element(right, i), expected(x[at], y[0])) << text << ", element " << i << " of " << n;
      }
    }
  }
}

TEST(comparison, rows_of_any_length) {
  using real = std::numeric_limits<double>;
  using whole = std::numeric_limits<std::int64_t>;
  check_rows<double>({0.0, -0.0, 1.0, -1.0, real::quiet_NaN(), real::infinity(), -real::infinity(), real::max(),
                      real::denorm_min(), -real::denorm_min()});
  check_rows<std::int64_t>(
      {0, 1, -1, whole::min(), whole::max(), whole::min() + 1, (std::int64_t{1} << 32), -(std::int64_t{1} << 32)});
}

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

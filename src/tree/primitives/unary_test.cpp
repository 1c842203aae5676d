#include "tree/test_support.hpp"

#include <cmath>
#include <limits>

namespace treadle::tree {
namespace {

struct reference {
  const char* name;
  double (*function)(double);
};

TEST(unary, tests_of_rows_of_any_length) {
  using real = std::numeric_limits<double>;
  const double inf = real::infinity(), nan = real::quiet_NaN();
  const double k_numbers[] = {0.0, -0.0, 1.0, nan, inf, -inf, real::max(), real::lowest(), real::denorm_min(), -nan};
  const std::pair<const char*, bool (*)(double)> k_tests[] = {
      {"isnan", [](double x) { return std::isnan(x); }},
      {"isinf", [](double x) { return std::isinf(x); }},
      {"isfinite", [](double x) { return std::isfinite(x); }},
      {"isposinf", [](double x) { return std::isinf(x) && x > 0; }},
      {"isneginf", [](double x) { return std::isinf(x) && x < 0; }},
  };
  for (const auto& [name, expected] : k_tests) {
    const auto function = "lambda(x, " + std::string(name) + "(x))";
    for (std::size_t n = 1; n <= 70; ++n) {
      std::vector<double> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = k_numbers[(i * 7 + n) % std::size(k_numbers)];
      const auto rows = static_cast<std::int64_t>(n);
      const auto found = run(function, {value(array::of<double>({rows}, std::span<const double>(x)))});
      for (std::size_t i = 0; i < n; ++i) {
        const bool here = found.is_array() ? found.as_array().data<bool>()[i] : found.to_bool();
        ASSERT_EQ(here, expected(x[i])) << name << ", element " << i << " of " << n;
      }
    }
  }
}

TEST(unary, the_table_computes_what_its_names_say) {
  const reference k_table[] = {
      {"sqrt", std::sqrt},
      {"cbrt", std::cbrt},
      {"exp", std::exp},
      {"exp2", std::exp2},
      {"expm1", std::expm1},
      {"log", std::log},
      {"log2", std::log2},
      {"log10", std::log10},
      {"log1p", std::log1p},
      {"sin", std::sin},
      {"cos", std::cos},
      {"tan", std::tan},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"tanh", std::tanh},
      {"arcsin", std::asin},
      {"arccos", std::acos},
      {"arctan", std::atan},
      {"arcsinh", std::asinh},
      {"arctanh", std::atanh},
      {"erf", std::erf},
      {"erfc", std::erfc},
      {"floor", std::floor},
      {"ceil", std::ceil},
      {"trunc", std::trunc},
      {"rint", std::nearbyint},
      {"absolute", std::fabs},
      {"invsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"invcbrt", [](double x) { return 1 / std::cbrt(x); }},
      {"exp10", [](double x) { return std::pow(10.0, x); }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"square", [](double x) { return x * x; }},
      {"conj", [](double x) { return x; }},
      {"real", [](double x) { return x; }},
      {"imag", [](double) { return 0.0; }},
  };
  for (const auto& r : k_table) {
    const physl::program p(std::string("define(f, x, ") + r.name + "(x)) f", "test.physl");
    const double numbers[] = {0.3, 0.75};
    const value args[] = {array::of<double>({2}, numbers)};
    const auto result = p.run(args, with_policy(physl::policy::always_inline)).to_array();
    for (int i = 0; i < 2; ++i) EXPECT_DOUBLE_EQ(result.data<double>()[i], r.function(numbers[i])) << r.name;
  }
}

TEST(unary, integers_stay_integers_where_numpy_keeps_them) {
  check({{"absolute(-3)", "3"},
         {"absolute([-1, 2])", "[1, 2]"},
         {"square(3)", "9"},
         {"sign([-2, 0, 5])", "[-1, 0, 1]"},
         {"floor(3)", "3"},
         {"sqrt(4)", "2.0"},
         {"sign(nan)", "nan"},
         {"sqrt(-1.0)", "nan"},
         {"round(2.5)", "2.0"},
         {"round(1.2345, 2)", "1.23"},
         {"round([15, 25, -26], -1)", "[20, 20, -30]"},
         {"round([15, 25], 3)", "[15, 25]"},
         {"round(149, -2)", "100"},
         {"round([1.25, 1.35], 1)", "[1.2, 1.4]"}});
}

TEST(unary, tests_give_truth_values) {
  check({{"isnan([1.0, nan])", "[false, true]"},
         {"isinf([inf, ninf, nan])", "[true, true, false]"},
         {"isfinite(inf)", "false"},
         {"isneginf([inf, ninf])", "[false, true]"},
         {"isposinf([inf, ninf])", "[true, false]"}});
}

TEST(unary, views_are_read_through_their_strides) {
  check({{"sqrt(transpose([[1.0, 4.0], [9.0, 16.0]]))", "[[1.0, 3.0], [2.0, 4.0]]"},
         {"absolute(slice([1, -2, 3, -4], list(nil, nil, -2)))", "[4, 2]"}});
}

} // namespace
} // namespace treadle::tree

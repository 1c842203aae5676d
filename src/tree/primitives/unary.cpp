// The unary functions: one loop, one line per function.
#include "tree/kernels/elementwise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treadle::tree {
namespace {

template <double (*F)(double)>
struct real_function {
  static constexpr dtype k_least = dtype::float64;
  template <class T>
  static double apply(T x) noexcept {
    return F(x);
  }
};

// A test of a number; of a pair of numbers it gives a pair of masks.
template <class Test>
struct real_test {
  static constexpr dtype k_least = dtype::float64;
  template <class T>
  static bool apply(T x) noexcept {
    return Test::test(x);
  }
  template <class Pair>
  TREADLE_LOOP static auto mask(Pair x) noexcept {
    return Test::test(x);
  }
};

constexpr double k_infinity = std::numeric_limits<double>::infinity();
struct is_no_number {
  template <class T>
  static auto test(T x) noexcept {
    return x != x;
  }
};
struct is_positive_infinity {
  template <class T>
  static auto test(T x) noexcept {
    return x == k_infinity;
  }
};
struct is_negative_infinity {
  template <class T>
  static auto test(T x) noexcept {
    return x == -k_infinity;
  }
};
struct is_infinite {
  template <class T>
  static auto test(T x) noexcept {
    return (x == k_infinity) | (x == -k_infinity);
  }
};
struct is_finite {
  template <class T>
  static auto test(T x) noexcept {
    return (x < k_infinity) & (x > -k_infinity);
  }
};

template <double (*F)(double)>
constexpr kernel k_real = unary<real_function<F>>;
template <class Test>
constexpr kernel k_test = unary<real_test<Test>>;

double inverse_sqrt(double x) { return 1.0 / std::sqrt(x); }
double radians_of(double x) { return x * (3.14159265358979323846 / 180.0); }
double degrees_of(double x) { return x * (180.0 / 3.14159265358979323846); }

// The next functions keep integers integers.
struct magnitude {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T x) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return std::fabs(x);
    else if constexpr (std::is_same_v<T, bool>)
      return x;
    else
      return x < 0 ? static_cast<T>(std::uint64_t(0) - static_cast<std::uint64_t>(x)) : x;
  }
};
struct square_of {
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T x) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return x * x;
    else
      return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x));
  }
};
struct sign_of {
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T x) noexcept {
    return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? T(0) : x;
  } // NaN stays NaN, and 0 has no sign
};
struct unchanged {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T x) noexcept {
    return x;
  }
};
struct conjugate_of { // which is none for numbers, but no bool
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T x) noexcept {
    return x;
  }
};
struct zero_of {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T) noexcept {
    return T(0);
  }
};
template <double (*F)(double)>
struct rounding { // which changes floats only
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T x) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return F(x);
    else
      return x;
  }
};
template <double (*F)(double)>
constexpr kernel k_rounding = unary<rounding<F>>;

// A truth value of the language is an integer, one of an array stays such.
template <class Op>
value part_of(call_context& context, std::span<value> args) {
  if (args[0].kind() != value_kind::boolean || args[0].is_array_scalar()) return unary<Op>(context, args);
  value number[] = {value(args[0].integer())};
  return unary<Op>(context, number);
}

value sign(call_context& context, std::span<value> args) { // not of a truth value, not even of one alone
  if (dtype_of_value(args[0]) == dtype::boolean) refuse_truths(context.self->name);
  return unary<sign_of>(context, args);
}

struct rounded_row {
  TREADLE_LOOP static void run(double* x, std::int64_t count, double scale, bool digits_after_point) {
    if (digits_after_point)
      for (std::int64_t i = 0; i < count; ++i) x[i] = std::nearbyint(x[i] * scale) / scale;
    else
      for (std::int64_t i = 0; i < count; ++i) x[i] = std::nearbyint(x[i] / scale) * scale;
  }
};

// To `decimals` digits, half to even as NumPy.
value round_to(call_context& context, std::span<value> args) {
  const auto decimals = args.size() > 1 && !args[1].is_nil() ? args[1].to_int64() : 0;
  const bool whole = dtype_of_value(args[0]) != dtype::float64;
  if (dtype_of_value(args[0]) == dtype::boolean) { // as NumPy
    if (decimals != 0) refuse_truths(context.self->name);
    return k_real<std::nearbyint>(context, args.first(1));
  }
  if (decimals == 0 || (whole && decimals > 0)) return unary<rounding<std::nearbyint>>(context, args.first(1));
  if (whole) {
    value exact[] = {args[0].to_array().cast(dtype::float64), args[1]};
    return detail::from_array(round_to(context, exact).to_array().cast(dtype::int64));
  }
  const double scale = std::pow(10.0, static_cast<double>(std::abs(decimals)));
  if (args[0].is_scalar()) {
    double x = args[0].real();
    rounded_row::run(&x, 1, scale, decimals > 0);
    return x;
  }
  auto a = take_array(context, args, 0);
  if (!a.is_unique() || !a.is_contiguous()) a = a.copy();
  detail::run_wide<rounded_row>(a.mutable_data<double>(), a.size(), scale, decimals > 0);
  return detail::from_array(std::move(a));
}

} // namespace

std::span<const primitive> unary_primitives() {
  static constexpr primitive k_table[] = {
      {"absolute", "x", unary<magnitude>},
      {"square", "x", unary<square_of>},
      {"sign", "x", sign},
      {"conj", "x", unary<conjugate_of>},
      {"real", "x", part_of<unchanged>, effect::none, number_rule::as_operands},
      {"imag", "x", part_of<zero_of>, effect::none, number_rule::as_operands},
      {"floor", "x", k_rounding<std::floor>},
      {"ceil", "x", k_rounding<std::ceil>},
      {"trunc", "x", k_rounding<std::trunc>},
      {"rint", "x", k_real<std::nearbyint>},
      {"round", "x, decimals=", round_to},
      {"sqrt", "x", k_real<std::sqrt>},
      {"invsqrt", "x", k_real<inverse_sqrt>},
      {"erf", "x", k_real<std::erf>},
      {"erfc", "x", k_real<std::erfc>},
      {"radians", "x", k_real<radians_of>},
      {"degrees", "x", k_real<degrees_of>},
      {"isnan", "x", k_test<is_no_number>},
      {"isinf", "x", k_test<is_infinite>},
      {"isfinite", "x", k_test<is_finite>},
      {"isneginf", "x", k_test<is_negative_infinity>},
      {"isposinf", "x", k_test<is_positive_infinity>},
  };
  return k_table;
}

} // namespace treadle::tree

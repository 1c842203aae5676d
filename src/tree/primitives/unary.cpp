// The unary functions: one loop, one line per function.
#include "tree/elementwise.hpp"

#include <cmath>

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

template <bool (*F)(double)>
struct real_test {
  static constexpr dtype k_least = dtype::float64;
  template <class T>
  static bool apply(T x) noexcept {
    return F(x);
  }
};

template <double (*F)(double)>
constexpr kernel k_real = unary<real_function<F>>;
template <bool (*F)(double)>
constexpr kernel k_test = unary<real_test<F>>;

double inverse_sqrt(double x) { return 1.0 / std::sqrt(x); }
double inverse_cbrt(double x) { return 1.0 / std::cbrt(x); }
double exp10_of(double x) { return std::pow(10.0, x); }
double sigmoid_of(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double radians_of(double x) { return x * (3.14159265358979323846 / 180.0); }
double degrees_of(double x) { return x * (180.0 / 3.14159265358979323846); }
bool is_negative_infinity(double x) { return std::isinf(x) && x < 0; }
bool is_positive_infinity(double x) { return std::isinf(x) && x > 0; }

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
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  } // NaN stays NaN
};
struct unchanged {
  static constexpr dtype k_least = dtype::boolean;
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
struct rounding {
  static constexpr dtype k_least = dtype::int64;
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

// To `decimals` digits, half to even as NumPy.
value round_to(call_context& context, std::span<value> args) {
  const auto decimals = args.size() > 1 && !args[1].is_nil() ? args[1].to_int64() : 0;
  const bool whole = dtype_of_value(args[0]) != dtype::float64;
  if (decimals == 0 || (whole && decimals > 0)) return unary<rounding<std::nearbyint>>(context, args.first(1));
  if (whole) {
    value exact[] = {args[0].to_array().cast(dtype::float64), args[1]};
    return detail::from_array(round_to(context, exact).to_array().cast(dtype::int64));
  }
  const double scale = std::pow(10.0, static_cast<double>(decimals));
  const auto round = [scale](double x) { return std::nearbyint(x * scale) / scale; };
  if (args[0].is_scalar()) return round(args[0].real());
  auto a = take_array(context, args, 0).copy();
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = round(x[i]);
  return a;
}

} // namespace

std::span<const primitive> unary_primitives() {
  static constexpr primitive k_table[] = {
      {"absolute", "x", unary<magnitude>},
      {"square", "x", unary<square_of>},
      {"sign", "x", unary<sign_of>},
      {"conj", "x", unary<unchanged>},
      {"real", "x", unary<unchanged>},
      {"imag", "x", unary<zero_of>},
      {"floor", "x", k_rounding<std::floor>},
      {"ceil", "x", k_rounding<std::ceil>},
      {"trunc", "x", k_rounding<std::trunc>},
      {"rint", "x", k_rounding<std::nearbyint>},
      {"round", "x, decimals=", round_to},
      {"sqrt", "x", k_real<std::sqrt>},
      {"invsqrt", "x", k_real<inverse_sqrt>},
      {"cbrt", "x", k_real<std::cbrt>},
      {"invcbrt", "x", k_real<inverse_cbrt>},
      {"exp", "x", k_real<std::exp>},
      {"exp2", "x", k_real<std::exp2>},
      {"exp10", "x", k_real<exp10_of>},
      {"expm1", "x", k_real<std::expm1>},
      {"log", "x", k_real<std::log>},
      {"log2", "x", k_real<std::log2>},
      {"log10", "x", k_real<std::log10>},
      {"log1p", "x", k_real<std::log1p>},
      {"sin", "x", k_real<std::sin>},
      {"cos", "x", k_real<std::cos>},
      {"tan", "x", k_real<std::tan>},
      {"sinh", "x", k_real<std::sinh>},
      {"cosh", "x", k_real<std::cosh>},
      {"tanh", "x", k_real<std::tanh>},
      {"arcsin", "x", k_real<std::asin>},
      {"arccos", "x", k_real<std::acos>},
      {"arctan", "x", k_real<std::atan>},
      {"arcsinh", "x", k_real<std::asinh>},
      {"arccosh", "x", k_real<std::acosh>},
      {"arctanh", "x", k_real<std::atanh>},
      {"erf", "x", k_real<std::erf>},
      {"erfc", "x", k_real<std::erfc>},
      {"sigmoid", "x", k_real<sigmoid_of>},
      {"radians", "x", k_real<radians_of>},
      {"degrees", "x", k_real<degrees_of>},
      {"isnan", "x", k_test<std::isnan>},
      {"isinf", "x", k_test<std::isinf>},
      {"isfinite", "x", k_test<std::isfinite>},
      {"isneginf", "x", k_test<is_negative_infinity>},
      {"isposinf", "x", k_test<is_positive_infinity>},
  };
  return k_table;
}

} // namespace treadle::tree

// exp, log, sin and their like: rows of vector functions, put together where SLEEF's own are slower than that or end
// early. The same element has the same bits in every row: what is computed depends on it alone.
#include "tree/kernels/elementwise.hpp"
#include "tree/kernels/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
using member = vector_functions::function vector_functions::*;

template <member F>
struct plain {
  static void row(const double* x, double* out, i64 n) { (machine_vector_functions().*F)(x, out, n); }
};

constexpr i64 k_chunk = 512; // elements of a row that stay in the first cache between its steps

// out = Finish(x, F(Prepare(x))) in chunks; where |x| > 10^Exponent, Beyond(x) of the C library, because the algorithm
// ends there.
template <class Prepare, member F, class Finish, double (*Beyond)(double), int Exponent>
struct composed {
  struct prepare {
    TREADLE_LOOP static void run(const double* x, double* to, i64 n) {
      for (i64 i = 0; i < n; ++i) to[i] = Prepare::apply(x[i]);
    }
  };
  struct finish {
    TREADLE_LOOP static void run(const double* x, const double* f, double* out, i64 n) {
      for (i64 i = 0; i < n; ++i) out[i] = Finish::apply(x[i], f[i]);
    }
  };
  struct beyond {
    TREADLE_LOOP static void run(const double* x, i64 n, double limit, bool* result) {
      i64 any = 0;
      for (i64 i = 0; i < n; ++i) any |= std::fabs(x[i]) > limit ? 1 : 0;
      *result = any != 0;
    }
  };

  static void row(const double* x, double* out, i64 count) {
    static const double k_limit = Exponent == 0 ? 700.0 : std::pow(10.0, Exponent);
    double kept[k_chunk], between[k_chunk]; // the result may overwrite the operand
    for (i64 from = 0; from < count; from += k_chunk) {
      const auto n = std::min(k_chunk, count - from);
      std::copy_n(x + from, n, kept);
      bool any = false;
      detail::run_wide<prepare>(kept, between, n);
      (machine_vector_functions().*F)(between, between, n);
      detail::run_wide<finish>(kept, between, out + from, n);
      detail::run_wide<beyond>(kept, n, k_limit, &any);
      for (i64 i = 0; any && i < n; ++i)
        if (std::fabs(kept[i]) > k_limit) out[from + i] = Beyond(kept[i]);
    }
  }
};

struct same {
  TREADLE_LOOP static double apply(double x) { return x; }
  TREADLE_LOOP static double apply(double, double f) { return f; }
};
struct magnitude {
  TREADLE_LOOP static double apply(double x) { return std::fabs(x); }
};

// x + x^3/3! + ... for |x| <= 1, where the difference of two exponentials loses digits.
TREADLE_LOOP double sinh_series(double x) {
  const double s = x * x;
  double p = 1.0 / 355687428096000.0;
  p = p * s + 1.0 / 1307674368000.0;
  p = p * s + 1.0 / 6227020800.0;
  p = p * s + 1.0 / 39916800.0;
  p = p * s + 1.0 / 362880.0;
  p = p * s + 1.0 / 5040.0;
  p = p * s + 1.0 / 120.0;
  p = p * s + 1.0 / 6.0;
  return x + x * (s * p);
}
struct half_difference { // sinh from e^|x|
  TREADLE_LOOP static double apply(double x, double e) {
    const double far = std::copysign(0.5 * (e - 1.0 / e), x);
    return std::fabs(x) <= 1.0 ? sinh_series(x) : far;
  }
};
struct half_sum { // cosh from e^|x|
  TREADLE_LOOP static double apply(double, double e) { return 0.5 * (e + 1.0 / e); }
};

// log(1 + y) from the logarithm of the rounded sum, and what rounding took from it (Kahan).
template <class Into>
struct one_plus {
  TREADLE_LOOP static double apply(double x) { return 1.0 + Into::apply(x); }
};
template <class Into, class Finish>
struct log_one_plus {
  TREADLE_LOOP static double apply(double x, double log) {
    const double y = Into::apply(x), sum = 1.0 + y, corrected = log + (y - (sum - 1.0)) / sum;
    return Finish::apply(x, y == 0.0 ? y : detail::either(sum == 0.0, y > k_beyond) ? log : corrected);
  }
  static constexpr double k_beyond = 1e300; // where one is nothing, and infinity less infinity would come
};

// The inverse hyperbolic functions as log1p of something without cancellation.
struct into_asinh {
  TREADLE_LOOP static double apply(double x) {
    const double a = std::fabs(x);
    return a + a * (a / (1.0 + std::sqrt(1.0 + a * a)));
  }
};
struct into_acosh {
  TREADLE_LOOP static double apply(double x) {
    const double t = x < 1.0 ? std::numeric_limits<double>::quiet_NaN() : x - 1.0;
    return t + std::sqrt(2.0 * t + t * t);
  }
};
struct into_atanh {
  TREADLE_LOOP static double apply(double x) {
    const double a = std::fabs(x);
    return 2.0 * a / (1.0 - a);
  }
};
struct with_sign {
  TREADLE_LOOP static double apply(double x, double f) { return std::copysign(f, x); }
};
struct half_with_sign {
  TREADLE_LOOP static double apply(double x, double f) { return std::copysign(0.5 * f, x); }
};

struct negative {
  TREADLE_LOOP static double apply(double x) { return -x; }
};
struct inverse_of_sum {
  TREADLE_LOOP static double apply(double, double e) { return 1.0 / (1.0 + e); }
};
struct inverse {
  TREADLE_LOOP static double apply(double, double f) { return 1.0 / f; }
};

template <class F>
value in_rows(call_context& context, std::span<value> args) {
  const operand a(args[0], dtype::float64);
  if (a.is_scalar()) {
    double x = *a.data<double>();
    F::row(&x, &x, 1);
    return x;
  }
  if (!a.is_contiguous()) {
    auto copy = args[0].to_array().cast(dtype::float64).copy();
    auto* x = copy.mutable_data<double>();
    F::row(x, x, copy.size());
    return copy;
  }
  auto result = result_array(context, args.first(1), dtype::float64, a.shape());
  F::row(a.data<double>(), static_cast<double*>(result.object()->data), result.size());
  return result;
}
template <member F>
constexpr kernel k_vector = in_rows<plain<F>>;
template <class Prepare, member F, class Finish, double (*Beyond)(double), int Exponent>
constexpr kernel k_composed = in_rows<composed<Prepare, F, Finish, Beyond, Exponent>>;
template <class Into, class Finish, double (*Beyond)(double), int Exponent>
constexpr kernel k_log_one_plus =
    k_composed<one_plus<Into>, &vector_functions::log, log_one_plus<Into, Finish>, Beyond, Exponent>;

double inverse_cbrt(double x) { return 1.0 / std::cbrt(x); }
double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

using v = vector_functions;

} // namespace

std::span<const primitive> transcendental_primitives() {
  static constexpr primitive k_table[] = {
      {"exp", "x", k_vector<&v::exp>},
      {"exp2", "x", k_vector<&v::exp2>},
      {"exp10", "x", k_vector<&v::exp10>},
      {"expm1", "x", k_vector<&v::expm1>},
      {"log", "x", k_vector<&v::log>},
      {"log2", "x", k_vector<&v::log2>},
      {"log10", "x", k_vector<&v::log10>},
      {"log1p", "x", k_log_one_plus<same, same, std::log1p, 300>},
      {"sin", "x", k_vector<&v::sin>},
      {"cos", "x", k_vector<&v::cos>},
      {"tan", "x", k_vector<&v::tan>},
      {"arcsin", "x", k_vector<&v::asin>},
      {"arccos", "x", k_vector<&v::acos>},
      {"arctan", "x", k_vector<&v::atan>},
      {"sinh", "x", k_composed<magnitude, &v::exp, half_difference, std::sinh, 0>},
      {"cosh", "x", k_composed<magnitude, &v::exp, half_sum, std::cosh, 0>},
      {"tanh", "x", k_vector<&v::tanh>},
      {"arcsinh", "x", k_log_one_plus<into_asinh, with_sign, std::asinh, 150>},
      {"arccosh", "x", k_log_one_plus<into_acosh, same, std::acosh, 150>},
      {"arctanh", "x", k_log_one_plus<into_atanh, half_with_sign, std::atanh, 300>},
      {"cbrt", "x", k_vector<&v::cbrt>},
      {"invcbrt", "x", k_composed<same, &v::cbrt, inverse, inverse_cbrt, 300>},
      {"sigmoid", "x", k_composed<negative, &v::exp, inverse_of_sum, logistic, 300>},
  };
  return k_table;
}

} // namespace treadle::tree

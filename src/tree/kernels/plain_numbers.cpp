#include "tree/kernels/plain_numbers.hpp"

#include "value/objects.hpp"

#include <cmath>
#include <string>

namespace treadle::tree {

double floor_remainder(double a, double b) noexcept {
  const double r = std::fmod(a, b);
  if (r == 0.0) return std::copysign(0.0, b);
  return (r < 0.0) != (b < 0.0) ? r + b : r;
}

double floor_quotient(double a, double b) noexcept {
  if (b == 0.0) return a / b;
  const double r = std::fmod(a, b);
  const double q = (a - r) / b - (r != 0.0 && (r < 0.0) != (b < 0.0) ? 1.0 : 0.0); // an integer but for rounding
  if (q == 0.0) return std::copysign(0.0, a / b);
  const double whole = std::floor(q);
  return q - whole > 0.5 ? whole + 1.0 : whole;
}

namespace plain {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr i64 k_exact = i64(1) << 53; // integers up to here are doubles

void require_divisor(bool zero, const char* what) {
  if (zero) throw value_error(error_kind::zero_division, what);
}

u64 size_of(i64 a) noexcept { return a < 0 ? u64(0) - static_cast<u64>(a) : static_cast<u64>(a); }

// a / b to the nearest double: a quotient of at least 64 bits, the last of which also stands for all that follow.
double quotient(i64 a, i64 b) noexcept {
  if (size_of(a) <= u64(k_exact) && size_of(b) <= u64(k_exact)) return static_cast<double>(a) / static_cast<double>(b);
  __extension__ using u128 = unsigned __int128;
  const u64 x = size_of(a), y = size_of(b);
  if (x == 0) return 0.0;
  const int shift = 64 + __builtin_clzll(x);
  const u128 dividend = u128(x) << (shift - 1), q = dividend / y;
  const auto high = static_cast<u64>(q >> 64);
  const int surplus = high != 0 ? 64 - __builtin_clzll(high) : 0;
  auto digits = static_cast<u64>(q >> surplus);
  if (dividend % y != 0 || (u128(digits) << surplus) != q) digits |= 1;
  const double result = std::ldexp(static_cast<double>(digits), surplus - (shift - 1));
  return (a < 0) != (b < 0) ? -result : result;
}

i64 floor_of(i64 a, i64 b) {
  if (b == -1) return subtract(value(0), value(a)).integer();
  const i64 q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

value power_of_reals(double a, double b) {
  if (a == 0.0 && b < 0.0 && !std::isinf(b))
    throw value_error(error_kind::zero_division, "0.0 cannot be raised to a negative power");
  if (a < 0.0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b))
    throw value_error("a negative number to a power that is no integer is complex, and there are no complex numbers");
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
    throw value_error(error_kind::overflow, "the result of ** is too large for a float");
  return result;
}

} // namespace

void beyond_64_bits(const char* operation) {
  throw value_error(error_kind::overflow, std::string("the result of ") + operation +
                                              " does not fit 64 bits: integers grow in Python, and do not here");
}

value divide(const value& a, const value& b) {
  if (is_real(a, b)) {
    require_divisor(b.to_float64() == 0.0, "float division by zero");
    return a.to_float64() / b.to_float64();
  }
  require_divisor(b.integer() == 0, "division by zero");
  return quotient(a.integer(), b.integer());
}

value floor_divide(const value& a, const value& b) {
  if (is_real(a, b)) {
    require_divisor(b.to_float64() == 0.0, "float floor division by zero");
    return floor_quotient(a.to_float64(), b.to_float64());
  }
  require_divisor(b.integer() == 0, "integer division by zero");
  return floor_of(a.integer(), b.integer());
}

value modulo(const value& a, const value& b) {
  if (is_real(a, b)) {
    require_divisor(b.to_float64() == 0.0, "float modulo by zero");
    return floor_remainder(a.to_float64(), b.to_float64());
  }
  require_divisor(b.integer() == 0, "integer modulo by zero");
  if (b.integer() == -1) return i64(0);
  const i64 r = a.integer() % b.integer();
  return r != 0 && (r < 0) != (b.integer() < 0) ? r + b.integer() : r;
}

value power(const value& a, const value& b) {
  if (is_real(a, b)) return power_of_reals(a.to_float64(), b.to_float64());
  if (b.integer() < 0) return power_of_reals(a.to_float64(), b.to_float64());
  i64 result = 1, square = a.integer();
  bool too_large = false; // of the square, which matters only where it is used
  for (i64 n = b.integer(); n != 0; n >>= 1) {
    if ((n & 1) != 0 && (too_large || __builtin_mul_overflow(result, square, &result))) beyond_64_bits("**");
    too_large = __builtin_mul_overflow(square, square, &square) || too_large;
  }
  return result;
}

double order(const value& a, const value& b) noexcept {
  const bool first = a.kind() == value_kind::float64, second = b.kind() == value_kind::float64;
  if (first && second) return a.real() == b.real() ? 0.0 : a.real() - b.real(); // of equal infinities no difference
  if (first) return -detail::compare_exactly(b.integer(), a.real());
  if (second) return detail::compare_exactly(a.integer(), b.real());
  return a.integer() < b.integer() ? -1.0 : a.integer() > b.integer() ? 1.0 : 0.0;
}

} // namespace plain
} // namespace treadle::tree

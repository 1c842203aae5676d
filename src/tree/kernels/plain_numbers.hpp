// Arithmetic of the language's own numbers, which are no elements of arrays: as Python computes with int, float and
// bool. Truth values count as 0 and 1; what is undefined is an error; an integer beyond 64 bits, which Python has and
// arrays have not, is one, too.
#pragma once

#include <treadle/arrays/value.hpp>

#include <cstdint>

namespace treadle::tree {

inline bool is_plain_number(const value& v) noexcept { return v.is_scalar() && !v.is_array_scalar(); }

namespace plain {

[[noreturn]] void beyond_64_bits(const char* operation);

inline bool is_real(const value& a, const value& b) noexcept {
  return a.kind() == value_kind::float64 || b.kind() == value_kind::float64;
}

inline value add(const value& a, const value& b) {
  if (is_real(a, b)) return a.to_float64() + b.to_float64();
  std::int64_t result = 0;
  if (__builtin_add_overflow(a.integer(), b.integer(), &result)) beyond_64_bits("+");
  return result;
}
inline value subtract(const value& a, const value& b) {
  if (is_real(a, b)) return a.to_float64() - b.to_float64();
  std::int64_t result = 0;
  if (__builtin_sub_overflow(a.integer(), b.integer(), &result)) beyond_64_bits("-");
  return result;
}
inline value multiply(const value& a, const value& b) {
  if (is_real(a, b)) return a.to_float64() * b.to_float64();
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a.integer(), b.integer(), &result)) beyond_64_bits("*");
  return result;
}
inline value negate(const value& a) {
  if (a.kind() == value_kind::float64) return -a.real();
  return subtract(value(0), a);
}
inline value identity(const value& a) { return a.kind() == value_kind::boolean ? value(a.integer()) : a; }
inline value magnitude(const value& a) {
  if (a.kind() == value_kind::float64) return __builtin_fabs(a.real());
  return a.integer() < 0 ? negate(a) : value(a.integer());
}

value divide(const value& a, const value& b); // the quotient of integers is rounded once, however large they are
value floor_divide(const value& a, const value& b);
value modulo(const value& a, const value& b); // the sign of the divisor
value power(const value& a, const value& b);  // a complex result is refused

// a - b, of which only the sign is right, without rounding; nan where one of them is.
double order(const value& a, const value& b) noexcept;

} // namespace plain

// Python's floor division and remainder of floats; NumPy's, too, but for a divisor of 0.
double floor_quotient(double a, double b) noexcept;
double floor_remainder(double a, double b) noexcept;

} // namespace treadle::tree

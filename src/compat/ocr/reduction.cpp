#include "compat/ocr/reduction.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace treadle::ocr {

namespace {

unsigned operator_of(redOp_t op) noexcept { return op & (7U << REDOP_EIDX(OPERATOR)); }

template <class T>
T apply(unsigned op, T a, T b) noexcept {
  // Signed numbers wrap around, as unsigned ones do: computed in 64 bits without a sign.
  const auto wrapped = [](auto value) { return static_cast<T>(value); };
  switch (op) {
  case REDOP_ADD:
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return wrapped(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  case REDOP_MULT:
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return wrapped(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  case REDOP_MIN:
    return b < a ? b : a;
  case REDOP_MAX:
    return a < b ? b : a;
  default:
    if constexpr (std::is_integral_v<T>) {
      if (op == REDOP_BITAND) return wrapped(a & b);
      if (op == REDOP_BITOR) return wrapped(a | b);
      return wrapped(a ^ b);
    }
    return a;
  }
}

template <class T>
void combine_all(unsigned op, std::byte* result, const std::byte* other, std::size_t values) noexcept {
  for (std::size_t i = 0; i < values; ++i) {
    T a, b;
    std::memcpy(&a, result + i * sizeof(T), sizeof(T));
    std::memcpy(&b, other + i * sizeof(T), sizeof(T));
    a = apply<T>(op, a, b);
    std::memcpy(result + i * sizeof(T), &a, sizeof(T));
  }
}

} // namespace

bool is_reduction(redOp_t op) noexcept {
  const std::size_t bytes = datum_bytes(op);
  const unsigned what = operator_of(op);
  if (what > REDOP_BITXOR) return false;
  if ((op & REDOP_REAL) != 0) return (bytes == 4 || bytes == 8) && what < REDOP_BITAND;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

void combine(redOp_t op, std::byte* result, const std::byte* other, std::size_t values) noexcept {
  const auto with = [&]<class T>(T) { combine_all<T>(operator_of(op), result, other, values); };
  const std::size_t bytes = datum_bytes(op);
  if ((op & REDOP_REAL) != 0) return bytes == 8 ? with(double{}) : with(float{});
  const bool is_signed = (op & REDOP_SIGNED) != 0;
  switch (bytes) {
  case 1:
    return is_signed ? with(std::int8_t{}) : with(std::uint8_t{});
  case 2:
    return is_signed ? with(std::int16_t{}) : with(std::uint16_t{});
  case 4:
    return is_signed ? with(std::int32_t{}) : with(std::uint32_t{});
  default:
    return is_signed ? with(std::int64_t{}) : with(std::uint64_t{});
  }
}

} // namespace treadle::ocr

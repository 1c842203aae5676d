#include "tree/kernels/diagonal_product.hpp"

#include "base/dispatch.hpp"
#include "value/diagonal.hpp"

#include <algorithm>
#include <bit>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

constexpr i64 k_band = 256; // columns, where rows are no pieces of memory: what is read across stays in the first cache

// Numbers in rows, `row_step` and `step` apart.
template <class T>
struct strided {
  const T* data;
  i64 row_step, step;
};

// out[i, j] = x[i, j] * factors[i, j]
template <class T>
struct scaled_rows {
  // The sum that a product stands for begins with +0.0 and has zeros of either sign beside it, so it never is -0.0.
  // `unsure` collects bits where it is not that simple: a factor that is not finite makes NaN of those zeros, and a
  // product too small for a number may leave its sign.
  TREADLE_LOOP static T scale(T x, T factor, u64& unsure) {
    if constexpr (std::is_same_v<T, double>) {
      const T p = x * factor;
      unsure |= std::bit_cast<u64>(p - p) | (u64(p == 0.0) & u64(x != 0.0) & u64(factor != 0.0));
      return p + 0.0;
    } else {
      return static_cast<T>(static_cast<u64>(x) * static_cast<u64>(factor));
    }
  }

  TREADLE_LOOP static void run(strided<T> x, strided<T> factors, i64 rows, i64 columns, T* out, u64* unsure) {
    u64 found = 0;
    const i64 band = x.step == 1 ? columns : k_band;
    for (i64 begin = 0; begin < columns; begin += band) {
      const i64 count = std::min(band, columns - begin);
      for (i64 i = 0; i < rows; ++i) {
        const T *p = x.data + i * x.row_step + begin * x.step,
                *f = factors.data + i * factors.row_step + begin * factors.step;
        T* to = out + i * columns + begin;
        if (x.step == 1 && factors.step == 0) {
          const T factor = *f;
          for (i64 j = 0; j < count; ++j) to[j] = scale(p[j], factor, found);
        } else if (x.step == 1 && factors.step == 1) {
          for (i64 j = 0; j < count; ++j) to[j] = scale(p[j], f[j], found);
        } else {
          for (i64 j = 0; j < count; ++j) to[j] = scale(p[j * x.step], f[j * factors.step], found);
        }
      }
    }
    *unsure = found;
  }
};

} // namespace

template <class T>
std::optional<value> diagonal_product(const array& a, const array& b) {
  const bool left = detail::is_diagonal(a), both = left && detail::is_diagonal(b);
  const auto& x = both ? detail::diagonal_of(b) : left ? b : a;
  const auto& vector = detail::diagonal_of(left ? a : b);
  const bool one_row = x.rank() == 1, by_row = left && !one_row;
  const auto step = vector.strides()[0];
  const strided<T> numbers{x.data<T>(), one_row ? 0 : x.strides()[0], x.strides()[one_row ? 0 : 1]};
  const strided<T> factors{vector.data<T>(), by_row ? step : 0, by_row ? 0 : step};
  auto result = array::uninitialized(dtype_of<T>, x.shape());
  u64 unsure = 0;
  detail::run_wide<scaled_rows<T>>(numbers, factors, one_row ? i64(1) : x.shape()[0], x.shape()[one_row ? 0 : 1],
                                   static_cast<T*>(result.object()->data), &unsure);
  if (unsure != 0) return {};
  return both ? detail::diagonal_matrix(std::move(result)) : std::move(result);
}

template std::optional<value> diagonal_product<double>(const array& a, const array& b);
template std::optional<value> diagonal_product<i64>(const array& a, const array& b);

} // namespace treadle::tree

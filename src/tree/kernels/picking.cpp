#include "tree/kernels/picking.hpp"

#include "base/dispatch.hpp"
#include "value/strided.hpp"

#include <cstring>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

struct trues_row { // eight truths are the bits of a word
  TREADLE_LOOP static void run(const bool* x, i64 count, i64* result) {
    i64 total = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, x + i, 8);
      total += __builtin_popcountll(word);
    }
    for (; i < count; ++i) total += x[i] ? 1 : 0;
    *result = total;
  }
};

// For each combination of eight truths, which of them are true: their numbers, and then anything.
struct true_numbers {
  std::uint8_t of[256][8] = {};
  constexpr true_numbers() noexcept {
    for (unsigned truths = 0; truths < 256; ++truths)
      for (unsigned i = 0, k = 0; i < 8; ++i)
        if (truths >> i & 1) of[truths][k++] = static_cast<std::uint8_t>(i);
  }
};
constexpr true_numbers k_true_numbers;

struct positions_row { // eight truths at a time become eight positions, of which as many count as are true
  TREADLE_LOOP static void run(const bool* x, i64 count, i64 found, i64* out) {
    i64 i = 0, k = 0;
    for (; i + 8 <= count && k + 8 <= found; i += 8) {
      std::uint64_t word = 0;
      __builtin_memcpy(&word, x + i, 8);
      const auto truths = static_cast<std::size_t>(word * 0x0102040810204080u >> 56); // one bit of each byte
      for (std::size_t j = 0; j < 8; ++j) out[k + static_cast<i64>(j)] = i + k_true_numbers.of[truths][j];
      k += __builtin_popcountll(word);
    }
    for (; k < found; ++i) {
      out[k] = i;
      k += x[i] ? 1 : 0;
    }
  }
};

struct range_row { // whether all indices are in [-length, length)
  TREADLE_LOOP static void run(const i64* x, i64 count, i64 length, bool* result) {
    i64 outside = 0;
    for (i64 i = 0; i < count; ++i) outside |= detail::either(x[i] < -length, x[i] >= length) ? 1 : 0;
    *result = outside == 0;
  }
};

template <class T>
struct gather_row {
  TREADLE_LOOP static void run(const T* x, i64 length, const i64* index, i64 count, T* out) {
    for (i64 i = 0; i < count; ++i) out[i] = x[index[i] + (index[i] < 0 ? length : 0)];
  }
};

array pick_elements(const array& a, const array& mask) {
  const auto found = count_trues(mask);
  auto result = array::uninitialized(a.type(), {found});
  detail::visit_dtype(a.type(), [&](auto* tag) {
    using T = detail::element_of<decltype(tag)>;
    const T* x = a.data<T>();
    const bool* keeps = mask.data<bool>();
    T* out = static_cast<T*>(result.object()->data);
    for (i64 i = 0, k = 0; k < found; ++i) { // without a branch: the next free place only moves on after a true
      out[k] = x[i];
      k += keeps[i] ? 1 : 0;
    }
  });
  return result;
}

array pick_rows(const array& a, const array& indices, const extents& shape) {
  auto result = array::uninitialized(a.type(), shape);
  const auto length = a.shape()[0], row = length == 0 ? 0 : a.size() / length;
  const auto* index = indices.data<i64>();
  if (row == 1) {
    detail::visit_dtype(a.type(), [&](auto* tag) {
      using T = detail::element_of<decltype(tag)>;
      const T* x = a.data<T>();
      T* out = static_cast<T*>(result.object()->data);
      detail::run_wide<gather_row<T>>(x, length, index, indices.size(), out);
    });
    return result;
  }
  const auto bytes = row * static_cast<i64>(item_bytes(a.type()));
  const auto* from = static_cast<const std::byte*>(a.raw_data());
  auto* to = static_cast<std::byte*>(result.object()->data);
  for (i64 i = 0, n = indices.size(); i < n; ++i)
    std::memcpy(to + i * bytes, from + (index[i] + (index[i] < 0 ? length : 0)) * bytes,
                static_cast<std::size_t>(bytes));
  return result;
}

} // namespace

i64 count_trues(const array& mask) {
  i64 count = 0;
  detail::run_wide<trues_row>(mask.data<bool>(), mask.size(), &count);
  return count;
}

array positions_of_trues(const array& mask) {
  const auto found = count_trues(mask);
  auto result = array::uninitialized(dtype::int64, {found});
  detail::run_wide<positions_row>(mask.data<bool>(), mask.size(), found, static_cast<i64*>(result.object()->data));
  return result;
}

std::optional<array> pick(const array& a, const value& index) {
  if (!index.is_array() || a.rank() == 0 || !a.is_contiguous()) return {};
  auto indices = index.as_array();
  if (indices.rank() == 0 || !indices.is_contiguous()) return {};
  if (indices.type() == dtype::boolean) {
    if (indices.shape() == a.shape()) return pick_elements(a, indices);
    if (indices.rank() != 1 || indices.size() != a.shape()[0]) return {};
    indices = positions_of_trues(indices);
  }
  if (indices.type() != dtype::int64 || indices.rank() + a.rank() - 1 > k_max_rank) return {};
  bool inside = true;
  detail::run_wide<range_row>(indices.data<i64>(), indices.size(), a.shape()[0], &inside);
  if (!inside) return {};
  extents shape = indices.shape();
  for (std::size_t i = 1; i < a.rank(); ++i) shape.push_back(a.shape()[i]);
  return pick_rows(a, indices, shape);
}

} // namespace treadle::tree

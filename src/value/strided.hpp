// Loops over the elements of up to N equally shaped strided views: the innermost runs are handed out as (count,
// strides), so that kernels are written once as a loop over one row and the compiler can vectorise its unit-stride
// case.
#pragma once

#include <treadle/arrays/value.hpp>

#include <array>
#include <cstdint>
#include <type_traits>

namespace treadle::detail {

template <std::size_t N>
struct row {
  std::int64_t count;
  std::array<std::int64_t, N> offset; // of the first element, in elements
  std::array<std::int64_t, N> stride;
};

// Calls body(row<N>) for every innermost run, in row-major order of `shape`. Neighbouring axes that are contiguous for
// all operands are fused first, so a fully contiguous array is one row. Empty shapes give no call.
template <std::size_t N, class Body>
void for_each_row(const extents& shape, const std::array<const extents*, N>& strides, Body&& body) {
  std::array<std::int64_t, k_max_rank> length{};
  std::array<std::array<std::int64_t, N>, k_max_rank> step{};
  std::size_t axes = 0;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 0) return;
    if (shape[i] == 1) continue;
    bool fuse = axes > 0;
    for (std::size_t n = 0; fuse && n < N; ++n) fuse = step[axes - 1][n] == (*strides[n])[i] * shape[i];
    if (!fuse) length[axes++] = 1;
    length[axes - 1] *= shape[i];
    for (std::size_t n = 0; n < N; ++n) step[axes - 1][n] = (*strides[n])[i];
  }
  row<N> r{1, {}, {}};
  if (axes == 0) return void(body(r)); // one element
  r.count = length[axes - 1];
  r.stride = step[axes - 1];
  std::array<std::int64_t, k_max_rank> index{};
  for (;;) {
    body(r);
    std::size_t axis = axes - 1;
    while (axis > 0) { // advance the odometer of the outer axes
      --axis;
      for (std::size_t n = 0; n < N; ++n) r.offset[n] += step[axis][n];
      if (++index[axis] < length[axis]) break;
      for (std::size_t n = 0; n < N; ++n) r.offset[n] -= step[axis][n] * length[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (axes == 1) return;
  }
}

// Calls f with a null pointer of the C++ element type, e.g. visit_dtype(t, [](auto* tag) { using T = pointee<tag>; ...
// }).
template <class F>
decltype(auto) visit_dtype(dtype type, F&& f) {
  switch (type) {
  case dtype::boolean:
    return f(static_cast<bool*>(nullptr));
  case dtype::int64:
    return f(static_cast<std::int64_t*>(nullptr));
  default:
    return f(static_cast<double*>(nullptr));
  }
}

template <class Pointer>
using element_of = std::remove_pointer_t<Pointer>;

extents row_major_strides(const extents& shape) noexcept;

// The shape two operands have in common by NumPy's broadcasting rule; value_error otherwise.
extents broadcast_shapes(const extents& a, const extents& b);

// Strides that repeat an array of this shape and these strides over `target`, to which it must broadcast.
extents broadcast_strides(const extents& shape, const extents& strides, const extents& target) noexcept;

// The view in which two axes have changed places.
array exchange_axes(const array& a, std::size_t axis, std::size_t other);

// Where the elements of an array lie: the array of which it is a view, or itself.
inline array_object* memory_of(const array& a) noexcept { return a.object()->base ? a.object()->base : a.object(); }

// A view of `a` that is never unique, nor are views of it. It keeps the memory of `original`, which therefore is not
// unique while the view lives either.
array read_only(const array& a, const array& original);

// Copies `from` (same shape, any type and strides) into the memory at `to`.
void copy_elements(const array& from, dtype to_type, const extents& to_strides, void* to);

} // namespace treadle::detail

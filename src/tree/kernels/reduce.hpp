// The loop behind all reductions. An operation gives identity<T>(), combine(a, b) and row(pointer, count, stride).
#pragma once

#include "base/dispatch.hpp"
#include "tree/nodes/primitive.hpp"
#include "value/strided.hpp"

namespace treadle::tree {

// Which axes go. `kept` are the others in order; `shape` is what the caller sees (with ones for keepdims).
struct reduction {
  std::uint32_t axes = 0; // bit set of the reduced ones
  extents shape;
  std::int64_t reduced = 1; // elements combined into each result

  std::int64_t result_size() const { return shape.product(); }
};

// `axis`: nil (all), an integer or a list of integers.
reduction reduction_plan(const extents& shape, const value& axis, const value& keepdims);

template <class Op, class T>
struct added_row {
  TREADLE_LOOP static void run(const T* x, std::int64_t step, T* to, std::int64_t to_step, std::int64_t count) {
    if (step == 1 && to_step == 1)
      for (std::int64_t i = 0; i < count; ++i) to[i] = Op::combine(to[i], x[i]);
    else
      for (std::int64_t i = 0; i < count; ++i) to[i * to_step] = Op::combine(to[i * to_step], x[i * step]);
  }
};

template <class Op, class T>
array reduce(const array& a, const reduction& plan) {
  extents outer, outer_strides, inner, inner_strides;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    const bool gone = plan.axes >> i & 1u;
    (gone ? inner : outer).push_back(a.shape()[i]);
    (gone ? inner_strides : outer_strides).push_back(a.strides()[i]);
  }
  auto result = array::uninitialized(dtype_of<T>, plan.shape);
  T* out = static_cast<T*>(result.object()->data);
  const T* in = a.data<T>();
  const auto out_strides = detail::row_major_strides(outer);
  const bool rows_apart = inner.rank() == 1 && outer.rank() > 0 && inner[0] > 1 &&
                          (inner_strides[0] > 1 || inner_strides[0] < -1) && outer_strides[outer.rank() - 1] == 1;
  if (rows_apart) { // reduced axis far apart, kept axis contiguous: add whole rows, which vectorises
    for (std::int64_t i = 0, n = result.size(); i < n; ++i) out[i] = Op::template identity<T>();
    for (std::int64_t k = 0; k < inner[0]; ++k)
      detail::for_each_row<2>(outer, {&outer_strides, &out_strides}, [&](const detail::row<2>& r) {
        const T* x = in + k * inner_strides[0] + r.offset[0];
        T* to = out + r.offset[1];
        detail::run_wide<added_row<Op, T>>(x, r.stride[0], to, r.stride[1], r.count);
      });
    return result;
  }
  const auto reduce_one = [&](const T* from) {
    T total = Op::template identity<T>();
    bool first = true;
    detail::for_each_row<1>(inner, {&inner_strides}, [&](const detail::row<1>& r) {
      const T part = Op::template row<T>(from + r.offset[0], r.count, r.stride[0]);
      total = first ? part : Op::combine(total, part);
      first = false;
    });
    return total;
  };
  detail::for_each_row<2>(outer, {&outer_strides, &out_strides}, [&](const detail::row<2>& r) {
    for (std::int64_t i = 0; i < r.count; ++i)
      out[r.offset[1] + i * r.stride[1]] = reduce_one(in + r.offset[0] + i * r.stride[0]);
  });
  return result;
}

} // namespace treadle::tree

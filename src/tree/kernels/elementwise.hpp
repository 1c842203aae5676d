// Elementwise kernels over one or two operands with NumPy broadcasting and promotion. An operation is a struct with
//   template <class T> static R apply(T...);   and   static constexpr dtype k_least: the type operands are promoted to
//   at least. k_plain: computes with the language's own numbers instead. k_refuses_truths: truth values of arrays are
//   refused, as by NumPy.
#pragma once

#include "base/dispatch.hpp"
#include "tree/kernels/diagonal_operands.hpp"
#include "tree/kernels/packed_tests.hpp"
#include "tree/kernels/plain_numbers.hpp"
#include "tree/nodes/primitive.hpp"
#include "value/strided.hpp"

#include <algorithm>

namespace treadle::tree {

// An operand in the common type: a view of an array, or a scalar held here.
class operand {
 public:
  operand(const value& v, dtype type) {
    if (v.is_array() && v.as_array().type() == type) {
      view(v.as_array());
    } else if (v.is_scalar()) {
      m_strides = {};
      if (type == dtype::float64)
        m_scalar.real = v.to_float64();
      else if (type == dtype::int64)
        m_scalar.integer = v.integer();
      else
        m_scalar.boolean = v.integer() != 0;
      m_data = &m_scalar;
    } else {
      m_converted = v.to_array().cast(type);
      view(m_converted);
    }
  }
  operand(const operand&) = delete;
  operand& operator=(const operand&) = delete;

  template <class T>
  const T* data() const noexcept {
    return static_cast<const T*>(m_data);
  }
  const extents& shape() const noexcept { return m_shape; }
  bool is_scalar() const noexcept { return m_shape.rank() == 0; }
  bool is_contiguous() const noexcept { return m_strides == detail::row_major_strides(m_shape); }
  extents strides_over(const extents& target) const noexcept {
    return detail::broadcast_strides(m_shape, m_strides, target);
  }

 private:
  void view(const array& a) {
    m_data = a.raw_data();
    m_shape = a.shape();
    m_strides = a.strides();
  }

  const void* m_data;
  extents m_shape, m_strides;
  array m_converted = array::adopt(nullptr); // keeps a conversion alive; usually nothing
  union {
    double real;
    std::int64_t integer;
    bool boolean;
  } m_scalar;
};

// Memory for a result: a temporary argument of that type and shape if there is one, else new.
array result_array(const call_context& context, std::span<value> args, dtype type, const extents& shape);

template <class Op, class T>
using result_of = decltype(Op::template apply<T>(T(), T()));
template <class Op, class T>
using unary_result_of = decltype(Op::template apply<T>(T()));

// One row of results, from operands that go on by one element or stay.
template <class Op, class T, class R>
struct binary_row {
  TREADLE_LOOP static void run(const T* p, const T* q, std::int64_t count, std::int64_t step_p, std::int64_t step_q,
                               R* to) {
    constexpr bool k_packed = std::is_same_v<R, bool> && has_mask<Op, T>;
    std::int64_t i = 0;
    if (step_p == 1 && step_q == 1) {
      if constexpr (k_packed) i = packed_tests<Op>(count, to, row_pairs<T>{p}, row_pairs<T>{q});
      for (; i < count; ++i) to[i] = Op::template apply<T>(p[i], q[i]);
    } else if (step_p == 1 && step_q == 0) {
      const T c = *q; // a copy: the result may overwrite the operand
      if constexpr (k_packed) i = packed_tests<Op>(count, to, row_pairs<T>{p}, same_pairs<T>(c));
      for (; i < count; ++i) to[i] = Op::template apply<T>(p[i], c);
    } else if (step_p == 0 && step_q == 1) {
      const T c = *p;
      if constexpr (k_packed) i = packed_tests<Op>(count, to, same_pairs<T>(c), row_pairs<T>{q});
      for (; i < count; ++i) to[i] = Op::template apply<T>(c, q[i]);
    } else {
      for (; i < count; ++i) to[i] = Op::template apply<T>(p[i * step_p], q[i * step_q]);
    }
  }
};

// Rows shorter than this are not worth the choice of a vector width.
inline constexpr std::int64_t k_short_row = 16;

template <class Op, class T, class R>
void binary_loop(const operand& a, const operand& b, const extents& shape, R* out) {
  const T *x = a.data<T>(), *y = b.data<T>();
  using row_loop = binary_row<Op, T, R>;
  const auto run = [out](const T* p, const T* q, std::int64_t count, std::int64_t step_p, std::int64_t step_q,
                         std::int64_t offset) {
    if (count < k_short_row)
      row_loop::run(p, q, count, step_p, step_q, out + offset);
    else
      detail::run_wide<row_loop>(p, q, count, step_p, step_q, out + offset);
  };
  const bool simple_a = a.is_scalar() || (a.is_contiguous() && a.shape() == shape);
  const bool simple_b = b.is_scalar() || (b.is_contiguous() && b.shape() == shape);
  if (simple_a && simple_b) {
    std::int64_t count = 1;
    for (auto n : shape) count *= n;
    return run(x, y, count, a.is_scalar() ? 0 : 1, b.is_scalar() ? 0 : 1, 0);
  }
  const auto strides_a = a.strides_over(shape), strides_b = b.strides_over(shape);
  const auto strides_out = detail::row_major_strides(shape);
  detail::for_each_row<3>(shape, {&strides_a, &strides_b, &strides_out}, [&](const detail::row<3>& r) {
    if (r.stride[2] == 1) {
      run(x + r.offset[0], y + r.offset[1], r.count, r.stride[0], r.stride[1], r.offset[2]);
    } else {
      for (std::int64_t i = 0; i < r.count; ++i)
        out[r.offset[2] + i * r.stride[2]] =
            Op::template apply<T>(x[r.offset[0] + i * r.stride[0]], y[r.offset[1] + i * r.stride[1]]);
    }
  });
}

template <class Op, class T>
value binary_as(call_context& context, std::span<value> args) {
  using R = result_of<Op, T>;
  if (are_diagonals(args[0], args[1]) &&
      is_plain_zero(Op::template apply<T>(beside_diagonal<T>(args[0]), beside_diagonal<T>(args[1])))) [[unlikely]]
    return diagonal_of_vectors(context, args, binary_as<Op, T>);
  const operand a(args[0], dtype_of<T>), b(args[1], dtype_of<T>);
  if (a.is_scalar() && b.is_scalar()) return value(Op::template apply<T>(*a.data<T>(), *b.data<T>()));
  const auto shape = a.is_scalar()            ? b.shape()
                     : b.is_scalar()          ? a.shape()
                     : a.shape() == b.shape() ? a.shape()
                                              : detail::broadcast_shapes(a.shape(), b.shape());
  auto result = result_array(context, args, dtype_of<R>, shape);
  binary_loop<Op, T, R>(a, b, shape, static_cast<R*>(result.object()->data));
  return value(std::move(result));
}

// What NumPy does not compute with arrays of bool.
[[noreturn]] void refuse_truths(std::string_view name);

template <class Op>
value binary_values(call_context& context, std::span<value> args) {
  const auto &a = args[0], &b = args[1];
  if constexpr (requires { Op::k_plain; })
    if (is_plain_number(a) && is_plain_number(b)) return Op::k_plain(a, b);
  if (a.kind() == value_kind::float64 && b.kind() == value_kind::float64)
    return value(Op::template apply<double>(a.real(), b.real()));
  if constexpr (requires { Op::k_refuses_truths; })
    if (std::max(dtype_of_value(a), dtype_of_value(b)) == dtype::boolean) refuse_truths(context.self->name);
  switch (std::max({dtype_of_value(a), dtype_of_value(b), Op::k_least})) {
  case dtype::float64:
    return binary_as<Op, double>(context, args);
  case dtype::int64:
    if constexpr (Op::k_least <= dtype::int64) return binary_as<Op, std::int64_t>(context, args);
    [[fallthrough]];
  default:
    if constexpr (Op::k_least <= dtype::boolean) return binary_as<Op, bool>(context, args);
  }
  return {};
}

// A kernel of two or more arguments, folded from the left.
template <class Op>
value binary(call_context& context, std::span<value> args) {
  if (args.size() == 2) return binary_values<Op>(context, args);
  value pair[2] = {args[0], args[1]};
  call_context inner{context.self, context.services, 0};
  for (std::size_t i = 1;; ++i) {
    value result = binary_values<Op>(inner, pair);
    if (i + 1 == args.size()) return result;
    pair[0] = std::move(result);
    pair[1] = args[i + 1];
    inner.owned = 1;
  }
}

template <class Op, class T, class R>
struct unary_row {
  TREADLE_LOOP static void run(const T* in, std::int64_t count, std::int64_t step, R* out, std::int64_t out_step) {
    std::int64_t i = 0;
    if (step == 1 && out_step == 1) {
      if constexpr (has_mask<Op, T>) i = packed_tests<Op>(count, out, row_pairs<T>{in});
      for (; i < count; ++i) out[i] = Op::template apply<T>(in[i]);
    } else {
      for (; i < count; ++i) out[i * out_step] = Op::template apply<T>(in[i * step]);
    }
  }
};

template <class Op, class T>
value unary_as(call_context& context, std::span<value> args) {
  using R = unary_result_of<Op, T>;
  if (detail::is_diagonal(args[0]) && is_plain_zero(Op::template apply<T>(T()))) [[unlikely]]
    return diagonal_of_vectors(context, args, unary_as<Op, T>);
  const operand a(args[0], dtype_of<T>);
  if (a.is_scalar()) return value(Op::template apply<T>(*a.data<T>()));
  auto result = result_array(context, args.first(1), dtype_of<R>, a.shape());
  R* out = static_cast<R*>(result.object()->data);
  const T* in = a.data<T>();
  const auto strides_in = a.strides_over(a.shape()), strides_out = detail::row_major_strides(a.shape());
  detail::for_each_row<2>(a.shape(), {&strides_in, &strides_out}, [&](const detail::row<2>& r) {
    detail::run_wide<unary_row<Op, T, R>>(in + r.offset[0], r.count, r.stride[0], out + r.offset[1], r.stride[1]);
  });
  return value(std::move(result));
}

template <class Op>
value unary(call_context& context, std::span<value> args) {
  if constexpr (requires { Op::k_plain; })
    if (is_plain_number(args[0])) return Op::k_plain(args[0]);
  if constexpr (requires { Op::k_refuses_truths; })
    if (dtype_of_value(args[0]) == dtype::boolean) refuse_truths(context.self->name);
  switch (std::max(dtype_of_value(args[0]), Op::k_least)) {
  case dtype::float64:
    return unary_as<Op, double>(context, args);
  case dtype::int64:
    if constexpr (Op::k_least <= dtype::int64) return unary_as<Op, std::int64_t>(context, args);
    [[fallthrough]];
  default:
    if constexpr (Op::k_least <= dtype::boolean) return unary_as<Op, bool>(context, args);
  }
  return {};
}

} // namespace treadle::tree

// Comparisons, logic and selection.
#include "tree/kernels/elementwise.hpp"
#include "tree/kernels/equality.hpp"
#include "tree/kernels/picking.hpp"
#include "tree/nodes/operators.hpp"

#include <array>
#include <cmath>

namespace treadle::tree {
namespace {

// Of numbers a truth value, of pairs of numbers a pair of masks.
struct equal {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a == b;
  }
};
struct unequal {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a != b;
  }
};
struct less {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a < b;
  }
};
struct less_equal {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a <= b;
  }
};
struct greater {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a > b;
  }
};
struct greater_equal {
  template <class T>
  static auto test(T a, T b) noexcept {
    return a >= b;
  }
};

template <class Test, class R>
struct comparison {
  static constexpr dtype k_least = dtype::boolean;
  static value k_plain(const value& a, const value& b) { // without rounding: 2**53 + 1 is greater than 2.0**53
    const bool first = a.kind() == value_kind::float64, second = b.kind() == value_kind::float64;
    return static_cast<R>(first != second ? Test::test(plain::order(a, b), 0.0)
                          : first         ? Test::test(a.real(), b.real())
                                          : Test::test(a.integer(), b.integer()));
  }
  template <class T>
  static R apply(T a, T b) noexcept {
    return static_cast<R>(Test::template test<T>(a, b));
  }
  template <class Pair>
  TREADLE_LOOP static auto mask(Pair a, Pair b) noexcept {
    return Test::test(a, b);
  }
};

// Lists and tuples, by the first items that differ.
template <class Test>
value compare_sequences(call_context& context, const value& a, const value& b) {
  const auto n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i)
    if (!same_items(context, a.item(i), b.item(i))) {
      const value pair[] = {a.item(i), b.item(i)};
      auto result = call_primitive(context.self->name, context, {pair[0], pair[1]});
      if (result.is_scalar() && any_of_array(pair)) result.set_array_scalar(true);
      return result;
    }
  return Test::test(a.size(), b.size());
}

// What is not a pair of numbers.
template <class Test>
value compare_others(call_context& context, const value& a, const value& b) {
  constexpr bool k_equality = std::is_same_v<Test, equal> || std::is_same_v<Test, unequal>;
  if (a.is_array() || b.is_array())
    throw value_error(error_kind::type,
                      "cannot compare an array with " + std::string(to_string(a.is_array() ? b.kind() : a.kind())));
  if (k_equality) return same_sequences(context, a, b) == std::is_same_v<Test, equal>;
  if (a.is_string() && b.is_string()) return Test::test(a.to_string_view().compare(b.to_string_view()), 0);
  if (are_alike(a, b) && !a.is_range()) return compare_sequences<Test>(context, a, b);
  throw value_error(error_kind::type,
                    "cannot compare " + std::string(to_string(a.kind())) + " with " + std::string(to_string(b.kind())));
}

// A third argument `true` asks for numbers 0.0 and 1.0 instead of truth values.
template <class Test>
value compare(call_context& context, std::span<value> args) {
  const auto &a = args[0], &b = args[1];
  if (!a.is_number() || !b.is_number()) {
    if (!(is_of_array(a) && b.is_list()) && !(a.is_list() && is_of_array(b)))
      return compare_others<Test>(context, a, b);
  }
  if (argument(args, 2).is_nil() || !args[2].to_bool())
    return binary_values<comparison<Test, bool>>(context, args.first(2));
  return binary_values<comparison<Test, double>>(context, args.first(2));
}

template <class Op>
struct logic {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static bool apply(T a, T b) noexcept {
    return Op::test(a != T(0), b != T(0));
  }
};
struct conjunction {
  static bool test(bool a, bool b) noexcept { return a && b; }
};
struct disjunction {
  static bool test(bool a, bool b) noexcept { return a || b; }
};
struct exclusion {
  static bool test(bool a, bool b) noexcept { return a != b; }
};
struct negation {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static bool apply(T a) noexcept {
    return a == T(0);
  }
};

struct flip_row { // bytes, because loops over bool are not made into vectors
  TREADLE_LOOP static void run(const unsigned char* x, unsigned char* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = x[i] ^ 1u;
  }
};

value logical_not(call_context& context, std::span<value> args) {
  if (args[0].is_array() && args[0].as_array().type() == dtype::boolean && args[0].as_array().is_contiguous()) {
    auto result = result_array(context, args.first(1), dtype::boolean, args[0].as_array().shape());
    detail::run_wide<flip_row>(static_cast<const unsigned char*>(args[0].as_array().raw_data()),
                               static_cast<unsigned char*>(result.object()->data), result.size());
    return detail::from_array(std::move(result));
  }
  return unary<negation>(context, args);
}

value python_not(call_context& context, std::span<value> args) {
  return args[0].is_number() ? logical_not(context, args) : value(!args[0].to_bool());
}

template <class T>
value select(const value& condition, const value& x, const value& y) {
  const operand c(condition, dtype::boolean), a(x, dtype_of<T>), b(y, dtype_of<T>);
  const auto shape = detail::broadcast_shapes(detail::broadcast_shapes(c.shape(), a.shape()), b.shape());
  auto result = array::uninitialized(dtype_of<T>, shape);
  auto* out = result.template mutable_data<T>();
  const auto sc = c.strides_over(shape), sa = a.strides_over(shape), sb = b.strides_over(shape);
  detail::for_each_row<4>(shape, {&sc, &sa, &sb, &result.strides()}, [&](const detail::row<4>& r) {
    for (std::int64_t i = 0; i < r.count; ++i)
      out[r.offset[3] + i * r.stride[3]] = c.data<bool>()[r.offset[0] + i * r.stride[0]]
                                               ? a.template data<T>()[r.offset[1] + i * r.stride[1]]
                                               : b.template data<T>()[r.offset[2] + i * r.stride[2]];
  });
  return detail::from_array(std::move(result));
}

value to_truth(const value& v) {
  if (v.is_scalar()) return v.to_bool();
  return v.to_array().cast(dtype::boolean);
}

// Indices of the elements that are not zero, as nonzero does; one array per axis.
value nonzero(call_context&, std::span<value> args) {
  const auto a = args[0].to_array().cast(dtype::boolean).contiguous();
  const auto found = positions_of_trues(a);
  const auto* position = found.data<std::int64_t>();
  if (a.rank() == 1) return value::tuple({found});
  std::vector<value> axes;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    auto indices = array::uninitialized(dtype::int64, found.shape());
    auto* out = indices.mutable_data<std::int64_t>();
    for (std::int64_t i = 0, n = found.size(); i < n; ++i) out[i] = position[i] / a.strides()[axis] % a.shape()[axis];
    axes.emplace_back(std::move(indices));
  }
  return value::tuple(std::move(axes));
}

value where(call_context& context, std::span<value> args) {
  if (args.size() == 1) return nonzero(context, args);
  if (args.size() == 2) throw value_error("takes a condition alone, or a condition and two choices");
  const auto condition = to_truth(args[0]);
  switch (std::max(dtype_of_value(args[1]), dtype_of_value(args[2]))) {
  case dtype::float64:
    return select<double>(condition, args[1], args[2]);
  case dtype::int64:
    return select<std::int64_t>(condition, args[1], args[2]);
  default:
    return select<bool>(condition, args[1], args[2]);
  }
}

// |a - b| <= atol + rtol |b| for all elements, as numpy.allclose.
value all_close(call_context&, std::span<value> args) {
  const auto number = [&](std::size_t i, double otherwise) {
    return argument(args, i).is_nil() ? otherwise : args[i].to_float64();
  };
  const double rtol = number(2, 1e-5), atol = number(3, 1e-8);
  const bool equal_nan = !argument(args, 4).is_nil() && args[4].to_bool();
  const operand a(args[0], dtype::float64), b(args[1], dtype::float64);
  const auto shape = detail::broadcast_shapes(a.shape(), b.shape());
  const auto sa = a.strides_over(shape), sb = b.strides_over(shape);
  bool close = true;
  detail::for_each_row<2>(shape, {&sa, &sb}, [&](const detail::row<2>& r) {
    for (std::int64_t i = 0; i < r.count; ++i) {
      const double x = a.data<double>()[r.offset[0] + i * r.stride[0]];
      const double y = b.data<double>()[r.offset[1] + i * r.stride[1]];
      const bool near = std::isfinite(y) && std::fabs(x - y) <= atol + rtol * std::fabs(y);
      close = close && (x == y || near || (equal_nan && x != x && y != y));
    }
  });
  return close;
}

template <class T>
struct same_row {
  TREADLE_LOOP static void run(const T* x, const T* y, std::int64_t count, bool* result) {
    int differ = 0;
    for (std::int64_t i = 0; i < count; ++i) differ |= x[i] == y[i] ? 0 : 1;
    *result = differ == 0;
  }
};
constexpr std::int64_t k_block = 4096;

value array_equal(call_context& context, std::span<value> args) { // (a, b, equal_nan)
  if (args[0].to_array().shape() != args[1].to_array().shape()) return false;
  const bool equal_nan = !argument(args, 2).is_nil() && args[2].to_bool();
  if (const auto a = args[0].to_array(), b = args[1].to_array();
      !equal_nan && a.type() == b.type() && a.is_contiguous() && b.is_contiguous())
    return detail::visit_dtype(a.type(), [&](auto* tag) {
      using T = detail::element_of<decltype(tag)>;
      bool same = true;
      for (std::int64_t i = 0; same && i < a.size(); i += k_block)
        detail::run_wide<same_row<T>>(a.data<T>() + i, b.data<T>() + i, std::min(k_block, a.size() - i), &same);
      return same;
    });
  std::array<value, 2> operands{args[0], args[1]};
  count_as_arrays(operands);
  auto same = binary_values<comparison<equal, bool>>(context, operands);
  if (equal_nan) {
    const auto nan = [&](const value& x) { return call_primitive("isnan", context, {x}); };
    const auto both = call_primitive("logical_and", context, {nan(args[0]), nan(args[1])});
    same = call_primitive("logical_or", context, {same, both});
  }
  return call_primitive("all", context, {same}).to_bool();
}

} // namespace

std::span<const primitive> comparison_primitives() {
  static constexpr primitive k_table[] = {
      {"__eq", "a, b, numeric=", compare<equal>, effect::none, number_rule::as_operands},
      {"__ne", "a, b, numeric=", compare<unequal>, effect::none, number_rule::as_operands},
      {"__lt", "a, b, numeric=", compare<less>, effect::none, number_rule::as_operands},
      {"__le", "a, b, numeric=", compare<less_equal>, effect::none, number_rule::as_operands},
      {"__gt", "a, b, numeric=", compare<greater>, effect::none, number_rule::as_operands},
      {"__ge", "a, b, numeric=", compare<greater_equal>, effect::none, number_rule::as_operands},
      {"__not", "a", python_not, effect::none, number_rule::as_made},
      {"__xor", "a, b, ...", binary<logic<exclusion>>, effect::none, number_rule::as_operands},
      {"logical_and", "a, b, ...", binary<logic<conjunction>>},
      {"logical_or", "a, b, ...", binary<logic<disjunction>>},
      {"logical_xor", "a, b, ...", binary<logic<exclusion>>},
      {"logical_not", "a", logical_not},
      {"where", "condition, x=, y=", where},
      {"nonzero", "a", nonzero},
      {"allclose", "a, b, rtol=, atol=, equal_nan=", all_close, effect::none, number_rule::as_made},
      {"array_equal", "a, b, equal_nan=", array_equal, effect::none, number_rule::as_made},
  };
  return k_table;
}

} // namespace treadle::tree

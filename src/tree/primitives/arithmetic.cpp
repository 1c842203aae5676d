#include "tree/kernels/elementwise.hpp"
#include "tree/kernels/vector_math.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;

// int64 wraps around as in NumPy; unsigned arithmetic keeps that defined. Arrays of bool stay bool.
struct add {
  static constexpr dtype k_least = dtype::boolean;
  static constexpr bool k_counts_truths = true;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a + b;
    else if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else
      return static_cast<T>(static_cast<u64>(a) + static_cast<u64>(b));
  }
};
struct subtract {
  static constexpr dtype k_least = dtype::int64;
  static constexpr bool k_refuses_truths = true;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a - b;
    else
      return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b));
  }
};
struct multiply {
  static constexpr dtype k_least = dtype::boolean;
  static constexpr bool k_counts_truths = true;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a * b;
    else if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else
      return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));
  }
};

void require_divisor(i64 b) {
  if (b == 0) throw value_error(error_kind::zero_division, "integer division by zero");
}

struct divide { // as C: integers truncate
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>)
      return a / b;
    else {
      require_divisor(b);
      return b == -1 ? subtract::apply<T>(0, a) : a / b;
    }
  }
};
struct remainder { // as C: sign of the dividend
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>)
      return std::fmod(a, b);
    else {
      require_divisor(b);
      return b == -1 ? 0 : a % b;
    }
  }
};
struct true_divide { // as Python
  static constexpr dtype k_least = dtype::float64;
  template <class T>
  static T apply(T a, T b) noexcept {
    return a / b;
  }
};
// Arrays of integers divided by 0 give 0, as in NumPy; scalars are refused, as by Python.
template <class Op>
struct of_arrays {
  static constexpr dtype k_least = Op::k_least;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, i64>)
      if (b == 0) return 0;
    return Op::template apply<T>(a, b);
  }
};
template <class Op>
value divide_as_python(call_context& context, std::span<value> args) {
  if (args[0].is_scalar() && args[1].is_scalar()) return binary<Op>(context, args);
  return binary<of_arrays<Op>>(context, args);
}

struct floor_modulo { // as Python: sign of the divisor
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a, T b) {
    const T r = remainder::apply<T>(a, b);
    if (r == 0) {
      if constexpr (std::is_same_v<T, double>)
        return std::copysign(0.0, b);
      else
        return 0;
    }
    return (r < 0) != (b < 0) ? r + b : r;
  }
};
struct floor_divide { // as Python
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      if (b == 0.0) return a / b;
      const double r = std::fmod(a, b);
      const double q = (a - r) / b - (r != 0.0 && (r < 0.0) != (b < 0.0) ? 1.0 : 0.0); // an integer but for rounding
      if (q == 0.0) return std::copysign(0.0, a / b);
      const double whole = std::floor(q);
      return q - whole > 0.5 ? whole + 1.0 : whole;
    } else {
      const T q = divide::apply<T>(a, b);
      return a % (b == -1 ? 1 : b) != 0 && (a < 0) != (b < 0) ? q - 1 : q;
    }
  }
};
struct larger { // NaN wins, as in NumPy
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T a, T b) noexcept {
    return a > b || a != a ? a : b;
  }
};
struct smaller {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T a, T b) noexcept {
    return a < b || a != a ? a : b;
  }
};
struct raise {
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      if (b == 2.0) return a * a;
      machine_vector_functions().pow(&a, 0, &b, 0, &a, 1);
      return a;
    } else {
      if (b < 0) throw value_error("integers to negative integer powers are not allowed");
      T result = 1;
      for (; b != 0; b >>= 1, a = multiply::apply<T>(a, a))
        if (b & 1) result = multiply::apply<T>(result, a);
      return result;
    }
  }
};
struct negate {
  static constexpr dtype k_least = dtype::int64;
  static constexpr bool k_refuses_truths = true;
  template <class T>
  static T apply(T a) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return -a;
    else
      return subtract::apply<T>(0, a);
  }
};
struct identity {
  static constexpr dtype k_least = dtype::int64;
  static constexpr bool k_refuses_truths = true;
  template <class T>
  static T apply(T a) noexcept {
    return a;
  }
};

// Text and lists are joined by +, as in Python.
value add_or_join(call_context& context, std::span<value> args) {
  if (args[0].is_string() && std::all_of(args.begin(), args.end(), [](const value& v) { return v.is_string(); })) {
    std::string text;
    for (const auto& a : args) text += a.to_string_view();
    return text;
  }
  if (args[0].is_list() && std::all_of(args.begin(), args.end(), [](const value& v) { return v.is_list(); })) {
    std::vector<value> items;
    for (const auto& a : args)
      for (std::size_t i = 0; i < a.size(); ++i) items.push_back(a.item(i));
    return detail::list_like(args[0], std::move(items));
  }
  return binary<add>(context, args);
}

// Arrays raised to these numbers are computed otherwise, as by NumPy: a square root of -inf is nan.
value power(call_context& context, std::span<value> args) {
  const bool real = std::max(dtype_of_value(args[0]), dtype_of_value(args[1])) == dtype::float64;
  if (!real || (args[0].is_scalar() && args[1].is_scalar())) return binary<raise>(context, args);
  const double exponent = args[1].is_scalar() ? args[1].to_float64() : 0.0;
  if (exponent == 0.5) return find_primitive("sqrt")->compute(context, args.first(1));
  if (exponent == 2.0) return call_primitive("__mul", context, {args[0], call_primitive("float", context, {args[0]})});
  const auto base = args[0].to_array().cast(dtype::float64), to = args[1].to_array().cast(dtype::float64);
  const auto shape = detail::broadcast_shapes(base.shape(), to.shape());
  const auto row = [&](const array& a) { return a.size() == 1 ? a : array::broadcast(a, shape).contiguous(); };
  const auto x = row(base), y = row(to);
  auto result = array::uninitialized(dtype::float64, shape);
  machine_vector_functions().pow(x.data<double>(), x.size() != 1, y.data<double>(), y.size() != 1,
                                 static_cast<double*>(result.object()->data), result.size());
  return result;
}

// a += b, of which the caller makes a change in place: a list takes any sequence then.
value add_in_place(call_context& context, std::span<value> args) {
  const auto &a = args[0], &b = args[1];
  if (!a.is_list() || a.is_tuple() || detail::as_list(a).is_range) return add_or_join(context, args);
  std::vector<value> items(detail::as_list(a).items);
  for (std::size_t i = 0, n = b.size(); i < n; ++i) items.push_back(b.item(i));
  return value::list(std::move(items));
}

constexpr std::size_t k_most_items = std::size_t(1) << 40;

// A list times a number of times is that list repeated, as in Python.
value multiply_or_repeat(call_context& context, std::span<value> args) {
  if (args.size() == 2 && args[0].is_list() != args[1].is_list()) {
    const auto &list = args[args[0].is_list() ? 0 : 1], &times = args[args[0].is_list() ? 1 : 0];
    if (times.kind() == value_kind::int64 || times.kind() == value_kind::boolean) {
      std::size_t count = 0;
      const auto n = std::max<i64>(times.integer(), 0);
      if (__builtin_mul_overflow(list.size(), static_cast<std::size_t>(n), &count) || count > k_most_items)
        throw value_error("a list of that many items is impossible");
      std::vector<value> items;
      items.reserve(count);
      while (items.size() < count)
        for (std::size_t i = 0; i < list.size(); ++i) items.push_back(list.item(i));
      return detail::list_like(list, std::move(items));
    }
  }
  return binary<multiply>(context, args);
}

} // namespace

std::span<const primitive> arithmetic_primitives() {
  static constexpr primitive k_table[] = {
      {"__add", "a, b, ...", add_or_join},
      {"__iadd", "a, b", add_in_place},
      {"__sub", "a, b, ...", binary<subtract>},
      {"__mul", "a, b, ...", multiply_or_repeat},
      {"__div", "a, b, ...", binary<divide>},
      {"__mod", "a, b, ...", binary<remainder>},
      {"__truediv", "a, b", binary<true_divide>},
      {"__floordiv", "a, b", divide_as_python<floor_divide>},
      {"__pymod", "a, b", divide_as_python<floor_modulo>},
      {"__minus", "a", unary<negate>},
      {"__plus", "a", unary<identity>},
      {"power", "a, b", power},
      {"maximum", "a, b, ...", binary<larger>},
      {"minimum", "a, b, ...", binary<smaller>},
  };
  return k_table;
}

} // namespace treadle::tree

#include "tree/kernels/elementwise.hpp"
#include "tree/kernels/plain_numbers.hpp"
#include "tree/kernels/vector_math.hpp"

#include "tree/nodes/operators.hpp"

#include <cmath>

namespace treadle::tree {
namespace {

using u64 = std::uint64_t;
using i64 = std::int64_t;

// int64 wraps around as in NumPy; unsigned arithmetic keeps that defined. Truth values of arrays stay such.
struct add {
  static constexpr dtype k_least = dtype::boolean;
  static constexpr auto k_plain = plain::add;
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
  static constexpr auto k_plain = plain::subtract;
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
  static constexpr auto k_plain = plain::multiply;
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
  static constexpr auto k_plain = plain::divide;
  template <class T>
  static T apply(T a, T b) noexcept {
    return a / b;
  }
};
// What arrays hold: integers divided by 0 give 0, as in NumPy.
struct floor_modulo { // as Python: sign of the divisor
  static constexpr dtype k_least = dtype::int64;
  static constexpr auto k_plain = plain::modulo;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return floor_remainder(a, b);
    } else {
      if (b == 0 || b == -1) return 0;
      const T r = a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
  }
};
struct floor_divide { // as Python
  static constexpr dtype k_least = dtype::int64;
  static constexpr auto k_plain = plain::floor_divide;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return floor_quotient(a, b);
    } else {
      if (b == 0) return 0;
      if (b == -1) return subtract::apply<T>(0, a);
      const T q = a / b;
      return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
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
  static constexpr auto k_plain = plain::power;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>) {
      return std::pow(a, b);
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
  static constexpr auto k_plain = plain::negate;
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
  static constexpr auto k_plain = plain::identity;
  template <class T>
  static T apply(T a) noexcept {
    return a;
  }
};

bool are_numbers(std::span<const value> args) noexcept {
  return args.size() == 2 && args[0].is_number() && args[1].is_number();
}

// Text and lists are joined by +, as in Python.
value add_or_join(call_context& context, std::span<value> args) {
  if (are_numbers(args)) return binary_values<add>(context, args);
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
  return detail::from_array(std::move(result));
}

// a += b, of which the caller makes a change in place: a list takes any sequence then, but computes with an array.
value add_in_place(call_context& context, std::span<value> args) {
  if (are_numbers(args)) return binary_values<add>(context, args);
  const auto &a = args[0], &b = args[1];
  const bool extends =
      a.is_list() && !a.is_tuple() && !detail::as_list(a).is_range && (b.is_list() || b.is_string() || b.is_dict());
  if (!extends) {
    if (a.is_list() || b.is_list()) check_operands("__add", args);
    return add_or_join(context, args);
  }
  std::vector<value> items(detail::as_list(a).items);
  for (std::size_t i = 0, n = b.size(); i < n; ++i) items.push_back(b.item(i));
  return value::list(std::move(items));
}

constexpr std::size_t k_most_items = std::size_t(1) << 40;

// A list or a text times a number of times is it repeated, as in Python.
value multiply_or_repeat(call_context& context, std::span<value> args) {
  if (are_numbers(args)) return binary_values<multiply>(context, args);
  const auto repeats = [](const value& v) { return v.is_list() || v.is_string(); };
  if (args.size() == 2 && repeats(args[0]) != repeats(args[1])) {
    const auto &list = args[repeats(args[0]) ? 0 : 1], &times = args[repeats(args[0]) ? 1 : 0];
    if (times.kind() == value_kind::int64 || (times.kind() == value_kind::boolean && !times.is_array_scalar())) {
      std::size_t count = 0;
      const auto n = std::max<i64>(times.integer(), 0);
      if (__builtin_mul_overflow(list.size(), static_cast<std::size_t>(n), &count) || count > k_most_items)
        throw value_error(error_kind::overflow, "that many items are impossible");
      if (list.is_string()) {
        const auto once = list.to_string_view();
        std::string text;
        text.reserve(once.size() * static_cast<std::size_t>(n));
        for (i64 i = 0; i < n && count != 0; ++i) text += once;
        return text;
      }
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
      {"__add", "a, b, ...", add_or_join, effect::none, number_rule::as_operands},
      {"__iadd", "a, b", add_in_place, effect::none, number_rule::as_operands},
      {"__sub", "a, b, ...", binary<subtract>, effect::none, number_rule::as_operands},
      {"__mul", "a, b, ...", multiply_or_repeat, effect::none, number_rule::as_operands},
      {"__div", "a, b, ...", binary<divide>, effect::none, number_rule::as_operands},
      {"__mod", "a, b, ...", binary<remainder>, effect::none, number_rule::as_operands},
      {"__truediv", "a, b", binary<true_divide>, effect::none, number_rule::as_operands},
      {"__floordiv", "a, b", binary<floor_divide>, effect::none, number_rule::as_operands},
      {"__pymod", "a, b", binary<floor_modulo>, effect::none, number_rule::as_operands},
      {"__minus", "a", unary<negate>, effect::none, number_rule::as_operands},
      {"__plus", "a", unary<identity>, effect::none, number_rule::as_operands},
      {"power", "a, b", power, effect::none, number_rule::as_operands},
      {"maximum", "a, b, ...", binary<larger>},
      {"minimum", "a, b, ...", binary<smaller>},
  };
  return k_table;
}

} // namespace treadle::tree

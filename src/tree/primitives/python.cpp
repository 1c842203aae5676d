// What Python programs need beyond PhySL's own operators.
#include "tree/elementwise.hpp"

namespace treadle::tree {
namespace {

// Bits of integers, and truth values as in NumPy's masks; floats have no bits to speak of.
template <class Op>
struct bitwise {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_same_v<T, double>)
      throw value_error("needs integers or truth values, not float64");
    else
      return static_cast<T>(Op::combine(a, b));
  }
};
struct conjunction {
  template <class T>
  static auto combine(T a, T b) noexcept {
    return a & b;
  }
};
struct disjunction {
  template <class T>
  static auto combine(T a, T b) noexcept {
    return a | b;
  }
};
struct exclusion {
  template <class T>
  static auto combine(T a, T b) noexcept {
    return a ^ b;
  }
};
struct inversion {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_same_v<T, double>)
      throw value_error("needs integers or truth values, not float64");
    else if constexpr (std::is_same_v<T, bool>)
      return !a;
    else
      return ~a;
  }
};

// An index from a variable. Written out, list(a, b) is a slice; as a value, a list is a gather or a mask, and a tuple
// one index per axis, as in NumPy.
value index_of(const value& v) {
  if (!v.is_tuple()) return v.is_list() ? value(v.to_array()) : v;
  std::vector<value> axes;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto item = v.item(i);
    axes.push_back(item.is_nil() ? value("newaxis") : item.is_list() ? value(item.to_array()) : item);
  }
  return value::tuple(std::move(axes));
}
value as_index(call_context&, std::span<value> args) { return index_of(args[0]); }

} // namespace

std::span<const primitive> python_primitives() {
  static constexpr primitive table[] = {
      {"__bitand", "a, b", binary<bitwise<conjunction>>},
      {"__bitor", "a, b", binary<bitwise<disjunction>>},
      {"__bitxor", "a, b", binary<bitwise<exclusion>>},
      {"__invert", "a", unary<inversion>},
      {"__index", "x", as_index},
  };
  return table;
}

} // namespace treadle::tree

// What Python programs need beyond PhySL's own operators.
#include "tree/kernels/elementwise.hpp"
#include "tree/run/services.hpp"

#include <array>

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

// Of a truth value alone, Python makes an integer and NumPy a truth value, and here both are the same.
value invert(call_context& context, std::span<value> args) {
  if (args[0].kind() == value_kind::boolean)
    throw value_error(error_kind::type,
                      "~ of a truth value is -1 or -2 in Python and a truth value in NumPy: write `not`");
  const bool truths = args[0].is_array() && args[0].as_array().type() == dtype::boolean;
  return truths ? find_primitive("logical_not")->compute(context, args) : unary<inversion>(context, args);
}

// An index from a variable. Written out, list(a, b) is a slice; as a value, a list is a gather or a mask, and a tuple
// one index per axis, as in NumPy.
value index_of(const value& v) {
  if (v.is_nil()) return "newaxis"; // None; what is left out is ":"
  if (!v.is_tuple()) return v.is_list() ? value(v.to_array()) : v;
  std::vector<value> axes;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto item = v.item(i);
    axes.push_back(item.is_nil() ? value("newaxis") : item.is_list() ? value(item.to_array()) : item);
  }
  return value::tuple(std::move(axes));
}
value as_index(call_context&, std::span<value> args) { return index_of(args[0]); }

// A copy that keeps what it was made of, so that a change of either is refused. NumPy gives a view where its layout
// allows one, and layouts of results may differ.
value tied(const value& original, value result) {
  if (!original.is_array() || !result.is_array()) return result;
  const auto memory = [](const array& a) { return a.object()->base ? a.object()->base : a.object(); };
  auto *source = memory(original.as_array()), *copy = memory(result.as_array());
  if (source == copy) return result;
  auto view = result.as_array().view(0, result.as_array().shape(), result.as_array().strides());
  detail::add_reference(source);
  view.object()->owner = source;
  view.object()->release = [](void* o) { detail::drop_reference(static_cast<detail::array_object*>(o)); };
  return view;
}

// A view that NumPy makes read-only; what is no view may be changed.
value read_only(call_context&, std::span<value> args) {
  if (!args[0].is_array() || (!args[0].as_array().object()->base && args[0].as_array().is_unique())) return args[0];
  auto view = args[0].as_array().view(0, args[0].as_array().shape(), args[0].as_array().strides());
  view.object()->release = [](void*) {};
  return view;
}

// A view of one element without axes shows later changes in NumPy; a number does not.
value viewed(call_context&, std::span<value> args) { // (result, of what)
  if (args[0].is_scalar() && args[1].is_array())
    throw value_error("a view of one element without axes is not supported: take the number with .item() or x[i]");
  return args[0].is_scalar() ? value(args[0].to_array()) : args[0]; // which has memory of its own
}

value reshape(call_context& context, std::span<value> args) {
  std::array<value, 2> result{call_primitive("reshape", context, {args[0], args[1]}), args[0]};
  return tied(args[0], viewed(context, result));
}
value squeeze(call_context& context, std::span<value> args) {
  std::array<value, 2> result{find_primitive("squeeze")->compute(context, args), args[0]};
  return viewed(context, result);
}
value ravel(call_context& context, std::span<value> args) {
  return tied(args[0], call_primitive("flatten", context, {args[0]}));
}

// Python's min and max: the first item that no later one beats. NaN beats nothing and is beaten by nothing.
template <bool Largest>
value extreme(call_context& context, std::span<value> args) {
  const auto& v = args[0];
  const auto n = v.size();
  if (n == 0) throw value_error("an empty sequence has neither a least nor a largest item");
  const auto* comparison = find_primitive(Largest ? "__gt" : "__lt");
  call_context inner{comparison, context.services, 0};
  value best = v.item(0);
  for (std::size_t i = 1; i < n; ++i) {
    std::array<value, 2> pair{v.item(i), best};
    if (pair[0].kind() == value_kind::float64 && best.kind() == value_kind::float64) {
      if (Largest ? pair[0].real() > best.real() : pair[0].real() < best.real()) best = pair[0];
    } else if (comparison->compute(inner, pair).to_bool()) {
      best = v.item(i);
    }
  }
  return best;
}

// Python's any and all, which ask each item whether it is true.
template <bool Any>
value quantifier(call_context&, std::span<value> args) {
  for (std::size_t i = 0, n = args[0].size(); i < n; ++i)
    if (args[0].item(i).to_bool() == Any) return Any;
  return !Any;
}

// Python's int() and float(): of numbers, and of arrays that are one.
template <dtype Type>
value converted(call_context& context, std::span<value> args) {
  const auto& v = args[0];
  if (v.is_list() || v.is_dict() || v.is_nil() || (v.is_array() && v.as_array().size() != 1))
    throw value_error(error_kind::type, "only numbers and arrays of one element can be converted to Python scalars");
  return call_primitive(Type == dtype::int64 ? "int" : "float", context,
                        {v.is_array() ? detail::element(v.as_array(), 0) : v});
}

value truth(call_context&, std::span<value> args) { return args[0].to_bool(); }

// a, b = x
value expect_items(call_context&, std::span<value> args) {
  if (args[0].is_dict())
    throw value_error(error_kind::type, "a dict would be unpacked into its keys: write list(d), or d.values()");
  const auto wanted = static_cast<std::size_t>(args[1].to_int64()), found = args[0].size();
  if (found != wanted)
    throw value_error("cannot unpack: expected " + std::to_string(wanted) + " values, found " + std::to_string(found));
  return {};
}

value as_tuple(call_context&, std::span<value> args) {
  if (args[0].is_tuple()) return args[0];
  std::vector<value> items;
  for (std::size_t i = 0, n = args[0].size(); i < n; ++i) items.push_back(args[0].item(i));
  return value::tuple(std::move(items));
}

// For functions that NumPy refuses numbers: there they have no axis.
value with_axes(call_context&, std::span<value> args) {
  if (as_number(args[0]).is_scalar()) throw value_error("a number has no axis: make an array of it first");
  return args[0];
}

value magnitude(call_context& context, std::span<value> args) {
  if (!args[0].is_number()) throw value_error(error_kind::type, "abs() takes numbers and arrays");
  return find_primitive("absolute")->compute(context, args);
}

// Python's print(): the values as they are now, for whoever prints; where nobody does, their text.
value frozen(const value& v, int depth = 0) {
  if (depth > detail::k_deepest_nesting) detail::nested_too_deeply();
  if (v.is_array()) return v.as_array().copy();
  if (v.is_dict()) {
    std::vector<value::entry> entries;
    for (const auto& [key, item] : v.entries()) entries.emplace_back(key, frozen(item, depth + 1));
    return value::dict(std::move(entries));
  }
  if (!v.is_list() || detail::as_list(v).is_range) return v;
  std::vector<value> items;
  for (std::size_t i = 0; i < v.size(); ++i) items.push_back(frozen(v.item(i), depth + 1));
  return detail::list_like(v, std::move(items));
}

value print(call_context& context, std::span<value> args) {
  std::vector<value> values;
  for (const auto& v : args) values.push_back(frozen(v));
  context.services->print(values);
  return {};
}

} // namespace

std::span<const primitive> python_primitives() {
  static constexpr primitive table[] = {
      {"__bitand", "a, b", binary<bitwise<conjunction>>},
      {"__bitor", "a, b", binary<bitwise<disjunction>>},
      {"__bitxor", "a, b", binary<bitwise<exclusion>>},
      {"__invert", "a", invert},
      {"__index", "x", as_index},
      {"__reshape", "a, shape", reshape},
      {"__ravel", "a", ravel},
      {"__viewed", "view, of", viewed},
      {"__squeeze", "a, axis=", squeeze},
      {"__read_only", "a", read_only},
      {"__min", "x", extreme<false>},
      {"__max", "x", extreme<true>},
      {"__any", "x", quantifier<true>},
      {"__all", "x", quantifier<false>},
      {"__to_int", "x", converted<dtype::int64>},
      {"__to_float", "x", converted<dtype::float64>},
      {"__to_bool", "x", truth},
      {"__abs", "x", magnitude},
      {"__tuple", "x", as_tuple},
      {"__with_axes", "x", with_axes},
      {"__expect_items", "x, count", expect_items, effect::ordered},
      {"__print", "...", print, effect::ordered},
  };
  return table;
}

} // namespace treadle::tree

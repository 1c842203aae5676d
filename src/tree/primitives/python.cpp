// What Python programs need beyond PhySL's own operators.
#include "tree/kernels/elementwise.hpp"
#include "tree/kernels/slicing.hpp"
#include "tree/run/services.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace treadle::tree {
namespace {

// Bits of integers, and truth values as in NumPy's masks; floats have no bits to speak of.
void require_bits(std::span<const value> args) {
  for (const auto& a : args)
    if (dtype_of_value(a) == dtype::float64)
      throw value_error(error_kind::type, "needs integers or truth values, not float64");
}

template <class Combine>
struct bitwise {
  static constexpr dtype k_least = dtype::boolean;
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a; // not reached
    else
      return static_cast<T>(Combine()(a, b));
  }
};
template <class Combine>
value combine_bits(call_context& context, std::span<value> args) {
  require_bits(args);
  return binary<bitwise<Combine>>(context, args);
}

struct inversion {
  static constexpr dtype k_least = dtype::int64;
  template <class T>
  static T apply(T a) noexcept {
    if constexpr (std::is_same_v<T, double>)
      return a; // not reached
    else
      return ~a;
  }
};

// Of a truth value alone, Python makes an integer and NumPy a truth value.
value invert(call_context& context, std::span<value> args) {
  require_bits(args);
  const bool truths = !is_plain_number(args[0]) && dtype_of_value(args[0]) == dtype::boolean;
  return truths ? find_primitive("logical_not")->compute(context, args) : unary<inversion>(context, args);
}

// An index from a variable. Written out, list(a, b) is a slice; as a value, a list is a gather or a mask. What a tuple
// is depends on what it is an index of.
value index_of(const value& v) {
  if (v.is_nil()) return "newaxis"; // None; what is left out is ":"
  if (v.is_string() && (v.to_string_view() == "newaxis" || v.to_string_view() == "..."))
    throw value_error("the key " + repr(v) + " is not supported");
  return v.is_list() && !v.is_tuple() ? positions(v) : v;
}
value as_index(call_context&, std::span<value> args) { // (x, whether it is one of several)
  const bool one_of_several = !argument(args, 1).is_nil();
  return one_of_several && args[0].is_tuple() ? positions(args[0]) : index_of(args[0]);
}

// A copy that keeps what it was made of, so that a change of either is refused. NumPy gives a view where its layout
// allows one, and layouts of results may differ.
value tied(const value& original, value result) {
  if (!original.is_array() || !result.is_array()) return result;
  if (detail::memory_of(original.as_array()) == detail::memory_of(result.as_array())) return result;
  return detail::read_only(result.as_array(), original.as_array());
}

// A view that NumPy makes read-only; what is no view may be changed.
value read_only(call_context&, std::span<value> args) {
  if (!args[0].is_array() || (!args[0].as_array().object()->base && args[0].as_array().is_unique())) return args[0];
  return detail::read_only(args[0].as_array(), args[0].as_array());
}

// A view of one element without axes shows later changes in NumPy; a number does not.
value viewed(call_context&, std::span<value> args) { // (result, of what)
  if (args[1].is_array_scalar()) return args[0];
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

void refuse_nan(const value& v, int depth = 0) {
  if (depth > detail::k_deepest_nesting) detail::nested_too_deeply();
  if (is_nan(v)) throw value_error("nan has no place in an order");
  if (v.is_list() && !v.is_range())
    for (const auto& item : detail::as_list(v).items) refuse_nan(item, depth + 1);
}

// Python's sorted: equal items keep their order, also backwards.
value sorted(call_context& context, std::span<value> args) { // (x, reverse)
  std::vector<value> items;
  for (std::size_t i = 0, n = args[0].size(); i < n; ++i) {
    items.push_back(args[0].item(i));
    refuse_nan(items.back());
  }
  const bool reverse = args.size() > 1 && args[1].to_int64() != 0;
  const auto* less = find_primitive("__lt");
  call_context inner{less, context.services, 0};
  std::stable_sort(items.begin(), items.end(), [&](const value& a, const value& b) {
    std::array<value, 2> pair{reverse ? b : a, reverse ? a : b};
    return less->compute(inner, pair).to_bool();
  });
  return value::list(std::move(items));
}

// What a loop may change at its counter while it steps through it: a dict would get new keys.
value no_dict(call_context&, std::span<value> args) {
  if (args[0].is_dict()) throw value_error("a dict is changed while a loop counts its keys");
  return {};
}

// An argument that NumPy has no None for.
value given(call_context&, std::span<value> args) { // (x, what it is)
  if (args[0].is_nil())
    throw value_error(error_kind::type, std::string(args[1].to_string_view()) + " must not be None");
  return args[0];
}

// What Python's sum begins with.
value sum_start(call_context&, std::span<value> args) {
  if (args[0].is_string()) throw value_error(error_kind::type, "sum adds no text");
  return args[0];
}

// Python's any and all, which ask each item whether it is true.
template <bool Any>
value quantifier(call_context&, std::span<value> args) {
  for (std::size_t i = 0, n = args[0].size(); i < n; ++i)
    if (args[0].item(i).to_bool() == Any) return Any;
  return !Any;
}

// Python's int() and float(): of numbers, and of arrays without axes.
value number_of(const value& v) {
  const auto number = as_number(v);
  if (!number.is_scalar())
    throw value_error(error_kind::type, "only numbers and arrays without axes can be converted to Python scalars");
  return number;
}
value to_int(call_context&, std::span<value> args) {
  const auto number = number_of(args[0]);
  if (number.kind() != value_kind::float64) return number.integer();
  const double x = std::trunc(number.real());
  if (std::isnan(x)) throw value_error("nan is no integer");
  if (!(x >= -0x1p63 && x < 0x1p63)) throw value_error(error_kind::overflow, repr(number) + " does not fit 64 bits");
  return static_cast<std::int64_t>(x);
}
value to_float(call_context&, std::span<value> args) { return number_of(args[0]).to_float64(); }

// x.item(): the number of the language that an array of one element holds.
value item(call_context&, std::span<value> args) {
  if (args[0].is_array() && args[0].as_array().size() != 1)
    throw value_error("only an array of one element has an item()");
  auto number = args[0].is_array() ? detail::element(args[0].as_array(), 0) : args[0];
  number.set_array_scalar(false);
  return number;
}

// `is None`
value is_none(call_context&, std::span<value> args) { return args[0].is_nil(); }

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
  if (is_plain_number(args[0])) return plain::magnitude(args[0]);
  return find_primitive("absolute")->compute(context, args);
}

// Python's print(): the values as they are now, for the one that prints; where nobody does, their text.
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
  constexpr auto as_operands = number_rule::as_operands, as_made = number_rule::as_made;
  static constexpr primitive table[] = {
      {"__bitand", "a, b", combine_bits<std::bit_and<>>, effect::none, as_operands},
      {"__bitor", "a, b", combine_bits<std::bit_or<>>, effect::none, as_operands},
      {"__bitxor", "a, b", combine_bits<std::bit_xor<>>, effect::none, as_operands},
      {"__invert", "a", invert, effect::none, as_operands},
      {"__abs", "x", magnitude, effect::none, as_operands},
      {"__index", "x, one_of_several=", as_index, effect::none, as_made},
      {"__reshape", "a, shape", reshape},
      {"__ravel", "a", ravel},
      {"__viewed", "view, of", viewed},
      {"__squeeze", "a, axis=", squeeze},
      {"__read_only", "a", read_only},
      {"__item", "a", item, effect::none, as_made},
      {"__is_none", "x", is_none, effect::none, as_made},
      {"__min", "x", extreme<false>, effect::none, as_made},
      {"__max", "x", extreme<true>, effect::none, as_made},
      {"__no_dict", "x", no_dict, effect::ordered, as_made},
      {"__given", "x, what", given, effect::none, as_made},
      {"__sum_start", "x", sum_start, effect::none, as_made},
      {"__sorted", "x, reverse=", sorted, effect::none, as_made},
      {"__any", "x", quantifier<true>, effect::none, as_made},
      {"__all", "x", quantifier<false>, effect::none, as_made},
      {"__to_int", "x", to_int, effect::none, as_made},
      {"__to_float", "x", to_float, effect::none, as_made},
      {"__to_bool", "x", truth, effect::none, as_made},
      {"__tuple", "x", as_tuple, effect::none, as_made},
      {"__with_axes", "x", with_axes},
      {"__expect_items", "x, count", expect_items, effect::ordered, as_made},
      {"__print", "...", print, effect::ordered, as_made},
  };
  return table;
}

} // namespace treadle::tree

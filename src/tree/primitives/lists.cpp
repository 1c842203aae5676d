// Lists and dicts.
#include "base/magnitude.hpp"
#include "tree/kernels/equality.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::tree {
namespace {

template <value (*Make)(std::vector<value>)>
value list(call_context& context, std::span<value> args) {
  std::vector<value> items;
  items.reserve(args.size());
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (context.owns(i))
      items.push_back(std::move(args[i]));
    else
      items.push_back(args[i]);
  }
  return Make(std::move(items));
}

value dict(call_context&, std::span<value> args) { // of pairs, or of one list of pairs
  std::vector<value::entry> entries;
  const auto add = [&](const value& pair) {
    if (!pair.is_list() || pair.size() != 2) throw value_error("expected pairs list(key, value), found " + repr(pair));
    entries.emplace_back(pair.item(0), pair.item(1));
  };
  const bool nested = args.size() == 1 && args[0].is_list() && (args[0].size() == 0 || args[0].item(0).is_list());
  if (nested)
    for (std::size_t i = 0; i < args[0].size(); ++i) add(args[0].item(i));
  else
    for (const auto& pair : args) add(pair);
  return value::dict(std::move(entries));
}

value range(call_context&, std::span<value> args) { // (stop) or (start, stop, step)
  if (args.size() == 1) return value::range(0, args[0].to_int64(), 1);
  return value::range(args[0].to_int64(), args[1].to_int64(), argument(args, 2).is_nil() ? 1 : args[2].to_int64());
}

value length(call_context&, std::span<value> args) { return args[0].size(); }

value prepend(call_context&, std::span<value> args) { // (item, list)
  value result = args[1];
  if (!result.is_list()) throw value_error("expected a list, found " + std::string(to_string(result.kind())));
  auto& items = detail::mutable_items(result);
  items.insert(items.begin(), args[0]);
  return result;
}

// car, cdr and their compositions: the letters between c and r, read from the right.
value select_by_letters(call_context& context, std::span<value> args) {
  value v = args[0];
  const auto letters = context.self->name.substr(1, context.self->name.size() - 2);
  for (auto letter = letters.rbegin(); letter != letters.rend(); ++letter) {
    if (!v.is_list() || v.size() == 0) throw value_error("expected a list with at least one item, found " + repr(v));
    if (*letter == 'a') {
      v = v.item(0);
    } else {
      std::vector<value> rest;
      for (std::size_t i = 1; i < v.size(); ++i) rest.push_back(v.item(i));
      v = value::list(std::move(rest));
    }
  }
  return v;
}

value zip(call_context&, std::span<value> args) {
  std::size_t count = args.empty() ? 0 : args[0].size();
  for (const auto& a : args) count = std::min(count, a.size());
  std::vector<value> rows;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<value> row;
    for (const auto& a : args) row.push_back(a.item(i));
    rows.push_back(value::tuple(std::move(row)));
  }
  return value::list(std::move(rows));
}

value enumerate(call_context&, std::span<value> args) {
  std::vector<value> rows;
  const auto start = argument(args, 1).is_nil() ? 0 : args[1].to_int64();
  if (std::int64_t last; __builtin_add_overflow(start, static_cast<std::int64_t>(args[0].size()), &last))
    throw value_error(error_kind::overflow, "the numbers do not fit 64 bits");
  for (std::size_t i = 0; i < args[0].size(); ++i)
    rows.push_back(value::tuple({value(start + static_cast<std::int64_t>(i)), args[0].item(i)}));
  return value::list(std::move(rows));
}

value keys(call_context&, std::span<value> args) {
  std::vector<value> items;
  for (const auto& entry : args[0].entries()) items.push_back(entry.first);
  return value::list(std::move(items));
}

bool is_in_range(const value& range, const value& wanted) {
  if (!wanted.is_scalar()) return false;
  const auto from = range.range_bounds();
  std::int64_t i = 0;
  if (wanted.kind() != value_kind::float64)
    i = wanted.integer();
  else if (wanted.real() >= -0x1p63 && wanted.real() < 0x1p63 && wanted.real() == std::floor(wanted.real()))
    i = static_cast<std::int64_t>(wanted.real());
  else
    return false;
  const bool up = from.step > 0;
  if (up ? i < from.start || i >= from.stop : i > from.start || i <= from.stop) return false;
  // In unsigned arithmetic, because the distance may exceed the signed range.
  const auto start = static_cast<std::uint64_t>(from.start), at = static_cast<std::uint64_t>(i);
  return (up ? at - start : start - at) % detail::magnitude(from.step) == 0;
}

value contains(call_context& context, std::span<value> args) { // (container, item)
  const auto &container = args[0], &wanted = args[1];
  if (container.is_dict()) {
    return detail::as_dict(container).look_up(wanted) != nullptr;
  }
  if (container.is_string()) {
    if (!wanted.is_string()) throw value_error(error_kind::type, "only text can be in a text");
    return container.to_string_view().find(wanted.to_string_view()) != std::string_view::npos;
  }
  if (container.is_array())
    return call_primitive("any", context, {call_primitive("__eq", context, {container, wanted})}).to_bool();
  if (container.is_range() && !wanted.is_array()) return is_in_range(container, wanted);
  for (std::size_t i = 0; i < container.size(); ++i)
    if (same_items(context, container.item(i), wanted)) return true;
  return false;
}

#define TREADLE_CXR(letters)                                                                                           \
  primitive { "c" letters "r", "list", select_by_letters, effect::none, number_rule::as_made, true }

} // namespace

std::span<const primitive> list_primitives() {
  static constexpr primitive k_table[] = {
      {"list", "...", list<value::list>},
      {"make_list", "...", list<value::list>},
      {"tuple", "...", list<value::tuple>},
      {"dict", "...", dict},
      {"range", "start, stop=, step=", range},
      {"__len", "x", length, effect::none, number_rule::as_made},
      {"len", "x", length, effect::none, number_rule::as_made},
      {"prepend", "item, list", prepend},
      {"zip", "...", zip},
      {"enumerate", "list, start=", enumerate},
      {"dict_keys", "dict", keys},
      {"__contains", "container, item", contains, effect::none, number_rule::as_made},
      TREADLE_CXR("a"),
      TREADLE_CXR("d"),
      TREADLE_CXR("aa"),
      TREADLE_CXR("ad"),
      TREADLE_CXR("da"),
      TREADLE_CXR("dd"),
      TREADLE_CXR("aaa"),
      TREADLE_CXR("aad"),
      TREADLE_CXR("ada"),
      TREADLE_CXR("add"),
      TREADLE_CXR("daa"),
      TREADLE_CXR("dad"),
      TREADLE_CXR("dda"),
      TREADLE_CXR("ddd"),
      TREADLE_CXR("aaaa"),
      TREADLE_CXR("aaad"),
      TREADLE_CXR("aada"),
      TREADLE_CXR("aadd"),
      TREADLE_CXR("adaa"),
      TREADLE_CXR("adad"),
      TREADLE_CXR("adda"),
      TREADLE_CXR("addd"),
      TREADLE_CXR("daaa"),
      TREADLE_CXR("daad"),
      TREADLE_CXR("dada"),
      TREADLE_CXR("dadd"),
      TREADLE_CXR("ddaa"),
      TREADLE_CXR("ddad"),
      TREADLE_CXR("ddda"),
      TREADLE_CXR("dddd"),
  };
  return k_table;
}

} // namespace treadle::tree

#include "tree/nodes/operators.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

constexpr std::string_view k_operators[] = {"__add",    "__bitand",   "__bitor", "__bitxor",  "__div",
                                            "__invert", "__floordiv", "__minus", "__mod",     "__mul",
                                            "__plus",   "__pymod",    "__sub",   "__truediv", "power"};

bool is_range(const value& v) noexcept { return v.is_list() && detail::as_list(v).is_range; }

std::string_view python_name(const value& v) {
  return v.is_tuple() ? "tuple" : is_range(v) ? "range" : to_string(v.kind());
}

bool can_join(const value& a, const value& b) {
  return a.is_list() && b.is_list() && a.is_tuple() == b.is_tuple() && !is_range(a) && !is_range(b);
}

bool counts(const value& v) noexcept { return v.kind() == value_kind::int64 || v.kind() == value_kind::boolean; }

bool can_repeat(const value& a, const value& b) {
  return (a.is_list() && !is_range(a) && counts(b)) || (b.is_list() && !is_range(b) && counts(a));
}

} // namespace

bool is_operator(std::string_view primitive) noexcept {
  return std::find(std::begin(k_operators), std::end(k_operators), primitive) != std::end(k_operators);
}

void check_operands(std::string_view primitive, std::span<const value> args) {
  const auto is_list = [](const value& v) { return v.is_list(); };
  if (std::none_of(args.begin(), args.end(), is_list)) return;
  if (std::any_of(args.begin(), args.end(), [](const value& v) { return v.is_array(); })) return;
  if (args.size() >= 2) {
    const auto joins = [&](const value& v) { return can_join(args[0], v); };
    if (primitive == "__add" && std::all_of(args.begin() + 1, args.end(), joins)) return;
    if (primitive == "__mul" && args.size() == 2 && can_repeat(args[0], args[1])) return;
    throw value_error(error_kind::type, "not defined for " + std::string(python_name(args[0])) + " and " +
                                            std::string(python_name(args[1])) + ": make an array of the list first");
  }
  throw value_error(error_kind::type,
                    "not defined for a " + std::string(python_name(args[0])) + ": make an array of it first");
}

} // namespace treadle::tree

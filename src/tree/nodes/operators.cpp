#include "tree/nodes/operators.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

constexpr std::string_view k_operators[] = {"__add",      "__bitand", "__bitor",   "__bitxor", "__div", "__invert",
                                            "__floordiv", "__matmul", "__minus",   "__mod",    "__mul", "__plus",
                                            "__pymod",    "__sub",    "__truediv", "power"};

std::string_view python_name(const value& v) {
  return v.is_tuple() ? "tuple" : v.is_range() ? "range" : to_string(v.kind());
}

bool can_join(const value& a, const value& b) {
  return a.is_list() && b.is_list() && a.is_tuple() == b.is_tuple() && !a.is_range() && !b.is_range();
}

bool counts(const value& v) noexcept {
  return v.kind() == value_kind::int64 || (v.kind() == value_kind::boolean && !v.is_array_scalar());
}

bool repeats(const value& v) noexcept { return (v.is_list() && !v.is_range()) || v.is_string(); }
bool can_repeat(const value& a, const value& b) noexcept {
  return (repeats(a) && counts(b)) || (repeats(b) && counts(a));
}

} // namespace

bool is_operator(std::string_view primitive) noexcept {
  return std::find(std::begin(k_operators), std::end(k_operators), primitive) != std::end(k_operators);
}

void check_operands(std::string_view primitive, std::span<const value> args) {
  const bool array = std::any_of(args.begin(), args.end(), [](const value& v) { return v.is_array(); });
  if (array || (primitive != "__mul" && any_of_array(args))) return;
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

bool count_as_arrays(std::span<value> args) {
  bool lists = false;
  for (auto& a : args) {
    if (!a.is_number() && !a.is_list())
      throw value_error(error_kind::type, "not defined for a " + std::string(python_name(a)));
    if (a.is_scalar()) a.set_array_scalar(true);
    lists = lists || a.is_list();
  }
  return lists;
}

void check_object(std::string_view primitive, const value& object) {
  if (is_of_array(object)) return;
  const bool copyable = object.is_dict() || (object.is_list() && !object.is_tuple() && !object.is_range());
  if (primitive == "copy" && copyable) return;
  throw value_error(error_kind::attribute, "is an attribute of arrays, which a " + std::string(python_name(object)) +
                                               " does not have: make an array of it first");
}

} // namespace treadle::tree

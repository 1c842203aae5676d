#include "tree/kernels/equality.hpp"

#include "tree/kernels/plain_numbers.hpp"
#include "tree/nodes/operators.hpp"

namespace treadle::tree {

bool same_items(const call_context& context, const value& a, const value& b, int depth) {
  if (a.is_number() && b.is_number()) {
    if (a.is_scalar() && b.is_scalar()) {
      if (is_nan(a) && is_nan(b))
        throw value_error(
            "whether nan is in a list, or equal lists hold it, depends on which object it is: compare the numbers");
      return plain::order(a, b) == 0.0;
    }
    if (a.is_array() && b.is_array() && a.object() == b.object()) return true;
  }
  if (is_of_array(a) || is_of_array(b)) return call_primitive("__eq", context, {a, b}).to_bool();
  return same_sequences(context, a, b, depth + 1);
}

bool are_alike(const value& a, const value& b) noexcept {
  return a.is_list() && b.is_list() && a.is_tuple() == b.is_tuple() && a.is_range() == b.is_range();
}

bool same_sequences(const call_context& context, const value& a, const value& b, int depth) {
  if (depth > detail::k_deepest_nesting) detail::nested_too_deeply();
  if (a.is_list() && b.is_list()) {
    if (!are_alike(a, b) || a.size() != b.size()) return false;
    if (a.is_range() && a.size() > 0) {
      const auto x = a.range_bounds(), y = b.range_bounds();
      return x.start == y.start && (a.size() == 1 || x.step == y.step);
    }
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!same_items(context, a.item(i), b.item(i), depth)) return false;
    return true;
  }
  if (a.is_dict() && b.is_dict()) {
    if (a.size() != b.size()) return false;
    for (const auto& [key, v] : a.entries())
      if (const auto* other = b.find(key); !other || !same_items(context, v, *other, depth)) return false;
    return true;
  }
  return a == b; // text, nil, functions; a value of one kind is none of another
}

} // namespace treadle::tree

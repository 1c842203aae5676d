#include "tree/compile/array_part.hpp"

#include "tree/nodes/primitive_node.hpp"

namespace treadle::tree {
namespace {

constexpr std::int64_t k_far = std::int64_t(1) << 31; // constants up to here cannot overflow an index

std::optional<std::int64_t> as_constant(const node& n) noexcept {
  const auto* literal = as<literal_node>(n);
  if (!literal || literal->constant().kind() != value_kind::int64) return {};
  const auto c = literal->constant().integer();
  return c > -k_far && c < k_far ? std::optional(c) : std::nullopt;
}

bool is_nil(const node& n) noexcept {
  const auto* literal = as<literal_node>(n);
  return literal && literal->constant().is_nil();
}

bool is_whole_axis(const node& n) noexcept {
  const auto* literal = as<literal_node>(n);
  return is_nil(n) || (literal && literal->constant().is_list() && literal->constant().size() == 0);
}

} // namespace

std::optional<std::int64_t> distance(const node& n, const variable_use& i) {
  if (const auto* v = as<variable_node>(n)) return use_of(*v) == i ? std::optional<std::int64_t>(0) : std::nullopt;
  const auto operands = n.operands();
  if (as_primitive(n, "__index")) return distance(*operands[0], i); // an integer stays what it is
  const bool plus = as_primitive(n, "__add") != nullptr;
  if ((!plus && !as_primitive(n, "__sub")) || operands.size() != 2) return {};
  const bool constant_first = plus && as_constant(*operands[0]);
  const auto constant = as_constant(*operands[constant_first ? 0 : 1]);
  const auto rest = constant ? distance(*operands[constant_first ? 1 : 0], i) : std::nullopt;
  if (!rest || *rest <= -k_far || *rest >= k_far) return {};
  return plus ? *rest + *constant : *rest - *constant;
}

std::optional<array_part> part_of(std::span<node* const> indices, std::size_t first_axis, const variable_use& i) {
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const node& index = *indices[k];
    const auto axis = first_axis + k;
    if (const auto at = distance(index, i)) return array_part{axis, *at, *at + 1};
    if (as_primitive(index, "list")) {
      const auto bounds = index.operands();
      const auto from = distance(*bounds[0], i);
      if (!from) continue;
      if (bounds.size() == 1) return array_part{axis, *from, *from + 1};
      const auto to = distance(*bounds[1], i);
      const bool dense = bounds.size() == 2 || is_nil(*bounds[2]) || as_constant(*bounds[2]) == 1;
      if (!to || *to <= *from || bounds.size() > 3 || !dense) return {};
      return array_part{axis, *from, *to};
    }
    if (!is_whole_axis(index) && !as_constant(index)) return {};
  }
  return {};
}

} // namespace treadle::tree

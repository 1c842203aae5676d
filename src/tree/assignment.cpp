// Writing variables and parts of them.
#include "tree/forms.hpp"

#include "tree/slicing.hpp"

#include <optional>

namespace treadle::tree {
namespace {

bool selects_one(const value& index) { return index.kind() == value_kind::int64 || index.is_string(); }

// Writes x into the slice of a slice ... of v. Groups that select single items are one selection together.
void assign_nested(value& v, std::span<const value> indices, std::span<const std::uint32_t> groups, const value& x) {
  std::size_t taken = groups[0];
  std::size_t used = 1;
  while (used < groups.size() &&
         std::all_of(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(taken), selects_one))
    taken += groups[used++];
  const auto here = indices.first(taken);
  if (used == groups.size()) return assign_slice(v, here, x);
  value inner = slice_value(v, here);
  assign_nested(inner, indices.subspan(taken), groups.subspan(used), x);
  assign_slice(v, here, inner);
}

} // namespace

value assignment_node::execute(frame& f, context& c) const {
  assign(m_address, f, evaluate(*operands()[0], f, c));
  return {};
}

value slice_assignment_node::execute(frame& f, context& c) const {
  const auto operands = this->operands();
  const value x = evaluate_settled(*operands[0], f, c);
  constexpr std::size_t k_inline = 4;
  value few[k_inline];
  std::vector<value> many(operands.size() - 1 > k_inline ? operands.size() - 1 : 0);
  const std::span<value> indices(many.empty() ? few : many.data(), operands.size() - 1);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = evaluate_settled(*operands[i + 1], f, c);
  auto& s = m_address.in(f);
  if (s.in_place) {
    assign_in_place(s.v, indices, x);
    return {};
  }
  const auto guard = [&]() -> std::optional<detail::scoped_lock<detail::spinlock>> {
    if (!m_address.shared) return {};
    return std::optional<detail::scoped_lock<detail::spinlock>>(std::in_place, s.lock);
  };
  value seen;
  {
    const auto lock = guard();
    if (s.v.kind() == value_kind::future) seen = s.v;
  }
  if (!seen.is_nil()) { // wait outside the lock
    settle(seen, c);
    const auto lock = guard();
    if (s.v.kind() == value_kind::future) s.v = std::move(seen);
  }
  const auto lock = guard();
  if (is_signal(s.v)) throw value_error("'" + instance_name() + "' is used before it is defined");
  assign_nested(s.v, indices, m_groups, x);
  return {};
}

} // namespace treadle::tree

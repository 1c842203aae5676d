// Writing variables and parts of them.
#include "tree/nodes/forms.hpp"

#include "tree/kernels/slicing.hpp"

#include <optional>

namespace treadle::tree {
namespace {

bool selects_one(const value& index) { return index.kind() == value_kind::int64 || index.is_string(); }

// Writes x into the slice of a slice ... of v. Groups that select single items are one selection together.
void assign_nested(value& v, std::span<const value> indices, std::span<const index_group> groups, const value& x) {
  std::size_t taken = groups[0].size;
  std::size_t used = 1;
  while (used < groups.size() &&
         std::all_of(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(taken), selects_one))
    taken += groups[used++].size;
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

void slice_assignment_node::apply_change(frame& f, value& v, std::span<const value> indices, value x) const {
  struct dropping {
    const slice_assignment_node& self;
    frame& f;
  } all{*this, f};
  const auto release = [](void* context) {
    const auto& [self, of] = *static_cast<dropping*>(context);
    for (const auto& address : self.dropped) {
      auto& s = address.in(of);
      value old;                         // dies after the lock is released
      detail::scoped_lock guard(s.lock); // another change may drop it, too
      if (!is_signal(s.v)) std::swap(s.v, old);
    }
  };
  change(m_kind, instance_name(), release, &all).apply(v, indices, m_groups, std::move(x));
}

value slice_assignment_node::execute(frame& f, context& c) const {
  const auto operands = this->operands();
  value x = evaluate_settled(*operands[0], f, c);
  constexpr std::size_t k_inline = 4;
  value few[k_inline];
  std::vector<value> many(operands.size() - 1 > k_inline ? operands.size() - 1 : 0);
  const std::span<value> indices(many.empty() ? few : many.data(), operands.size() - 1);
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = evaluate_settled(*operands[i + 1], f, c);
  auto& s = m_address.in(f);
  if (s.in_place) {
    assign_in_place(s.v, indices, x, conversion_of(m_kind, x));
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
  if (is_signal(s.v)) throw value_error(error_kind::name, "'" + instance_name() + "' is used before it is defined");
  if (m_kind == change_kind::value)
    assign_nested(s.v, indices, m_groups, x);
  else
    apply_change(f, s.v, indices, std::move(x));
  return {};
}

} // namespace treadle::tree

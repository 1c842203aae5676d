#include "tree/nodes/placed.hpp"

#include <treadle/detail/own_locality.hpp>

namespace treadle::tree {

node_effects placed_node::own_effects() const noexcept {
  node_effects e = m_call->own_effects();
  e.elsewhere = true;
  return e;
}

value placed_node::compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const {
  const unsigned all = detail::number_of_localities.load(detail::order::relaxed);
  if (m_locality >= all)
    throw value_error(error_kind::program, "there is no locality " + std::to_string(m_locality) + ": the program has " +
                                               std::to_string(all));
  if (m_locality == detail::own_number.load(detail::order::relaxed))
    return m_call->compute(args, owned, f.ancestor(m_levels), c);
  c.run.check_cancelled();
  auto& services = c.run.services();
  placed_call what{m_program, index, args, c.run.options(), {}};
  if (own_effects().ordered) what.random = services.random();
  const auto before = detail::ticks_now();
  placed_result found = required_others().call(m_locality, what);
  c.now = detail::ticks_now();
  c.children += c.now - before; // no computation of its own
  if (!found.written.empty()) services.write(found.written);
  if (found.random) services.set_random(*found.random);
  return std::move(found.result);
}

} // namespace treadle::tree

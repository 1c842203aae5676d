#include "tree/nodes/placed.hpp"

#include <treadle/detail/own_locality.hpp>

#include "tree/run/evaluate.hpp"

namespace treadle::tree {

node_effects placed_node::own_effects() const noexcept {
  node_effects e = m_call->own_effects();
  e.elsewhere = true;
  e.carries = e.ordered;
  return e;
}

value placed_node::compute(std::span<value> args, std::uint32_t owned, frame& f, context& c) const {
  const unsigned all = detail::number_of_localities.load(detail::order::relaxed);
  if (m_locality >= all)
    throw value_error(error_kind::program, "there is no locality " + std::to_string(m_locality) + ": the program has " +
                                               std::to_string(all));
  for (value& a : args) a.set_tile(0); // of another locality's it would be none
  if (m_locality == detail::own_number.load(detail::order::relaxed)) {
    value v = m_call->compute(args, owned, f.ancestor(m_levels), c);
    settle(v, c);
    v.set_tile(0);
    return v;
  }
  c.run.check_cancelled();
  // Calls that are nested over localities keep a stack each: one counts as many.
  constexpr std::size_t k_calls = 1000;
  const std::size_t deepest = c.run.options().max_call_depth, nested = c.depth + k_calls;
  if (nested > deepest)
    throw value_error(error_kind::recursion,
                      "calls are nested too deep over localities in " + std::string(name()) + "()");
  auto& services = c.run.services();
  physl::run_options options = c.run.options();
  options.max_call_depth = deepest - nested;
  placed_call what{m_program, index, args, options, {}};
  if (own_effects().ordered) what.random = services.random();
  const auto before = detail::ticks_now();
  placed_result found = required_others().call(m_locality, what);
  c.now = detail::ticks_now();
  c.children += c.now - before; // no computation of its own
  if (!found.written.empty()) services.write(found.written);
  if (found.random) services.set_random(*found.random);
  if (found.failed) {
    if (found.failed->where.line == 0) found.failed->where = where();
    throw std::move(*found.failed);
  }
  return std::move(found.result);
}

} // namespace treadle::tree

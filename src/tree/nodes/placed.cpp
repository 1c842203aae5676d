#include "tree/nodes/placed.hpp"

#include <treadle/detail/own_locality.hpp>

#include "tree/run/evaluate.hpp"
#include "value/objects.hpp"

#include <algorithm>

namespace treadle::tree {

namespace {

bool has_tiles(const value& v) {
  if (v.tile() != 0) return true;
  if (!v.is_list() || v.is_range()) return false;
  const auto& items = detail::as_list(v).items;
  return std::any_of(items.begin(), items.end(), has_tiles);
}
// As bytes do, which are sent elsewhere.
void forget_tiles(value& v) {
  if (!has_tiles(v)) return;
  v.set_tile(0);
  if (v.is_list())
    for (value& item : detail::mutable_items(v)) forget_tiles(item);
}

} // namespace

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
  for (value& a : args) forget_tiles(a); // of another locality's it would be none
  if (m_locality == detail::own_number.load(detail::order::relaxed)) {
    value v = m_call->compute(args, owned, f.ancestor(m_levels), c);
    settle(v, c);
    forget_tiles(v);
    return v;
  }
  c.run.check_cancelled();
  // Calls that are nested over localities keep a stack each: one counts as many.
  const std::size_t deepest = c.run.options().max_call_depth, calls = std::min<std::size_t>(1000, deepest / 10 + 1),
                    nested = c.depth + calls;
  if (nested >= deepest)
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

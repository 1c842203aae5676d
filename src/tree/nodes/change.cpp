#include "tree/nodes/change.hpp"

#include "value/objects.hpp"
#include "value/strided.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace treadle::tree {
namespace {

bool repeats_elements(const array& a) noexcept {
  for (std::size_t i = 0; i < a.rank(); ++i)
    if (a.strides()[i] == 0 && a.shape()[i] > 1) return true;
  return false;
}

bool is_plain_list(const value& v) noexcept { return v.is_list() && !v.is_tuple() && !v.is_range(); }

[[noreturn]] void has_no(const value& v, const char* what) {
  const auto name = v.is_tuple() ? "tuple" : v.is_range() ? "range" : std::string(to_string(v.kind()));
  throw value_error(error_kind::type, "a " + name + " " + what);
}

// The item of a list or dict, where it is kept.
value& item_of(value& container, const value& index) {
  if (container.is_dict()) return const_cast<value&>(detail::as_dict(container).at(index));
  auto* list = static_cast<detail::list_object*>(container.object());
  if (list->is_range) has_no(container, "holds numbers, which cannot be changed");
  return list->items[list_position(container, index)];
}

} // namespace

bool is_alone(const value& v) noexcept {
  if (v.is_array()) return v.as_array().is_unique();
  if (!v.is_list() && !v.is_dict()) return true;
  return v.object()->references.load(std::memory_order_acquire) == 1;
}

conversion conversion_of(change_kind kind, const value& x) noexcept {
  if (kind == change_kind::update) return conversion::in_place;
  return kind == change_kind::assign && x.is_list() ? conversion::sequence : conversion::assignment;
}

void change::require_alone(const value& v) {
  if (is_alone(v)) return;
  m_release(m_context);
  if (is_alone(v)) return;
  if (v.is_array() && repeats_elements(v.as_array()))
    throw value_error("'" + std::string(m_name) + "' is a broadcast view, which is read-only");
  throw value_error(error_kind::sharing,
                    "'" + std::string(m_name) +
                        "' would be changed in place, but shares memory with another name, a container or an argument: "
                        "make one of them a copy with .copy()");
}

void change::apply(value& variable, std::span<const value> indices, std::span<const index_group> groups, value x) {
  follow(variable, {indices, {}, groups}, x);
}

void change::follow(value& v, path rest, value& x) {
  if (rest.here.size == 0 && !rest.groups.empty()) {
    rest.here = rest.groups[0];
    rest.groups = rest.groups.subspan(1);
  }
  if (rest.indices.empty()) return end_here(v, x);
  if (v.is_array()) return change_array(v, rest, x);
  if (!v.is_list() && !v.is_dict()) has_no(v, "has no items that can be changed");
  require_alone(v);
  const auto taken = rest.here.size > rest.here.last ? 1 : rest.here.size; // what is in one pair of brackets
  const auto index = container_index(v, rest.indices.first(taken));
  path after{rest.indices.subspan(taken), {rest.here.size - taken, rest.here.last}, rest.groups};
  if (after.indices.empty() && m_kind != change_kind::append) return set_item(v, index, x);
  if (v.is_list() && is_list_slice(index))
    throw value_error("a slice of a list is a copy, and a change of it has no effect on '" + std::string(m_name) + "'");
  follow(item_of(v, index), after, x);
}

void change::change_array(value& v, path rest, value& x) {
  if (m_kind == change_kind::append) has_no(v, "has no append: np.concatenate makes a longer one");
  array source = x.to_array();
  const auto how = conversion_of(m_kind, x);
  if (detail::memory_of(source) == detail::memory_of(v.as_array()))
    source = source.copy(); // what is read has been read by now
  x = {};
  require_alone(v);
  own_elements(v); // those of a diagonal matrix do not exist yet
  value view = v.as_array();
  while (!rest.groups.empty()) {
    const auto here = rest.indices.first(rest.here.size);
    if (std::any_of(here.begin(), here.end(), [](const value& index) { return gathers(index); }))
      throw value_error("a selection by positions or a mask is a copy, and a change of it has no effect on '" +
                        std::string(m_name) + "'");
    view = slice_value(view, here);
    rest = {rest.indices.subspan(rest.here.size), rest.groups[0], rest.groups.subspan(1)};
    if (!view.is_array()) has_no(view, "has no items that can be changed");
  }
  assign_in_place(view, rest.indices, value(std::move(source)), how);
}

void change::set_item(value& container, const value& index, value& x) {
  if (container.is_tuple() || container.is_range()) has_no(container, "does not support item assignment");
  const bool single = container.is_dict() || !is_list_slice(index);
  if (m_kind == change_kind::update && single) return end_here(item_of(container, index), x);
  assign_slice(container, std::span(&index, 1), x);
}

void change::end_here(value& v, value& x) {
  if (m_kind == change_kind::append) {
    if (!is_plain_list(v)) has_no(v, "has no append");
    require_alone(v);
    detail::mutable_items(v).push_back(std::move(x));
    return;
  }
  if (v.is_array()) {
    require_alone(v);
    const auto tile = v.tile();
    v = conform(v.as_array(), x);
    v.set_tile(tile);
    return;
  }
  if (is_plain_list(v)) require_alone(v);
  v = std::move(x);
}

} // namespace treadle::tree

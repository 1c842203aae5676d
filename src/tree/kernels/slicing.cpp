#include "tree/kernels/slicing.hpp"

#include "base/magnitude.hpp"
#include "tree/kernels/picking.hpp"
#include "tree/nodes/primitive.hpp"
#include "value/objects.hpp"
#include "value/strided.hpp"

#include <algorithm>
#include <cstring>

namespace treadle::tree {
namespace {

std::int64_t checked_index(std::int64_t index, std::int64_t length, std::size_t axis) {
  if (index < -length || index >= length)
    throw value_error(error_kind::index, "index " + std::to_string(index) + " is out of range for axis " +
                                             std::to_string(axis) + " of length " + std::to_string(length));
  return index < 0 ? index + length : index;
}

struct interval {
  std::int64_t start, stop, step, count;
};

// start:stop:step clamped to the axis as by Python's slice.indices.
interval clamp(const value& start, const value& stop, const value& step, std::int64_t length) {
  const auto by = step.is_nil() ? 1 : step.to_int64();
  if (by == 0) throw value_error("the step of a slice must not be 0");
  const std::int64_t low = by < 0 ? -1 : 0, high = by < 0 ? length - 1 : length;
  const auto bound = [&](const value& v, std::int64_t otherwise) {
    if (v.is_nil()) return otherwise;
    const auto number = as_number(v);
    if (number.kind() == value_kind::float64)
      throw value_error(error_kind::type, "bounds of a slice are integers, not " + repr(number));
    const auto i = number.to_int64();
    return std::clamp(i < 0 ? i + length : i, low, high);
  };
  const auto first = bound(start, by < 0 ? high : low), last = bound(stop, by < 0 ? low : high);
  const auto distance = by < 0 ? first - last : last - first;
  const auto steps = distance <= 0 ? 0 : (static_cast<std::uint64_t>(distance) - 1) / detail::magnitude(by) + 1;
  return {first, last, by, static_cast<std::int64_t>(steps)};
}

bool is_range_list(const value& v) { return v.is_list() && !detail::as_list(v).is_range; }
bool is_keyword(const value& v, std::string_view word) { return v.is_string() && v.to_string_view() == word; }
bool is_gather(const value& v) {
  return (v.is_array() && v.as_array().rank() > 0) || (v.is_list() && detail::as_list(v).is_range);
}

const value& list_item(const value& v, std::size_t i) {
  static const value k_nil;
  return i < v.size() ? detail::as_list(v).items[i] : k_nil;
}

// A selection: a strided box, and within it the axes that index arrays replace.
struct selection {
  std::int64_t offset = 0;
  extents shape, strides;             // of the box; a gathered axis is removed and stands in `gathered`
  std::size_t gather_at = 0;          // where the axes of the index arrays go in the result
  extents gather_shape;               // common shape of the index arrays
  std::vector<std::int64_t> gathered; // offsets, one per element of gather_shape; empty and gathers == false: none
  bool gathers = false;

  extents result_shape() const {
    extents result = shape;
    for (std::size_t i = 0; gathers && i < gather_shape.rank(); ++i) result.insert(gather_at + i, gather_shape[i]);
    return result;
  }
};

class selector {
 public:
  explicit selector(const array& a) : m_array(a) {}

  selection select(std::span<const value> indices) {
    std::size_t used = 0;
    for (const auto& index : indices) {
      used += axes_of(index);
      m_gathers = m_gathers || is_gather(index);
    }
    if (used > m_array.rank())
      throw value_error(error_kind::index, "too many indices: the array has " + std::to_string(m_array.rank()) +
                                               " dimensions, " + std::to_string(used) + " were indexed");
    for (const auto& index : indices) {
      if (is_keyword(index, "...")) {
        for (std::size_t i = used; i < m_array.rank(); ++i) take_all();
        used = m_array.rank();
      } else if (is_keyword(index, "newaxis")) {
        push_axis(1, 0);
      } else {
        select_axis(index);
      }
    }
    while (m_axis < m_array.rank()) take_all();
    if (!m_parts.empty()) combine();
    return std::move(m_result);
  }

 private:
  struct part { // one index array over one axis
    array indices;
    std::int64_t stride;
  };

  static std::size_t axes_of(const value& index) {
    if (is_keyword(index, "...") || is_keyword(index, "newaxis")) return 0;
    const bool mask = index.is_array() && index.as_array().type() == dtype::boolean && index.as_array().rank() > 0;
    return mask ? index.as_array().rank() : 1;
  }

  std::int64_t length() const { return m_array.shape()[m_axis]; }
  std::int64_t stride() const { return m_array.strides()[m_axis]; }

  void push_axis(std::int64_t length, std::int64_t stride) {
    m_result.shape.push_back(length);
    m_result.strides.push_back(stride);
  }
  void take_all() {
    push_axis(length(), stride());
    ++m_axis;
  }
  void take_one(const value& index) {
    if (m_gathers) place_gathered();
    m_result.offset += checked_index(index.to_int64(), length(), m_axis) * stride();
    ++m_axis;
  }

  void select_axis(const value& index) {
    if (index.is_nil()) return take_all();
    if (index.kind() == value_kind::int64) return take_one(index);
    if (is_range_list(index)) {
      if (index.size() == 0) return take_all();
      if (index.size() == 1) return take_one(list_item(index, 0));
      if (index.size() > 3) throw value_error("a slice is list(start, stop, step)");
      const auto range = clamp(list_item(index, 0), list_item(index, 1), list_item(index, 2), length());
      if (range.count > 0) m_result.offset += range.start * stride();
      push_axis(range.count, stride() * range.step);
      ++m_axis;
      return;
    }
    if (is_gather(index)) return select_many(index.to_array());
    if (index.is_array() && index.as_array().type() == dtype::int64) return take_one(index); // rank 0
    throw value_error(error_kind::index, "an index must be an integer, a slice or an array of integers or bool, not " +
                                             (index.is_string() ? repr(index) : std::string(to_string(index.kind()))));
  }

  // Where the gathered axes go: where the first index array or integer beside it stands; when others stand apart from
  // it, NumPy puts them first.
  void place_gathered() {
    if (!std::exchange(m_placed, true))
      m_result.gather_at = m_result.shape.rank();
    else if (m_result.gather_at != m_result.shape.rank())
      m_result.gather_at = 0;
  }

  void select_many(const array& index) {
    place_gathered();
    if (index.type() == dtype::int64) {
      m_parts.push_back({index, stride()});
      for_each_index(m_parts.back().indices, [&](std::int64_t i) { checked_index(i, length(), m_axis); });
      m_lengths.push_back(length());
      ++m_axis;
    } else if (index.type() == dtype::boolean) {
      select_mask(index);
    } else {
      throw value_error(error_kind::index,
                        "an index array must hold integers or bool, not " + std::string(to_string(index.type())));
    }
  }

  void select_mask(const array& mask) {
    for (std::size_t i = 0; i < mask.rank(); ++i)
      if (mask.shape()[i] != m_array.shape()[m_axis + i])
        throw value_error(error_kind::index, "a mask of shape " + to_string(mask.shape()) +
                                                 " does not fit an array of shape " + to_string(m_array.shape()));
    const auto flat = mask.contiguous();
    std::vector<std::int64_t> hits;
    for (std::int64_t i = 0, n = flat.size(); i < n; ++i)
      if (flat.data<bool>()[i]) hits.push_back(i);
    for (std::size_t i = 0; i < mask.rank(); ++i) {
      auto indices = array::uninitialized(dtype::int64, {static_cast<std::int64_t>(hits.size())});
      auto* out = indices.mutable_data<std::int64_t>();
      for (auto hit : hits) *out++ = hit / flat.strides()[i] % flat.shape()[i];
      m_parts.push_back({std::move(indices), stride()});
      m_lengths.push_back(length());
      ++m_axis;
    }
  }

  template <class F>
  static void for_each_index(const array& indices, F&& f) {
    detail::for_each_row<1>(indices.shape(), {&indices.strides()}, [&](const detail::row<1>& r) {
      for (std::int64_t i = 0; i < r.count; ++i) f(indices.data<std::int64_t>()[r.offset[0] + i * r.stride[0]]);
    });
  }

  void combine() {
    m_result.gathers = true;
    for (const auto& p : m_parts)
      m_result.gather_shape = detail::broadcast_shapes(m_result.gather_shape, p.indices.shape());
    m_result.gathered.assign(static_cast<std::size_t>(m_result.gather_shape.product()), 0);
    for (std::size_t k = 0; k < m_parts.size(); ++k) {
      std::size_t at = 0;
      for_each_index(array::broadcast(m_parts[k].indices, m_result.gather_shape), [&](std::int64_t i) {
        m_result.gathered[at++] += (i < 0 ? i + m_lengths[k] : i) * m_parts[k].stride;
      });
    }
  }

  const array& m_array;
  std::size_t m_axis = 0;
  bool m_gathers = false, m_placed = false; // an index array is among the indices; place_gathered() was called
  selection m_result;
  std::vector<part> m_parts;
  std::vector<std::int64_t> m_lengths;
};

void* at(void* data, std::int64_t offset, dtype type) {
  return static_cast<std::byte*>(data) + offset * static_cast<std::int64_t>(item_bytes(type));
}

// The strides of the box axes inside a result that also has the gathered ones, and the steps of the latter.
struct result_layout {
  explicit result_layout(const selection& s, const extents& strides) {
    for (std::size_t i = 0; i < strides.rank(); ++i) {
      const bool gathered = i >= s.gather_at && i < s.gather_at + s.gather_shape.rank();
      (gathered ? gather : box).push_back(strides[i]);
    }
  }
  extents box, gather;
};

// Calls f(offset of the gathered element in the array, its offset in the result).
template <class F>
void for_each_gathered(const selection& s, const extents& gather_strides, F&& f) {
  std::size_t i = 0;
  detail::for_each_row<1>(s.gather_shape, {&gather_strides}, [&](const detail::row<1>& r) {
    for (std::int64_t k = 0; k < r.count; ++k) f(s.offset + s.gathered[i++], r.offset[0] + k * r.stride[0]);
  });
}

value read_array(const array& a, std::span<const value> indices) {
  if (indices.size() == 1)
    if (auto picked = pick(a, indices[0])) return std::move(*picked);
  const auto s = selector(a).select(indices);
  if (!s.gathers) {
    if (s.shape.rank() == 0) return detail::element(a, s.offset);
    return a.view(s.offset, s.shape, s.strides);
  }
  auto result = array::uninitialized(a.type(), s.result_shape());
  const result_layout layout(s, result.strides());
  auto* out = result.mutable_raw_data();
  const auto bytes = item_bytes(a.type());
  for_each_gathered(s, layout.gather, [&](std::int64_t from, std::int64_t to) {
    if (s.shape.rank() == 0) {
      std::memcpy(at(out, to, a.type()),
                  static_cast<const std::byte*>(a.raw_data()) + from * static_cast<std::int64_t>(bytes), bytes);
    } else {
      detail::copy_elements(a.view(from, s.shape, s.strides), a.type(), layout.box, at(out, to, a.type()));
    }
  });
  return result;
}

// Floats are truncated to integers, as by NumPy, which has no such integers for others.
void require_representable(const array& a) {
  detail::for_each_row<1>(a.shape(), {&a.strides()}, [&](const detail::row<1>& r) {
    for (std::int64_t i = 0; i < r.count; ++i) {
      const double x = a.data<double>()[r.offset[0] + i * r.stride[0]];
      if (x != x) throw value_error("cannot convert float NaN to integer");
      if (!(x > -0x1p63 - 1.0 && x < 0x1p63))
        throw value_error(error_kind::overflow, repr(value(x)) + " does not fit an array of integers");
    }
  });
}

// What an operation in place on elements of that type and shape may give.
void require_in_place(dtype type, const extents& shape, const array& result) {
  if (result.type() > type)
    throw value_error(error_kind::type, "an operation in place on " + std::string(to_string(type)) + " cannot give " +
                                            std::string(to_string(result.type())));
  if (result.shape() != shape)
    throw value_error("an operation in place on an array of shape " + to_string(shape) + " cannot give shape " +
                      to_string(result.shape()));
}

// Without the leading axes of length 1 that it has beyond `rank`, which NumPy drops in assignments.
array without_leading_ones(const array& a, std::size_t rank) {
  if (a.rank() <= rank) return a;
  auto shape = a.shape(), strides = a.strides();
  while (shape.rank() > rank && shape[0] == 1) {
    shape.erase(0);
    strides.erase(0);
  }
  return a.view(0, shape, strides);
}

// `data`: the elements of `a`, writable.
void write_array(const array& a, void* data, std::span<const value> indices, const array& source,
                 conversion how = conversion::assignment) {
  const auto s = selector(a).select(indices);
  const auto full_shape = s.result_shape();
  if (how == conversion::in_place && full_shape.rank() > 0) require_in_place(a.type(), full_shape, source);
  if (source.type() == dtype::float64 && a.type() == dtype::int64) require_representable(source);
  if (s.shape.rank() == 0 && !s.gathers && source.rank() == 0) // one element
    return detail::copy_elements(source, a.type(), {}, at(data, s.offset, a.type()));
  if (full_shape.rank() == 0 && source.rank() > 0) throw value_error("an element cannot be set to an array");
  if (how == conversion::sequence && source.rank() > full_shape.rank())
    throw value_error("a sequence of shape " + to_string(source.shape()) + " has too many dimensions for " +
                      to_string(full_shape));
  const auto from = array::broadcast(without_leading_ones(source, full_shape.rank()), full_shape);
  if (!s.gathers) return detail::copy_elements(from, a.type(), s.strides, at(data, s.offset, a.type()));
  const result_layout layout(s, from.strides());
  for_each_gathered(s, layout.gather, [&](std::int64_t to, std::int64_t offset) {
    detail::copy_elements(from.view(offset, s.shape, layout.box), a.type(), s.strides, at(data, to, a.type()));
  });
}

std::int64_t stepped(std::int64_t start, std::int64_t count, std::int64_t step) {
  std::int64_t distance, result;
  if (__builtin_mul_overflow(count, step, &distance) || __builtin_add_overflow(start, distance, &result))
    throw value_error(error_kind::overflow, "the bounds of a range do not fit 64 bits");
  return result;
}

value read_list(const value& list, const value& index) {
  const auto length = static_cast<std::int64_t>(list.size());
  if (is_list_slice(index) && !index.is_nil()) {
    const auto r = clamp(list_item(index, 0), list_item(index, 1), list_item(index, 2), length);
    if (list.is_range()) {
      const auto range = list.range_bounds();
      return value::range(stepped(range.start, r.start, range.step), stepped(range.start, r.stop, range.step),
                          stepped(0, r.step, range.step));
    }
    std::vector<value> items;
    for (std::int64_t i = 0; i < r.count; ++i)
      items.push_back(list.item(static_cast<std::size_t>(r.start + i * r.step)));
    if (list.is_list()) return detail::list_like(list, std::move(items));
    std::string text;
    for (const auto& c : items) text += c.to_string_view();
    return text;
  }
  if (index.is_nil()) return list;
  return list.item(list_position(list, index));
}

void write_list(value& list, const value& index, const value& x) {
  const auto length = static_cast<std::int64_t>(list.size());
  auto& items = detail::mutable_items(list);
  if (!is_list_slice(index) || index.is_nil()) {
    items[list_position(list, index)] = x;
    return;
  }
  if (!has_axes(x) && !x.is_string() && !x.is_dict())
    throw value_error(error_kind::type, "only a sequence can be assigned to a slice of a list");
  std::vector<value> source; // as it is before the list changes, which may be the same
  for (std::size_t i = 0, n = x.size(); i < n; ++i) source.push_back(x.item(i));
  const auto r = clamp(list_item(index, 0), list_item(index, 1), list_item(index, 2), length);
  if (r.step == 1) { // which may make the list longer or shorter
    const auto first = items.erase(items.begin() + r.start, items.begin() + r.start + r.count);
    items.insert(first, source.begin(), source.end());
    return;
  }
  if (static_cast<std::int64_t>(source.size()) != r.count)
    throw value_error("cannot assign " + std::to_string(source.size()) + " items to " + std::to_string(r.count) +
                      " places of a list");
  for (std::int64_t i = 0; i < r.count; ++i)
    items[static_cast<std::size_t>(r.start + i * r.step)] = std::move(source[static_cast<std::size_t>(i)]);
}

// f(array&) on the array in a value, without a second reference: that would force a copy.
template <class F>
void with_array(value& v, F&& f) {
  const auto tile = v.tile();
  auto a = array::adopt(static_cast<detail::array_object*>(v.object()));
  v.forget();
  const auto give_back = [&] {
    v = value(std::move(a));
    v.set_tile(tile);
  };
  try {
    f(a);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
}

// A tuple from a variable holds one index per axis, where None is a new axis and a sequence gathers.
class index_list {
 public:
  explicit index_list(std::span<const value> indices) : m_all(indices) {
    if (indices.size() != 1 || !indices[0].is_tuple()) return;
    for (const auto& item : detail::as_list(indices[0]).items) {
      if (item.is_string()) throw value_error(error_kind::index, "text is no index of an array: " + repr(item));
      m_own.push_back(item.is_nil() ? value("newaxis") : item.is_list() ? positions(item) : item);
    }
    m_all = m_own;
  }

  operator std::span<const value>() const noexcept { return m_all; }

 private:
  std::vector<value> m_own;
  std::span<const value> m_all;
};

} // namespace

value positions(const value& list) { return list.size() == 0 ? array::zeros(dtype::int64, {0}) : list.to_array(); }

value container_index(const value& container, std::span<const value> indices) {
  for (const auto& index : indices)
    if (is_keyword(index, "newaxis") || is_keyword(index, "..."))
      throw value_error(error_kind::type,
                        "None and ... are no indices of a " + std::string(to_string(container.kind())));
  if (indices.size() == 1) return indices[0];
  if (container.is_dict()) return value::tuple({indices.begin(), indices.end()});
  throw value_error(error_kind::type, "a " + std::string(to_string(container.kind())) + " takes one index, not " +
                                          std::to_string(indices.size()));
}

value slice_value(const value& v, std::span<const value> indices) {
  if (indices.empty()) return v;
  switch (v.kind()) {
  case value_kind::array:
    return read_array(v.as_array(), index_list(indices));
  case value_kind::dict:
    return detail::as_dict(v).at(container_index(v, indices));
  case value_kind::list:
  case value_kind::string:
    return read_list(v, container_index(v, indices));
  default:
    if (v.is_array_scalar() && indices.size() == 1 && indices[0].is_tuple() && indices[0].size() == 0) return v;
    throw value_error(v.is_array_scalar() ? error_kind::index : error_kind::type,
                      "a " + std::string(to_string(v.kind())) + " cannot be indexed");
  }
}

void assign_slice(value& v, std::span<const value> indices, const value& x) {
  if (indices.empty()) {
    v = x;
    return;
  }
  switch (v.kind()) {
  case value_kind::array:
    return with_array(v, [&](array& a) {
      const auto source = x.to_array();
      auto* data = a.mutable_raw_data(); // before the selection: a copy has other strides
      write_array(a, data, index_list(indices), source);
    });
  case value_kind::dict:
  case value_kind::list: {
    if (indices.size() == 1) {
      if (v.is_dict())
        detail::mutable_dict(v).assign(indices[0], x);
      else
        write_list(v, indices[0], x);
      return;
    }
    // Take the inner value out while it is written, so that it stays the only owner of its elements.
    value inner = v.is_dict() ? detail::as_dict(v).at(indices[0]) : read_list(v, indices[0]);
    if (v.is_dict())
      detail::mutable_dict(v).assign(indices[0], {});
    else
      write_list(v, indices[0], {});
    assign_slice(inner, indices.subspan(1), x);
    if (v.is_dict())
      detail::mutable_dict(v).assign(indices[0], std::move(inner));
    else
      write_list(v, indices[0], inner);
    return;
  }
  default:
    throw value_error(error_kind::type, "a " + std::string(to_string(v.kind())) + " cannot be written by index");
  }
}

void own_elements(value& array) {
  with_array(array, [](treadle::array& a) { static_cast<void>(a.mutable_raw_data()); });
}

void assign_in_place(const value& array, std::span<const value> indices, const value& x, conversion how) {
  const auto& a = array.as_array();
  write_array(a, a.object()->data, index_list(indices), x.to_array(), how);
}

bool gathers(const value& index) noexcept {
  if (!index.is_tuple()) return is_gather(index);
  const auto& items = detail::as_list(index).items;
  return std::any_of(items.begin(), items.end(), [](const value& item) { return is_gather(item) || item.is_list(); });
}

bool is_list_slice(const value& index) noexcept {
  return index.is_nil() || (is_range_list(index) && !index.is_tuple() && index.size() != 1);
}

std::size_t list_position(const value& list, const value& index) {
  if (index.is_tuple()) throw value_error(error_kind::type, "positions in a list are integers, not " + repr(index));
  const auto position = as_number(is_range_list(index) ? list_item(index, 0) : index);
  const bool truth_of_array = position.kind() == value_kind::boolean && position.is_array_scalar();
  if (position.kind() == value_kind::float64 || position.is_array() || truth_of_array)
    throw value_error(error_kind::type, "positions in a list are integers, not " + repr(position));
  const auto i = position.to_int64();
  return static_cast<std::size_t>(checked_index(i, static_cast<std::int64_t>(list.size()), 0));
}

array conform(const array& old, const value& result) {
  const auto a = result.to_array();
  require_in_place(old.type(), old.shape(), a);
  return a.cast(old.type());
}

} // namespace treadle::tree

#include <treadle/arrays/value.hpp>

#include "base/magnitude.hpp"
#include "value/objects.hpp"
#include "value/strided.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

namespace treadle {

namespace detail {

void destroy_array(array_object* o) noexcept;

namespace {

void destroy_now(nesting_object* o) noexcept {
  switch (static_cast<value_kind>(o->kind)) {
  case value_kind::list:
    delete static_cast<list_object*>(o);
    return;
  case value_kind::dict:
    delete static_cast<dict_object*>(o);
    return;
  default:
    delete static_cast<dynamic_object*>(o);
    return;
  }
}

// What the destruction of an object on this thread has left for after it. Nothing suspends in between.
struct doomed {
  nesting_object* first = nullptr;
  bool destroying = false;
};
thread_local doomed t_doomed;

} // namespace

void destroy(object* o) noexcept {
  switch (static_cast<value_kind>(o->kind)) {
  case value_kind::array:
    return destroy_array(static_cast<array_object*>(o));
  case value_kind::string:
    delete static_cast<string_object*>(o);
    return;
  default:
    break;
  }
  auto* nesting = static_cast<nesting_object*>(o);
  auto& all = t_doomed;
  nesting->next_doomed = std::exchange(all.first, nesting);
  if (all.destroying) return;
  all.destroying = true;
  while (auto* next = all.first) {
    all.first = next->next_doomed;
    destroy_now(next);
  }
  all.destroying = false;
}

void nested_too_deeply() {
  throw value_error(error_kind::recursion, "lists are nested more than " + std::to_string(k_deepest_nesting) + " deep");
}

double compare_exactly(std::int64_t a, double b) noexcept {
  if (std::isnan(b)) return b;
  if (b >= 0x1p63) return -1.0;
  if (b < -0x1p63) return 1.0;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a < whole ? -1.0 : 1.0;
  const double rest = b - static_cast<double>(whole);
  return rest > 0.0 ? -1.0 : rest < 0.0 ? 1.0 : 0.0;
}

std::size_t key_hash::operator()(const value& key) const noexcept {
  if (key.is_string()) return std::hash<std::string_view>()(as_string(key).text);
  if (key.is_nil()) return 0;
  if (key.kind() == value_kind::float64) return std::hash<double>()(key.real());
  if (!key.is_list()) return std::hash<double>()(static_cast<double>(key.integer()));
  std::size_t hash = 1;
  for (const auto& item : as_list(key).items) hash = hash * 1000003 + (*this)(item);
  return hash;
}

bool key_equal::operator()(const value& a, const value& b) const noexcept {
  if (a.is_string() || b.is_string()) return a.is_string() && b.is_string() && as_string(a).text == as_string(b).text;
  if (a.is_list() || b.is_list()) {
    if (!a.is_list() || !b.is_list()) return false;
    const auto &x = as_list(a).items, &y = as_list(b).items;
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), *this);
  }
  if (a.is_nil() || b.is_nil()) return a.is_nil() && b.is_nil();
  const bool first = a.kind() == value_kind::float64, second = b.kind() == value_kind::float64;
  if (first && second) return a.real() == b.real();
  if (!first && !second) return a.integer() == b.integer();
  return first ? compare_exactly(b.integer(), a.real()) == 0.0 : compare_exactly(a.integer(), b.real()) == 0.0;
}

const value* dict_object::find(const value& key) const {
  if (!key.is_key()) return nullptr;
  auto found = index.find(key);
  return found == index.end() ? nullptr : &entries[found->second].second;
}

void require_key(const value& v) {
  if (!v.is_key())
    throw value_error(error_kind::type, "a dict key must be a string, a number but nan, nil, or a tuple of them, not " +
                                            (v.is_scalar() ? repr(v) : std::string(to_string(v.kind()))));
}

const value* dict_object::look_up(const value& key) const {
  if (!key.is_scalar()) require_key(key); // nan cannot be one, and may be looked for
  return find(key);
}

const value& dict_object::at(const value& key) const {
  if (const auto* found = look_up(key)) return *found;
  throw value_error(error_kind::key, "the dict has no key " + repr(key));
}

void dict_object::assign(const value& key, value v) {
  require_key(key);
  auto [place, inserted] = index.try_emplace(key, entries.size());
  if (inserted)
    entries.emplace_back(key, std::move(v));
  else
    entries[place->second].second = std::move(v);
}

std::vector<value>& mutable_items(value& list) {
  auto* o = static_cast<list_object*>(list.object());
  const bool alone = o->references.load(std::memory_order_acquire) == 1;
  if (!alone || o->is_range) {
    std::vector<value> items;
    items.reserve(o->size());
    for (std::size_t i = 0; i < o->size(); ++i) items.push_back(o->at(i));
    list = value::list(std::move(items));
    o = static_cast<list_object*>(list.object());
  }
  o->is_tuple = false; // what can be changed is a list
  return o->items;
}

dict_object& mutable_dict(value& dict) {
  auto* o = static_cast<dict_object*>(dict.object());
  if (o->references.load(std::memory_order_acquire) != 1) {
    dict = value::dict(o->entries);
    o = static_cast<dict_object*>(dict.object());
  }
  return *o;
}

// Any byte of UTF-8 but those that go on.
static bool begins_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u; }

value element(const array& a, std::int64_t offset) {
  auto v = visit_dtype(a.type(), [&](auto* tag) { return value(a.data<element_of<decltype(tag)>>()[offset]); });
  v.set_array_scalar(true);
  return v;
}

std::size_t count_characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string_view character(const string_object& o, std::size_t i) noexcept {
  const std::string_view text = o.text;
  if (o.characters == text.size()) return text.substr(i, 1);
  auto at = std::find_if(text.begin(), text.end(), begins_character);
  for (; i > 0; --i) at = std::find_if(at + 1, text.end(), begins_character);
  const auto end = std::find_if(at + 1, text.end(), begins_character);
  return {at, end};
}

value from_array(array a) { return a.rank() == 0 ? element(a, 0) : value(std::move(a)); }

} // namespace detail

std::string_view to_string(value_kind kind) noexcept {
  constexpr std::string_view k_names[] = {"nil",  "bool", "int64",    "float64", "string", "array",
                                          "list", "dict", "function", "future",  "signal"};
  return k_names[static_cast<std::size_t>(kind)];
}

value::value(std::string_view text) : value() {
  auto* o = detail::new_object<detail::string_object>(value_kind::string);
  *this = adopt(value_kind::string, o);
  o->text = text;
  o->characters = detail::count_characters(text);
}

value value::tuple(std::vector<value> items) {
  auto v = list(std::move(items));
  static_cast<detail::list_object*>(v.object())->is_tuple = true;
  return v;
}

bool value::is_tuple() const noexcept { return is_list() && detail::as_list(*this).is_tuple; }

bool value::is_range() const noexcept { return is_list() && detail::as_list(*this).is_range; }

value::bounds value::range_bounds() const noexcept {
  const auto& range = detail::as_list(*this);
  return {range.start, range.stop, range.step};
}

namespace {

bool can_be_key(const value& v, int depth) noexcept {
  if (v.kind() == value_kind::float64) return !std::isnan(v.real());
  if (!v.is_tuple()) return v.is_nil() || v.is_string() || v.is_scalar();
  const auto& items = detail::as_list(v).items;
  return depth < detail::k_deepest_nesting &&
         std::all_of(items.begin(), items.end(), [&](const value& item) { return can_be_key(item, depth + 1); });
}

} // namespace

bool value::is_key() const noexcept { return can_be_key(*this, 0); }

value value::list(std::vector<value> items) {
  auto* o = detail::new_object<detail::list_object>(value_kind::list);
  o->items = std::move(items);
  return adopt(value_kind::list, o);
}

value value::range(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step == 0) throw value_error("a range needs a step other than 0");
  auto* o = detail::new_object<detail::list_object>(value_kind::list);
  o->is_range = true;
  o->start = start;
  o->stop = stop;
  o->step = step;
  // In unsigned arithmetic, because stop - start may exceed the signed range.
  const auto span = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                             : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const bool empty = step > 0 ? stop <= start : stop >= start;
  o->count = empty ? 0 : static_cast<std::size_t>((span - 1) / detail::magnitude(step) + 1);
  auto result = adopt(value_kind::list, o);
  if (o->count > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()))
    throw value_error(error_kind::overflow, "a range of more than 2^63 - 1 numbers");
  return result;
}

value value::dict(std::vector<entry> entries) {
  auto* o = detail::new_object<detail::dict_object>(value_kind::dict);
  auto result = adopt(value_kind::dict, o);
  for (auto& [key, v] : entries) o->assign(key, std::move(v));
  return result;
}

namespace {

[[noreturn]] void wrong_kind(const char* expected, const value& found) {
  std::string text = std::string("expected ") + expected + ", found ";
  if (found.is_array())
    text += "an array of shape " + to_string(found.as_array().shape());
  else
    text += to_string(found.kind());
  throw value_error(error_kind::type, text);
}

bool is_single(const value& v) { return v.is_array() && v.as_array().size() == 1; }

} // namespace

bool value::to_bool() const {
  switch (kind()) {
  case value_kind::nil:
    return false;
  case value_kind::boolean:
  case value_kind::int64:
    return m_payload.integer != 0;
  case value_kind::float64:
    return m_payload.real != 0.0;
  case value_kind::string:
  case value_kind::list:
  case value_kind::dict:
    return size() != 0;
  case value_kind::array:
    if (is_single(*this)) return detail::element(as_array(), 0).to_bool();
    throw value_error("the truth value of an array of shape " + to_string(as_array().shape()) +
                      " is ambiguous: use any() or all()");
  default:
    wrong_kind("a truth value", *this);
  }
}

std::int64_t value::to_int64() const {
  switch (kind()) {
  case value_kind::boolean:
    if (m_head.array_scalar) wrong_kind("an integer", *this); // as NumPy
    [[fallthrough]];
  case value_kind::int64:
    return m_payload.integer;
  default:
    if (is_array() && as_array().rank() == 0) return detail::element(as_array(), 0).to_int64();
    wrong_kind("an integer", *this);
  }
}

double value::to_float64() const {
  switch (kind()) {
  case value_kind::boolean:
  case value_kind::int64:
    return static_cast<double>(m_payload.integer);
  case value_kind::float64:
    return m_payload.real;
  default:
    if (is_array() && as_array().rank() == 0) return detail::element(as_array(), 0).to_float64();
    wrong_kind("a number", *this);
  }
}

std::string_view value::to_string_view() const {
  if (!is_string()) wrong_kind("a string", *this);
  return detail::as_string(*this).text;
}

const array& value::as_array() const noexcept {
  // An `array` is exactly one pointer to the object, as is the payload: no reference needs to be counted for a look.
  static_assert(sizeof(treadle::array) == sizeof(detail::object*));
  return *reinterpret_cast<const treadle::array*>(static_cast<const void*>(&m_payload));
}

namespace {

// How deep an array's worth of lists may be; of more than that there is no array.
void check_depth(const value& v, std::size_t depth) {
  if (depth > k_max_rank) throw value_error("lists nested more than 4 deep are no array");
  if (v.is_list() && v.size() != 0 && !detail::as_list(v).is_range)
    for (const auto& item : detail::as_list(v).items) check_depth(item, depth + 1);
}

bool equal(const value& a, const value& b, int depth);

} // namespace

array value::to_array() const {
  if (is_list()) check_depth(*this, 0);
  return elements();
}

array value::elements() const {
  switch (kind()) {
  case value_kind::array:
    return as_array();
  case value_kind::boolean: {
    auto a = array::uninitialized(dtype::boolean, {});
    *a.mutable_data<bool>() = boolean();
    return a;
  }
  case value_kind::int64:
    return array::of<std::int64_t>({}, std::span(&m_payload.integer, 1));
  case value_kind::float64:
    return array::of<double>({}, std::span(&m_payload.real, 1));
  case value_kind::list: {
    if (size() == 0) return array::zeros(dtype::float64, {0});
    std::vector<treadle::array> parts;
    dtype type = dtype::boolean;
    for (std::size_t i = 0; i < size(); ++i) {
      parts.push_back(item(i).elements());
      type = std::max(type, parts.back().type());
      if (parts.back().shape() != parts.front().shape())
        throw value_error("a list with items of shapes " + to_string(parts.front().shape()) + " and " +
                          to_string(parts.back().shape()) + " is no array");
    }
    extents shape = parts.front().shape();
    shape.insert(0, static_cast<std::int64_t>(parts.size()));
    auto result = treadle::array::uninitialized(type, shape);
    auto* out = static_cast<std::byte*>(result.mutable_raw_data());
    for (const auto& part : parts) {
      detail::copy_elements(part, type, detail::row_major_strides(part.shape()), out);
      out += static_cast<std::size_t>(part.size()) * item_bytes(type);
    }
    return result;
  }
  default:
    wrong_kind("an array", *this);
  }
}

std::size_t value::size() const {
  switch (kind()) {
  case value_kind::string:
    return detail::as_string(*this).characters;
  case value_kind::list:
    return detail::as_list(*this).size();
  case value_kind::dict:
    return detail::as_dict(*this).entries.size();
  case value_kind::array:
    if (as_array().rank() > 0) return static_cast<std::size_t>(as_array().shape()[0]);
    [[fallthrough]];
  default:
    wrong_kind("something with a length", *this);
  }
}

value value::item(std::size_t i) const {
  if (i >= size())
    throw value_error(error_kind::index,
                      "index " + std::to_string(i) + " is out of range for " + std::to_string(size()) + " items");
  if (is_list()) return detail::as_list(*this).at(i);
  if (is_dict()) return detail::as_dict(*this).entries[i].first; // iterating a dict gives its keys
  if (is_string()) return detail::character(detail::as_string(*this), i);
  const auto& a = as_array();
  extents shape = a.shape(), strides = a.strides();
  shape.erase(0);
  strides.erase(0);
  const auto offset = static_cast<std::int64_t>(i) * a.strides()[0];
  return shape.rank() == 0 ? detail::element(a, offset) : value(a.view(offset, shape, strides));
}

std::span<const value::entry> value::entries() const {
  if (!is_dict()) wrong_kind("a dict", *this);
  return detail::as_dict(*this).entries;
}

const value* value::find(const value& key) const {
  if (!is_dict()) wrong_kind("a dict", *this);
  return detail::as_dict(*this).find(key);
}

value value::wait() const {
  if (kind() != value_kind::future) return *this;
  return static_cast<const detail::dynamic_object*>(m_payload.pointer)->wait();
}

bool operator==(const value& a, const value& b) { return equal(a, b, 0); }

namespace {

bool equal(const value& a, const value& b, int depth) {
  if (depth > detail::k_deepest_nesting) detail::nested_too_deeply();
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
  case value_kind::nil:
    return true;
  case value_kind::boolean:
  case value_kind::int64:
    return a.integer() == b.integer();
  case value_kind::float64:
    return std::bit_cast<std::uint64_t>(a.real()) == std::bit_cast<std::uint64_t>(b.real());
  case value_kind::string:
    return a.to_string_view() == b.to_string_view();
  case value_kind::array: {
    const auto x = a.as_array().contiguous(), y = b.as_array().contiguous();
    return x.type() == y.type() && x.shape() == y.shape() &&
           std::memcmp(x.raw_data(), y.raw_data(), static_cast<std::size_t>(x.size()) * item_bytes(x.type())) == 0;
  }
  case value_kind::list:
    if (a.size() != b.size() || a.is_tuple() != b.is_tuple()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!equal(a.item(i), b.item(i), depth + 1)) return false;
    return true;
  case value_kind::dict:
    if (a.size() != b.size()) return false;
    for (const auto& [key, v] : a.entries()) {
      const auto* other = b.find(key);
      if (!other || !equal(*other, v, depth + 1)) return false;
    }
    return true;
  default:
    return a.object() == b.object();
  }
}

} // namespace

} // namespace treadle

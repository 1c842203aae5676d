#include "value/bytes.hpp"

#include "value/objects.hpp"

#include <cstring>

namespace treadle::detail {
namespace {

enum class form : std::uint8_t { nil, boolean, int64, float64, string, array, list, tuple, range, dict };

class writer {
 public:
  explicit writer(std::vector<std::byte>& to) : m_to(to) {}

  void write(const value& v, int depth) {
    if (depth > k_deepest_nesting) nested_too_deeply();
    switch (v.kind()) {
    case value_kind::nil:
      return add(form::nil);
    case value_kind::boolean:
      return number(form::boolean, v, v.boolean());
    case value_kind::int64:
      return number(form::int64, v, v.integer());
    case value_kind::float64:
      return number(form::float64, v, v.real());
    case value_kind::string:
      add(form::string);
      return text(v.to_string_view());
    case value_kind::array:
      return elements(v.as_array().contiguous());
    case value_kind::list:
      return items(v, depth);
    case value_kind::dict:
      add(form::dict);
      add(std::uint64_t{v.entries().size()});
      for (const auto& [key, of_key] : v.entries()) {
        write(key, depth + 1);
        write(of_key, depth + 1);
      }
      return;
    case value_kind::future:
      return write(v.wait(), depth);
    default:
      throw value_error(error_kind::type, "a function cannot be sent to another locality");
    }
  }

 private:
  template <class T>
  void add(const T& plain) {
    bytes(&plain, sizeof plain);
  }
  void bytes(const void* from, std::size_t size) {
    const auto* const begin = static_cast<const std::byte*>(from);
    m_to.insert(m_to.end(), begin, begin + size);
  }
  void text(std::string_view characters) {
    add(std::uint64_t{characters.size()});
    bytes(characters.data(), characters.size());
  }
  template <class T>
  void number(form f, const value& v, T plain) {
    add(f);
    add(v.is_array_scalar());
    add(plain);
  }
  void elements(const array& a) {
    add(form::array);
    add(a.type());
    add(static_cast<std::uint8_t>(a.rank()));
    for (const auto length : a.shape()) add(length);
    bytes(a.raw_data(), static_cast<std::size_t>(a.size()) * item_bytes(a.type()));
  }
  void items(const value& v, int depth) {
    if (v.is_range()) {
      add(form::range);
      return add(v.range_bounds());
    }
    add(v.is_tuple() ? form::tuple : form::list);
    add(std::uint64_t{v.size()});
    for (const auto& item : as_list(v).items) write(item, depth + 1);
  }

  std::vector<std::byte>& m_to;
};

class reader {
 public:
  explicit reader(std::span<const std::byte>& from) : m_from(from) {}

  value read(int depth) {
    if (depth > k_deepest_nesting) nested_too_deeply();
    switch (take<form>()) {
    case form::nil:
      return {};
    case form::boolean:
      return number<bool>();
    case form::int64:
      return number<std::int64_t>();
    case form::float64:
      return number<double>();
    case form::string:
      return text();
    case form::array:
      return elements();
    case form::list:
      return value::list(items(depth));
    case form::tuple:
      return value::tuple(items(depth));
    case form::range: {
      const auto [start, stop, step] = take<value::bounds>();
      if (step == 0) wrong();
      return value::range(start, stop, step);
    }
    case form::dict: {
      std::vector<value::entry> entries;
      for (auto left = count(); left > 0; --left) {
        value key = read(depth + 1);
        entries.emplace_back(std::move(key), read(depth + 1));
      }
      return value::dict(std::move(entries));
    }
    }
    wrong();
  }

 private:
  [[noreturn]] static void wrong() {
    throw value_error(error_kind::program, "bytes that are no value, or are cut short");
  }

  const std::byte* bytes(std::size_t size) {
    if (size > m_from.size()) wrong();
    const std::byte* const begin = m_from.data();
    m_from = m_from.subspan(size);
    return begin;
  }
  template <class T>
  T take() {
    T plain;
    if constexpr (std::is_same_v<T, bool>) {
      const auto byte = take<std::uint8_t>();
      if (byte > 1) wrong();
      plain = byte == 1;
    } else {
      std::memcpy(&plain, bytes(sizeof plain), sizeof plain);
    }
    return plain;
  }
  std::size_t count() { // of what takes a byte each at least
    const auto n = take<std::uint64_t>();
    if (n > m_from.size()) wrong();
    return static_cast<std::size_t>(n);
  }
  template <class T>
  value number() {
    const bool of_array = take<bool>();
    value v(take<T>());
    v.set_array_scalar(of_array);
    return v;
  }
  value text() {
    const auto size = count();
    return std::string_view(reinterpret_cast<const char*>(bytes(size)), size);
  }
  std::vector<value> items(int depth) {
    std::vector<value> all;
    for (auto left = count(); left > 0; --left) all.push_back(read(depth + 1));
    return all;
  }
  value elements() {
    const auto type = take<dtype>();
    const auto rank = take<std::uint8_t>();
    if (type > dtype::float64 || rank > k_max_rank) wrong();
    extents shape;
    for (std::size_t i = 0; i < rank; ++i) {
      const auto length = take<std::int64_t>();
      if (length < 0) wrong();
      shape.push_back(length);
    }
    const auto size = static_cast<std::size_t>(shape.product());
    if (size > m_from.size() / item_bytes(type)) wrong();
    const std::byte* const from = bytes(size * item_bytes(type));
    if (type == dtype::boolean)
      for (std::size_t i = 0; i < size; ++i)
        if (from[i] > std::byte{1}) wrong();
    array a = array::uninitialized(type, shape);
    if (size != 0) std::memcpy(a.mutable_raw_data(), from, size * item_bytes(type));
    return a;
  }

  std::span<const std::byte>& m_from;
};

} // namespace

void write_bytes(std::vector<std::byte>& to, const value& v) { writer(to).write(v, 0); }

value read_bytes(std::span<const std::byte>& from) { return reader(from).read(0); }

} // namespace treadle::detail

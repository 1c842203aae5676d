// The counted objects behind strings, lists, dicts, functions and futures.
#pragma once

#include <treadle/arrays/value.hpp>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace treadle::detail {

struct string_object : object {
  std::string text;
  std::size_t characters = 0; // UTF-8: no more than bytes
};

// An object that holds others, perhaps as deep as lists in lists go: destroyed one after the other, not one in the
// other.
struct nesting_object : object {
  nesting_object* next_doomed = nullptr;
};

// How deep lists in lists may go where something must follow them by recursion.
inline constexpr int k_deepest_nesting = 200;
[[noreturn]] void nested_too_deeply();

// Either its items, or an arithmetic sequence `start + i * step` that is never stored.
struct list_object : nesting_object {
  std::vector<value> items;
  bool is_range = false, is_tuple = false;
  std::int64_t start = 0, stop = 0, step = 1;
  std::size_t count = 0;

  std::size_t size() const noexcept { return is_range ? count : items.size(); }
  value at(std::size_t i) const { return is_range ? value(start + static_cast<std::int64_t>(i) * step) : items[i]; }
};

struct key_hash {
  std::size_t operator()(const value& key) const noexcept;
};
struct key_equal { // 1, 1.0 and true are one key, as in Python
  bool operator()(const value& a, const value& b) const noexcept;
};

// a and b as real numbers, without rounding: -1, 0 or 1, or nan where one of them is.
double compare_exactly(std::int64_t a, double b) noexcept;

void require_key(const value& v); // value_error when it cannot be a key of a dict

struct dict_object : nesting_object {
  std::vector<value::entry> entries; // insertion order
  std::unordered_map<value, std::size_t, key_hash, key_equal> index;

  const value* find(const value& key) const;
  const value* look_up(const value& key) const; // null when there is none; value_error for what is no key in Python
  const value& at(const value& key) const;      // value_error when there is none, or as look_up()
  void assign(const value& key, value v);       // value_error as require_key
};

// Kinds `function` and `future`, whose contents only the evaluator knows.
struct dynamic_object : nesting_object {
  explicit dynamic_object(value_kind k) noexcept { kind = static_cast<std::uint8_t>(k); }
  dynamic_object(const dynamic_object&) = delete;
  dynamic_object& operator=(const dynamic_object&) = delete;
  virtual ~dynamic_object() = default;
  virtual value wait() const = 0;           // future: its value; function: itself
  virtual std::string describe() const = 0; // for printing
};

template <class Object>
Object* new_object(value_kind kind) {
  auto* o = new Object;
  o->kind = static_cast<std::uint8_t>(kind);
  return o;
}

inline const list_object& as_list(const value& v) noexcept { return *static_cast<const list_object*>(v.object()); }
inline const dict_object& as_dict(const value& v) noexcept { return *static_cast<const dict_object*>(v.object()); }
inline const string_object& as_string(const value& v) noexcept {
  return *static_cast<const string_object*>(v.object());
}

// Characters of UTF-8 text: how many, and one of them.
std::size_t count_characters(std::string_view text) noexcept;
std::string_view character(const string_object& o, std::size_t i) noexcept;

// Sole access to the items of a list (a range is stored first) or to a dict; copies what others can see.
std::vector<value>& mutable_items(value& list);
dict_object& mutable_dict(value& dict);

// Items as a list, or as a tuple when the pattern is one.
inline value list_like(const value& pattern, std::vector<value> items) {
  return pattern.is_tuple() ? value::tuple(std::move(items)) : value::list(std::move(items));
}

// A rank 0 array becomes its scalar, anything else stays an array.
value from_array(array a);
// The element at a position of any array.
value element(const array& a, std::int64_t offset);

} // namespace treadle::detail

// The values array programs compute with: nil, bool, int64, float64, string, array, list, dict, function, future.
//
// Scalars are inline; the rest is one pointer to a counted, logically immutable object. Copying a value is cheap and
// never copies data. Objects may be shared between threads; a single `value` or `array` variable may not be written
// concurrently.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

enum class dtype : std::uint8_t { boolean, int64, float64 }; // ordered by promotion: bool < int64 < float64

std::string_view to_string(dtype type) noexcept; // "bool", "int64", "float64"

constexpr std::size_t item_bytes(dtype type) noexcept { return type == dtype::boolean ? 1 : 8; }

template <class T>
inline constexpr bool is_element =
    std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, double>;

template <class T>
inline constexpr dtype dtype_of = std::is_same_v<T, bool>           ? dtype::boolean
                                  : std::is_same_v<T, std::int64_t> ? dtype::int64
                                                                    : dtype::float64;

// What went wrong, as Python's exceptions tell it apart.
enum class error_kind : std::uint8_t {
  value,
  type,
  index,
  key,
  zero_division,
  overflow, // a number beyond the range of its type
  attribute,
  axis,           // an array has no such axis
  linear_algebra, // a matrix that is singular, not square, or not positive definite
  assertion,
  name,      // a variable without a value
  recursion, // calls or lists too deep in one another
  memory,
  program, // none of Python's: it does not compile, was cancelled, or nobody has classified it
  sharing  // a change in place that Python would show under another name as well, and that values cannot
};

// A value of the wrong kind, shape or range. The message names what was expected and what was found.
class value_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  value_error(error_kind kind, const std::string& message) : std::runtime_error(message), m_kind(kind) {}
  error_kind kind() const noexcept { return m_kind; }

 private:
  error_kind m_kind = error_kind::value;
};

inline constexpr std::size_t k_max_rank = 4;

// Up to four lengths (a shape) or strides, counted in elements.
class extents {
 public:
  constexpr extents() noexcept = default;
  extents(std::initializer_list<std::int64_t> values) : extents(std::span(values.begin(), values.size())) {}
  explicit extents(std::span<const std::int64_t> values); // value_error when there are more than k_max_rank

  constexpr std::size_t rank() const noexcept { return m_rank; }
  constexpr std::int64_t operator[](std::size_t i) const noexcept { return m_values[i]; }
  constexpr std::int64_t& operator[](std::size_t i) noexcept { return m_values[i]; }
  constexpr const std::int64_t* begin() const noexcept { return m_values.data(); }
  constexpr const std::int64_t* end() const noexcept { return m_values.data() + m_rank; }
  void push_back(std::int64_t value);              // value_error beyond k_max_rank
  void insert(std::size_t at, std::int64_t value); // value_error beyond k_max_rank
  void erase(std::size_t at) noexcept;
  std::int64_t product() const; // number of elements; value_error when it does not fit

  friend bool operator==(const extents& a, const extents& b) noexcept {
    if (a.m_rank != b.m_rank) return false;
    for (std::size_t i = 0; i < a.m_rank; ++i)
      if (a.m_values[i] != b.m_values[i]) return false;
    return true;
  }

 private:
  std::array<std::int64_t, k_max_rank> m_values{};
  std::size_t m_rank = 0;
};

std::string to_string(const extents& shape); // as NumPy: "()", "(3,)", "(3, 4)"

namespace detail {
// Common head of every counted object. The kind decides how it is destroyed.
struct object {
  std::atomic<std::uint32_t> references{1};
  std::uint8_t kind = 0; // a value_kind
};
void destroy(object* o) noexcept;

inline void add_reference(object* o) noexcept { o->references.fetch_add(1, std::memory_order_relaxed); }
inline void drop_reference(object* o) noexcept {
  // A sole owner needs no read-modify-write: nobody else can add a reference. Acquire pairs with the release below.
  if (o->references.load(std::memory_order_acquire) == 1 || o->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    destroy(o);
}

// The elements follow this header in the same allocation, or belong to `base`, or to an external owner.
struct array_object : object {
  dtype type = dtype::float64;
  bool is_diagonal = false; // a diagonal_object: its elements exist once somebody has asked for them, `data` stays null
  extents shape;
  extents strides; // in elements, may be zero or negative
  void* data = nullptr;
  array_object* base = nullptr;           // what a view keeps alive
  void* owner = nullptr;                  // external memory, or what a read-only view keeps: release(owner) at the end
  void (*release)(void* owner) = nullptr; // what has one is never unique
};

inline std::int64_t count_of(const array_object& o) noexcept { // elements: they fit, its maker has checked that
  std::int64_t n = 1;
  for (auto length : o.shape) n *= length;
  return n;
}

void* diagonal_elements(const array_object& o); // makes them at the first call; null where it is no diagonal
inline void* elements_of(const array_object& o) { return o.data ? o.data : diagonal_elements(o); }
} // namespace detail

// A strided view of 0 to 4 dimensions on counted memory. Value semantics by copy-on-write: writing through
// mutable_data() first copies the elements if anybody else can see them, or if there are gaps between them.
// may_alias: value::as_array() looks at the pointer inside a value as an array.
class __attribute__((may_alias)) array {
 public:
  array() : array(uninitialized(dtype::float64, extents{0})) {}
  array(const array& other) noexcept : m_object(other.m_object) { detail::add_reference(m_object); }
  array(array&& other) noexcept
      : m_object(std::exchange(other.m_object, nullptr)) {} // moved-from: assign or destroy only
  array& operator=(array other) noexcept {
    std::swap(m_object, other.m_object);
    return *this;
  }
  ~array() {
    if (m_object) detail::drop_reference(m_object);
  }

  static array uninitialized(dtype type, const extents& shape); // row-major, elements indeterminate
  static array zeros(dtype type, const extents& shape);
  static array broadcast(const array& a,
                         const extents& shape); // read-only view with zero strides; value_error if impossible
  template <class T>
  static array of(const extents& shape, std::span<const T> elements); // copies; value_error if the counts differ

  // Reads external memory in place; it is never written. `release(owner)` is called exactly once, when the last view is
  // gone, on whatever thread that happens (a Python owner must take the GIL there), and must not throw. Both may be
  // null. Elements must stay unchanged while the array lives and be aligned to their size.
  static array borrow(dtype type, const extents& shape, const extents& strides, const void* data, void* owner,
                      void (*release)(void* owner));

  dtype type() const noexcept { return m_object->type; }
  std::size_t rank() const noexcept { return m_object->shape.rank(); }
  const extents& shape() const noexcept { return m_object->shape; }
  const extents& strides() const noexcept { return m_object->strides; } // in elements
  std::int64_t size() const noexcept { return detail::count_of(*m_object); }
  bool is_contiguous() const noexcept; // row-major without gaps
  bool is_unique() const noexcept;     // nobody else sees these elements

  // The elements; of a diagonal matrix they may have to be made: std::bad_alloc.
  const void* raw_data() const { return detail::elements_of(*m_object); }
  template <class T>
    requires is_element<T>
  const T* data() const { // T must be the element type
    return static_cast<const T*>(raw_data());
  }

  // Sole access to the elements: copies them first unless is_unique() and they lie in memory forwards and without gaps.
  // Afterwards data() may differ, and the axes are in memory in the same order as before, without gaps.
  void* mutable_raw_data();
  template <class T>
    requires is_element<T>
  T* mutable_data() {
    return static_cast<T*>(mutable_raw_data());
  }

  array view(std::int64_t offset, const extents& shape, const extents& strides) const; // offset in elements, unchecked
  array transpose() const;                                                             // reversed axes, a view
  array transpose(std::span<const std::int64_t> axes) const;
  array reshape(const extents& shape) const; // one -1 allowed; a view where strides can show it, else a copy
  array contiguous() const;                  // itself when row-major already
  array copy() const;                        // always new row-major memory
  array cast(dtype type) const;              // itself when the type is right; float -> int truncates

  detail::array_object* object() const noexcept { return m_object; }
  static array adopt(detail::array_object* object) noexcept { return array(object); } // takes over one reference
  detail::array_object* release() && noexcept { return std::exchange(m_object, nullptr); }

 private:
  explicit array(detail::array_object* object) noexcept : m_object(object) {}

  detail::array_object* m_object;
};

template <class T>
array array::of(const extents& shape, std::span<const T> elements) {
  static_assert(is_element<T>);
  auto result = uninitialized(dtype_of<T>, shape);
  if (static_cast<std::size_t>(result.size()) != elements.size())
    throw value_error("array of shape " + to_string(shape) + " cannot be made of " + std::to_string(elements.size()) +
                      " elements");
  auto* out = result.template mutable_data<T>();
  for (const T& e : elements) *out++ = e;
  return result;
}

enum class value_kind : std::uint8_t {
  nil,
  boolean,
  int64,
  float64,
  string,
  array,
  list,
  dict,
  function,
  future,
  signal // inside the evaluator only: a break, continue or return on its way out
};

std::string_view to_string(value_kind kind) noexcept; // as PhySL's __type: "nil", "bool", "int64", ...

class value {
 public:
  using entry = std::pair<value, value>;

  constexpr value() noexcept : m_payload{.integer = 0}, m_head{value_kind::nil} {}
  template <class T>
    requires std::is_same_v<T, bool>
  constexpr value(T b) noexcept : m_payload{.integer = b ? 1 : 0}, m_head{value_kind::boolean} {}
  template <class T>
    requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
  constexpr value(T i) noexcept : m_payload{.integer = static_cast<std::int64_t>(i)}, m_head{value_kind::int64} {}
  constexpr value(double d) noexcept : m_payload{.real = d}, m_head{value_kind::float64} {}
  value(treadle::array a) noexcept : m_payload{.pointer = std::move(a).release()}, m_head{value_kind::array} {}
  value(std::string_view text);
  value(const std::string& text) : value(std::string_view(text)) {}
  value(const char* text) : value(std::string_view(text)) {}

  static value list(std::vector<value> items);
  static value tuple(std::vector<value> items); // a list that Python sees as a tuple; as an index, one entry per axis
  static value range(std::int64_t start, std::int64_t stop, std::int64_t step); // a list of int64 that takes no memory
  static value dict(std::vector<entry> entries); // of keys that are such; a later duplicate wins

  value(const value& other) noexcept : m_payload(other.m_payload), m_head(other.m_head) {
    if (is_object()) detail::add_reference(m_payload.pointer);
  }
  value(value&& other) noexcept : m_payload(other.m_payload), m_head(std::exchange(other.m_head, {value_kind::nil})) {}
  value& operator=(const value& other) noexcept { return *this = value(other); }
  value& operator=(value&& other) noexcept {
    std::swap(m_payload, other.m_payload);
    std::swap(m_head, other.m_head);
    return *this;
  }
  ~value() {
    if (is_object()) detail::drop_reference(m_payload.pointer);
  }

  value_kind kind() const noexcept { return m_head.kind; }
  bool is_nil() const noexcept { return m_head.kind == value_kind::nil; }
  bool is_array() const noexcept { return m_head.kind == value_kind::array; }
  bool is_list() const noexcept { return m_head.kind == value_kind::list; }
  bool is_tuple() const noexcept;
  bool is_range() const noexcept;
  bool is_string() const noexcept { return m_head.kind == value_kind::string; }
  bool is_dict() const noexcept { return m_head.kind == value_kind::dict; }
  bool is_scalar() const noexcept { return m_head.kind >= value_kind::boolean && m_head.kind <= value_kind::float64; }
  bool is_number() const noexcept { return is_scalar() || is_array(); }

  // A number that came out of an array, or out of a function of arrays, and is none of the language's own. Python and
  // NumPy compute differently with the two: truth values are added or joined, and division by zero is an error or not.
  bool is_array_scalar() const noexcept { return m_head.array_scalar && is_scalar(); }
  void set_array_scalar(bool yes) noexcept { m_head.array_scalar = yes; }

  // Which part it is of an array that is spread over localities, as a number that the evaluator knows; 0: of none.
  // Copies of a value are the same part; what is computed from it is none.
  std::uint32_t tile() const noexcept { return m_head.tile; }
  void set_tile(std::uint32_t number) noexcept { m_head.tile = number; }

  // Exact payloads; calling one of another kind is undefined.
  bool boolean() const noexcept { return m_payload.integer != 0; }
  std::int64_t integer() const noexcept { return m_payload.integer; }
  double real() const noexcept { return m_payload.real; }

  // Checked conversions, value_error when impossible. Arrays without axes convert as their element.
  bool to_bool() const; // number != 0; strings, lists and dicts: not empty; nil is false; arrays of one element
  std::int64_t to_int64() const; // int64, or a bool of the language
  double to_float64() const;
  std::string_view to_string_view() const; // a string; the view lives as long as this value
  treadle::array to_array() const;         // arrays, scalars (0-d) and nested lists of numbers of equal shape
  std::size_t size() const; // items of a list or dict, characters of a string (UTF-8), length of an array's first axis
  value item(std::size_t i) const; // of a list, character of a string, sub-array; value_error when out of range
  struct bounds {
    std::int64_t start, stop, step;
  };
  bounds range_bounds() const noexcept;      // of a range, as it was made
  bool is_key() const noexcept;              // of a dict: nil, a bool, int64, float64 but nan, string, tuple of such
  std::span<const entry> entries() const;    // of a dict, in insertion order; lives as long as this value
  const value* find(const value& key) const; // of a dict; nullptr when absent
  value wait() const; // the value of a future (blocks or suspends; rethrows), else this value itself

  const treadle::array& as_array() const noexcept; // kind must be array; no reference is counted

  // Evaluator internals: non-owning alias (must be forgotten before it dies) and raw objects.
  static value alias(const value& other) noexcept {
    value same(other.m_payload.integer, other.kind());
    same.m_head = other.m_head;
    return same;
  }
  void forget() noexcept { m_head.kind = value_kind::nil; }
  static value adopt(value_kind kind, detail::object* o) noexcept { return value(o, kind); }
  static value signal(std::int64_t code) noexcept { return value(code, value_kind::signal); } // code: integer()
  detail::object* object() const noexcept { return m_payload.pointer; }
  friend bool operator==(const value& a, const value& b); // same kind and contents; arrays bit by bit
  bool is_object() const noexcept { return m_head.kind >= value_kind::string && m_head.kind <= value_kind::future; }

 private:
  struct head {
    value_kind kind;
    bool array_scalar = false;
    std::uint32_t tile = 0;
  };
  union payload {
    std::int64_t integer;
    double real;
    detail::object* pointer;
  };
  treadle::array elements() const; // to_array() of lists that are known not to be too deep
  value(std::int64_t bits, value_kind kind) noexcept : m_payload{.integer = bits}, m_head{kind} {}
  value(detail::object* o, value_kind kind) noexcept : m_payload{.pointer = o}, m_head{kind} {}

  payload m_payload;
  head m_head;
};

std::string to_string(const value& v); // as `cout` prints: strings bare, arrays and numbers as NumPy prints them
std::string repr(const value& v);      // as PhySL text: strings quoted and escaped

// A comma-separated table of numbers, float64 of shape (rows, columns). One leading line that is not entirely numeric
// is a header and skipped; empty lines at the end are ignored. Ragged rows, text, nan, inf, an empty, missing or
// unreadable file: value_error naming file, line and column.
array read_csv(const std::string& path);

} // namespace treadle

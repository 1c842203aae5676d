// How values are written: as NumPy prints them, or as PhySL that reads back as the same value.
#include <treadle/arrays/value.hpp>

#include "value/objects.hpp"
#include "value/text.hpp"

#include <charconv>
#include <cmath>

namespace treadle {

namespace detail {

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    constexpr std::string_view k_raw = "\a\b\f\n\r\t\v\\\"", k_escaped = "abfnrtv\\\"";
    if (auto at = k_raw.find(c); at != std::string_view::npos) {
      result += '\\';
      result += k_escaped[at];
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char k_digits[] = "0123456789abcdef";
      result += "\\x";
      result += k_digits[static_cast<unsigned char>(c) >> 4];
      result += k_digits[static_cast<unsigned char>(c) & 15];
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string format_double(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x > 0 ? "inf" : "-inf";
  char buffer[32];
  auto* end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr; // shortest text that reads back as x
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

} // namespace detail

namespace {

using text_of = std::string (*)(const value&);

std::string scalar_text(const value& v) {
  switch (v.kind()) {
  case value_kind::nil:
    return "nil";
  case value_kind::boolean:
    return v.boolean() ? "true" : "false";
  case value_kind::int64:
    return std::to_string(v.integer());
  default:
    return detail::format_double(v.real());
  }
}

// NumPy prints at most 8 digits after the point.
std::string short_text(const value& v) {
  if (v.kind() != value_kind::float64) return scalar_text(v);
  char buffer[40];
  auto* end = std::to_chars(buffer, buffer + sizeof buffer, v.real(), std::chars_format::general, 9).ptr;
  auto full = detail::format_double(v.real());
  std::string text(buffer, end);
  if (full.size() <= text.size() + 2 || !std::isfinite(v.real())) return full;
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Nested brackets over all elements; `edge` > 0 leaves out the middle of axes longer than 2 * edge.
void write_array(std::string& out, const array& a, std::size_t axis, std::int64_t offset, text_of element_text,
                 std::string_view separator, std::size_t width, std::int64_t edge) {
  if (axis == a.rank()) {
    auto text = element_text(detail::element(a, offset));
    out.append(width > text.size() ? width - text.size() : 0, ' ');
    out += text;
    return;
  }
  out += '[';
  const auto count = a.shape()[axis];
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0) {
      if (axis + 1 == a.rank() || separator != " ")
        out += separator;
      else
        out.append(a.rank() - axis - 1, '\n').append(axis + 1, ' ');
    }
    if (edge > 0 && i == edge && count > 2 * edge) {
      out += "...";
      i = count - edge - 1;
    } else {
      write_array(out, a, axis + 1, offset + i * a.strides()[axis], element_text, separator, width, edge);
    }
  }
  out += ']';
}

std::size_t widest(const array& a, std::size_t axis, std::int64_t offset, std::int64_t edge) {
  if (axis == a.rank()) return short_text(detail::element(a, offset)).size();
  std::size_t width = 0;
  const auto count = a.shape()[axis];
  for (std::int64_t i = 0; i < count; ++i) {
    if (edge > 0 && i == edge && count > 2 * edge) i = count - edge;
    width = std::max(width, widest(a, axis + 1, offset + i * a.strides()[axis], edge));
  }
  return width;
}

using text_at = std::string (*)(const value& v, int depth); // lists in lists: how deep it stands

std::string write_items(const value& v, text_at item_text, int depth) {
  if (depth >= detail::k_deepest_nesting) detail::nested_too_deeply();
  std::string out;
  if (v.is_list()) {
    constexpr std::size_t k_longest_range = 1 << 24; // it takes no memory, but its text does
    if (v.is_range() && v.size() > k_longest_range)
      throw value_error("a range of " + std::to_string(v.size()) + " numbers is too long to be written out");
    for (std::size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + item_text(v.item(i), depth + 1);
  } else {
    bool first = true;
    for (const auto& [key, entry] : v.entries()) {
      out += (first ? "" : ", ") + item_text(key, depth + 1) + ": " + item_text(entry, depth + 1);
      first = false;
    }
  }
  return out;
}

std::string array_text(const array& a) {
  if (a.size() == 0) return "[]"; // as NumPy: there may be any number of empty rows
  const std::int64_t edge = a.size() > 1000 ? 3 : 0;
  std::string out;
  write_array(out, a, 0, 0, short_text, " ", widest(a, 0, 0, edge), edge);
  return out;
}

// An array without elements whose rows alone would be a long text.
bool has_many_empty_rows(const array& a) noexcept {
  constexpr std::int64_t k_many = 1000;
  std::int64_t rows = a.size() == 0 ? 1 : 0;
  for (const auto length : a.shape()) {
    if (rows > k_many) return true;
    rows *= std::min(length, k_many + 1);
  }
  return false;
}

// A call that makes the array.
std::string text_of_empty(const array& a) {
  const char* const zero = a.type() == dtype::float64 ? "0.0" : a.type() == dtype::int64 ? "0" : "false";
  std::string shape;
  for (const auto length : a.shape()) shape += (shape.empty() ? "" : ", ") + std::to_string(length);
  return std::string("constant(") + zero + ", list(" + shape + "))";
}

std::string source_text(const value& v, int depth);

std::string plain_text(const value& v, int depth) {
  switch (v.kind()) {
  case value_kind::string:
    return std::string(v.to_string_view());
  case value_kind::list:
    return "[" + write_items(v, source_text, depth) + "]";
  case value_kind::dict:
    return "{" + write_items(v, source_text, depth) + "}";
  case value_kind::array:
    return array_text(v.as_array());
  case value_kind::function:
  case value_kind::future:
    return static_cast<const detail::dynamic_object*>(v.object())->describe();
  default:
    return scalar_text(v);
  }
}

std::string source_text(const value& v, int depth) {
  switch (v.kind()) {
  case value_kind::string:
    return detail::quote(v.to_string_view());
  case value_kind::list:
    return "list(" + write_items(v, source_text, depth) + ")";
  case value_kind::dict: {
    if (depth >= detail::k_deepest_nesting) detail::nested_too_deeply();
    std::string out = "dict(";
    for (const auto& [key, entry] : v.entries())
      out += (out.size() > 5 ? ", " : "") + ("list(" + source_text(key, depth + 1)) + ", " +
             source_text(entry, depth + 1) + ")";
    return out + ")";
  }
  case value_kind::array: {
    if (has_many_empty_rows(v.as_array())) return text_of_empty(v.as_array());
    std::string out;
    write_array(out, v.as_array(), 0, 0, scalar_text, ", ", 0, 0);
    return out;
  }
  default:
    return plain_text(v, depth);
  }
}

} // namespace

std::string to_string(const value& v) { return plain_text(v, 0); }
std::string repr(const value& v) { return source_text(v, 0); }

} // namespace treadle

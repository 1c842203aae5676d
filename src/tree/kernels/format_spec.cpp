#include "tree/kernels/format_spec.hpp"

#include "base/magnitude.hpp"
#include "value/text.hpp"

#include <charconv>
#include <cmath>

namespace treadle::tree {
namespace {

constexpr std::size_t k_most = 1'000'000; // characters of width and precision

std::size_t code_point_bytes(std::string_view text) { // of the first one
  std::size_t n = 1;
  while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0u) == 0x80u) ++n;
  return n;
}

std::size_t code_points(std::string_view text) {
  std::size_t n = 0;
  for (; !text.empty(); ++n) text.remove_prefix(code_point_bytes(text));
  return n;
}

bool is_one_of(char c, std::string_view all) { return c != 0 && all.find(c) != std::string_view::npos; }

[[noreturn]] void impossible(const char* what, const value& v) {
  throw value_error(std::string(what) + " is impossible for " + std::string(to_string(v.kind())));
}

// Digits in groups; zeros in front until there are at least `width` characters.
std::string grouped(std::string digits, std::size_t size, char separator, std::size_t width) {
  for (;; digits.insert(0, 1, '0')) {
    std::string result;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      if (separator && i > 0 && (digits.size() - i) % size == 0) result += separator;
      result += digits[i];
    }
    if (result.size() >= width) return result;
  }
}

std::string padded(std::string_view head, std::string_view body, const format_spec& s, char align) {
  const auto length = code_points(head) + code_points(body);
  const auto missing = s.width > length ? s.width - length : 0;
  const auto before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  const std::string_view fill = s.fill.empty() ? std::string_view(" ") : std::string_view(s.fill);
  std::string result;
  if (align == '=') result += head;
  for (std::size_t i = 0; i < before; ++i) result += fill;
  if (align != '=') result += head;
  result += body;
  for (std::size_t i = before; i < missing; ++i) result += fill;
  return result;
}

// A number from its sign and prefix, the digits before the point, and the rest.
std::string number_text(const format_spec& s, bool negative, std::string head, std::string digits,
                        std::string_view rest, std::size_t group) {
  head.insert(0, negative ? "-" : s.sign == '+' ? "+" : s.sign == ' ' ? " " : "");
  const char align = s.align ? s.align : '>';
  const bool zeros = s.fill == "0" && align == '=';
  const auto others = head.size() + rest.size();
  digits = grouped(std::move(digits), group, s.grouping, zeros && s.width > others ? s.width - others : 0);
  return padded(head, digits + std::string(rest), s, align);
}

std::string of_integer(std::int64_t i, const format_spec& s, const value& v) {
  if (s.precision) impossible("a precision", v);
  if (s.no_negative_zero) impossible("'z'", v);
  if (s.type == 'c') {
    if (s.sign || s.grouping || s.alternate) impossible("a sign, '#' or grouping of a character", v);
    if (i < 0 || i > 0x10FFFF) throw value_error(std::to_string(i) + " is no character");
    const auto c = static_cast<std::uint32_t>(i);
    std::string text;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else {
      const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      text += static_cast<char>((0xF00u >> more & 0xFFu) | c >> (6 * more));
      for (int k = more; k-- > 0;) text += static_cast<char>(0x80u | (c >> (6 * k) & 0x3Fu));
    }
    return padded("", text, s, s.align ? s.align : '>');
  }
  const int base = s.type == 'b' ? 2 : s.type == 'o' ? 8 : s.type == 'x' || s.type == 'X' ? 16 : 10;
  if ((base != 10 && s.grouping == ',') || (s.type == 'n' && s.grouping)) impossible("this grouping", v);
  const auto magnitude = detail::magnitude(i);
  char buffer[65];
  std::string digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
  std::string prefix;
  if (s.alternate && base != 10) prefix = std::string("0") + s.type;
  if (s.type == 'X')
    for (auto& c : digits) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return number_text(s, i < 0, prefix, digits, "", base == 10 ? 3 : 4);
}

std::string written(double x, std::chars_format format, int precision) {
  std::string text(static_cast<std::size_t>(precision) + 330, '\0');
  text.resize(static_cast<std::size_t>(std::to_chars(text.data(), text.data() + text.size(), x, format, precision).ptr -
                                       text.data()));
  return text;
}

// %g as Python writes it; `dot`: a number without an exponent gets a point. Digits: those of the mantissa.
std::string general(std::string scientific, int most_digits, bool dot, bool keep_zeros) {
  const auto e = scientific.find('e');
  const int exponent = std::atoi(scientific.c_str() + e + 1);
  std::string digits = scientific.substr(0, e);
  if (digits.size() > 1) digits.erase(1, 1); // the point
  if (!keep_zeros)
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (exponent < -4 || exponent >= most_digits - (dot ? 1 : 0)) {
    std::string text = digits.substr(0, 1);
    if (digits.size() > 1 || keep_zeros) text += "." + digits.substr(1);
    return text + scientific.substr(e);
  }
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() < whole) digits.append(whole - digits.size(), '0');
  std::string text = digits.substr(0, whole);
  if (digits.size() > whole || keep_zeros) return text + "." + digits.substr(whole);
  return dot ? text + ".0" : text;
}

// As Python's repr.
std::string shortest(double x) {
  char buffer[32];
  auto* end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::scientific).ptr;
  return general(std::string(buffer, end), 17, true, false); // an exponent from 1e16 on
}

std::string of_real(double x, const format_spec& s, const value& v) {
  if (s.type == 'n' && s.grouping) impossible("this grouping", v);
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(s.type)));
  const bool upper = s.type != 0 && s.type != lower;
  bool negative = std::signbit(x) && !std::isnan(x);
  double magnitude = std::fabs(x);
  const int precision = s.precision.value_or(6);
  std::string text;
  if (lower == '%') magnitude *= 100.0;
  if (!std::isfinite(magnitude))
    text = std::isnan(magnitude) ? "nan" : "inf";
  else if (lower == 'e')
    text = written(magnitude, std::chars_format::scientific, precision);
  else if (lower == 'f' || lower == '%')
    text = written(magnitude, std::chars_format::fixed, precision);
  else if (lower == 0 && !s.precision)
    text = shortest(magnitude);
  else
    text = general(written(magnitude, std::chars_format::scientific, std::max(precision, 1) - 1),
                   std::max(precision, 1), lower == 0, s.alternate);
  if (s.alternate && std::isfinite(magnitude) && text.find('.') == std::string::npos)
    text.insert(std::min(text.find('e'), text.size()), ".");
  if (s.no_negative_zero && text.find_first_of("123456789in") == std::string::npos) negative = false;
  if (lower == '%') text += '%';
  if (upper)
    for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (!std::isfinite(magnitude)) {
    auto plain = s;
    plain.grouping = 0; // there are no digits
    return number_text(plain, negative, "", text, "", 3);
  }
  const auto split = std::min(text.find_first_not_of("0123456789"), text.size());
  return number_text(s, negative, "", text.substr(0, split), std::string_view(text).substr(split), 3);
}

std::string of_text(std::string_view text, const format_spec& s, const value& v) {
  if (s.sign || s.alternate || s.grouping || s.no_negative_zero || s.align == '=')
    impossible("a sign, '#', '=' or grouping", v);
  if (s.precision) {
    std::size_t bytes = 0;
    for (int i = 0; i < *s.precision && bytes < text.size(); ++i) bytes += code_point_bytes(text.substr(bytes));
    text = text.substr(0, bytes);
  }
  return padded("", text, s, s.align ? s.align : '<');
}

} // namespace

format_spec::format_spec(std::string_view text) {
  const auto whole = text;
  const auto next = [&](std::string_view any) {
    if (text.empty() || !is_one_of(text[0], any)) return '\0';
    const char c = text[0];
    text.remove_prefix(1);
    return c;
  };
  const auto number = [&] {
    std::size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || n > k_most) throw value_error("\"" + std::string(whole) + "\" is no format");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return n;
  };
  constexpr std::string_view k_digits = "0123456789";
  if (!text.empty()) {
    const auto first = code_point_bytes(text);
    if (first < text.size() && is_one_of(text[first], "<>=^")) {
      fill = text.substr(0, first);
      text.remove_prefix(first);
    }
  }
  align = next("<>=^");
  sign = next("+- ");
  no_negative_zero = next("z") != 0;
  alternate = next("#") != 0;
  if (fill.empty() && !text.empty() && text[0] == '0') {
    fill = "0";
    text.remove_prefix(1);
    if (!align) align = '0'; // '=' for numbers, the usual one for text
  }
  if (!text.empty() && is_one_of(text[0], k_digits)) width = number();
  grouping = next(",_");
  if (next(".")) precision = static_cast<int>(number());
  type = next("bcdeEfFgGnosxX%");
  if (!text.empty()) throw value_error("\"" + std::string(whole) + "\" is no format");
}

std::string formatted(const value& v, std::string_view text) {
  if (text.empty()) {
    const bool real = v.kind() == value_kind::float64 && std::isfinite(v.real());
    return real ? (std::signbit(v.real()) ? "-" : "") + shortest(std::fabs(v.real())) : to_string(v);
  }
  format_spec s(text);
  if (s.align == '0') s.align = v.is_string() ? '\0' : '=';
  const bool whole = v.kind() == value_kind::int64 || v.kind() == value_kind::boolean;
  if (v.is_string() && (s.type == 0 || s.type == 's')) return of_text(v.to_string_view(), s, v);
  if (whole && (s.type == 0 || is_one_of(s.type, "bcdnoxX"))) return of_integer(v.integer(), s, v);
  if (v.is_scalar() && (s.type == 0 || is_one_of(s.type, "eEfFgGn%"))) return of_real(v.to_float64(), s, v);
  impossible(("the format \"" + std::string(text) + "\"").c_str(), v);
}

} // namespace treadle::tree

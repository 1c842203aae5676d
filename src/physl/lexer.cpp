#include "physl/lexer.hpp"

#include <charconv>
#include <cmath>

namespace treadle::physl {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string printable(char c) {
  if (c > 0x20 && c < 0x7f) return std::string("'") + c + "'";
  constexpr char k_digits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return std::string("byte 0x") + k_digits[byte >> 4] + k_digits[byte & 15];
}

int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

} // namespace

std::string describe(const token& t) {
  switch (t.kind) {
  case token_kind::end:
    return "end of input";
  case token_kind::identifier:
    return "identifier '" + std::string(t.text.substr(0, 60)) + "'";
  case token_kind::string:
    return "a string";
  default:
    return "'" + std::string(t.text.substr(0, 60)) + "'";
  }
}

void lexer::advance() noexcept {
  if (m_text[m_at++] == '\n') {
    ++m_where.line;
    m_where.column = 1;
  } else {
    ++m_where.column;
  }
}

void lexer::skip_blanks() {
  for (;;) {
    const char c = peek();
    if (at_end()) return;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      advance();
    } else if (c == '#' || (c == '/' && peek(1) == '/')) {
      while (!at_end() && peek() != '\n') advance();
    } else if (c == '/' && peek(1) == '*') {
      const auto opened = m_where;
      advance();
      advance();
      while (!(peek() == '*' && peek(1) == '/')) {
        if (at_end()) throw failure("comment '/*' is never closed", opened);
        advance();
      }
      advance();
      advance();
    } else {
      return;
    }
  }
}

token lexer::next() {
  skip_blanks();
  token t;
  t.where = m_where;
  if (at_end()) return t;
  const auto begin = m_at;
  const char c = peek();
  if (is_letter(c)) {
    read_identifier(t);
  } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
    read_number(t);
    t.text = m_text.substr(begin, m_at - begin);
  } else if (c == '"') {
    read_string(t);
    t.text = m_text.substr(begin, m_at - begin);
  } else {
    constexpr std::string_view k_pairs[] = {"||", "&&", "==", "!=", "<=", ">=", "'("};
    constexpr std::string_view k_single = "()[]{},+-*/%<>!";
    std::size_t length = k_single.find(c) != std::string_view::npos ? 1 : 0;
    for (auto pair : k_pairs)
      if (m_text.substr(m_at).starts_with(pair)) length = 2;
    if (length == 0) {
      std::string hint;
      if (c == '=') hint = ": assign with store(x, e), compare with ==";
      if (c == '&' || c == '|') hint = std::string(": did you mean '") + c + c + "'?";
      if (c == '\'') hint = ": strings take double quotes, lists are '(...)";
      throw failure("unexpected " + printable(c) + hint, m_where);
    }
    t.kind = token_kind::punctuation;
    t.text = m_text.substr(m_at, length);
    for (std::size_t i = 0; i < length; ++i) advance();
  }
  return t;
}

std::string_view lexer::attribute(place opened) {
  const auto begin = m_at;
  while (!at_end() && peek() != '}') advance();
  if (at_end()) throw failure("attribute '{' is never closed", opened);
  const auto text = m_text.substr(begin, m_at - begin);
  advance();
  return text;
}

void lexer::read_identifier(token& t) {
  const auto begin = m_at;
  while (is_letter(peek()) || is_digit(peek())) advance();
  t.kind = token_kind::identifier;
  t.text = m_text.substr(begin, m_at - begin);
  while (peek() == '$') {
    if (t.tag_count == 2) throw failure("an identifier takes at most two tags, name$line$column", m_where);
    advance();
    const auto digits = m_at;
    while (is_digit(peek())) advance();
    auto& tag = t.tags[t.tag_count++];
    if (digits == m_at || std::from_chars(m_text.data() + digits, m_text.data() + m_at, tag).ec != std::errc())
      throw failure("expected a number after '$'", m_where);
  }
}

void lexer::read_number(token& t) {
  const auto begin = m_at;
  t.kind = token_kind::integer;
  while (is_digit(peek())) advance();
  if (peek() == '.') {
    t.kind = token_kind::real;
    advance();
    while (is_digit(peek())) advance();
  }
  if (peek() == 'e' || peek() == 'E') {
    t.kind = token_kind::real;
    advance();
    if (peek() == '+' || peek() == '-') advance();
    if (!is_digit(peek())) throw failure("the exponent of a number has no digits", t.where);
    while (is_digit(peek())) advance();
  }
  if (is_letter(peek()) || peek() == '.') throw failure("malformed number", t.where);
  const char *first = m_text.data() + begin, *last = m_text.data() + m_at;
  if (t.kind == token_kind::real) {
    // A value too small for a double is zero, one too large is an error; from_chars reports both alike.
    const auto result = std::from_chars(first, last, t.real);
    if (result.ec != std::errc()) {
      const auto exponent = std::string_view(first, last).find_first_of("eE");
      const bool tiny = exponent != std::string_view::npos && first[exponent + 1] == '-';
      if (!tiny) throw failure("number out of the range of float64", t.where);
      t.real = 0.0;
    }
  } else if (std::from_chars(first, last, t.integer).ec != std::errc() || t.integer > std::uint64_t(1) << 63) {
    throw failure("integer out of the range of int64", t.where);
  }
}

void lexer::read_string(token& t) {
  t.kind = token_kind::string;
  advance();
  while (peek() != '"') {
    if (at_end()) throw failure("string is never closed", t.where);
    if (peek() != '\\') {
      t.string += peek();
      advance();
      continue;
    }
    const auto where = m_where;
    advance();
    constexpr std::string_view k_escapes = "abfnrtv\\'\"", k_meaning = "\a\b\f\n\r\t\v\\'\"";
    if (at_end()) throw failure("string is never closed", t.where);
    if (const auto at = k_escapes.find(peek()); at != std::string_view::npos) {
      t.string += k_meaning[at];
      advance();
    } else if (peek() == 'x' && hex_value(peek(1)) >= 0 && hex_value(peek(2)) >= 0) {
      t.string += static_cast<char>(hex_value(peek(1)) * 16 + hex_value(peek(2)));
      for (int i = 0; i < 3; ++i) advance();
    } else {
      throw failure("unknown escape in a string: use \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" or \\xHH", where);
    }
  }
  advance();
}

} // namespace treadle::physl

// PhySL text -> tokens.
#pragma once

#include "physl/failure.hpp"

#include <array>
#include <string>
#include <string_view>

namespace treadle::physl {

enum class token_kind : std::uint8_t { end, identifier, integer, real, string, punctuation };

struct token {
  token_kind kind = token_kind::end;
  place where;
  std::string_view text;              // of the token as written; identifiers without their tags
  std::uint64_t integer = 0;          // magnitude of an integer literal
  double real = 0.0;                  // value of a real literal
  std::string string;                 // contents of a string literal
  std::array<std::int64_t, 2> tags{}; // of an identifier: name$a$b
  std::uint8_t tag_count = 0;

  bool is(std::string_view punctuation) const noexcept {
    return kind == token_kind::punctuation && text == punctuation;
  }
};

std::string describe(const token& t); // for messages: "end of input", "identifier 'x'", "','", ...

// Hands out one token at a time; throws failure on malformed text. Comments are /* */, // and #.
class lexer {
 public:
  explicit lexer(std::string_view text) noexcept : m_text(text) {}

  token next();
  // After an opening brace was returned: the raw text up to the closing one, which is consumed.
  std::string_view attribute(place opened);

 private:
  char peek(std::size_t ahead = 0) const noexcept { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
  bool at_end() const noexcept { return m_at >= m_text.size(); }
  void advance() noexcept;
  void skip_blanks();
  void read_identifier(token& t);
  void read_number(token& t);
  void read_string(token& t);

  std::string_view m_text;
  std::size_t m_at = 0;
  place m_where{1, 1};
};

} // namespace treadle::physl

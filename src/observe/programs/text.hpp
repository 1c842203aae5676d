#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace treadle::detail {

/// As much of it as fits in front of a zero; not the first bytes alone of a character of UTF-8.
template <std::size_t N>
void copy_text(std::string_view text, char (&to)[N]) noexcept {
  std::size_t size = text.size() < N ? text.size() : N - 1;
  if (size < text.size())
    while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  for (std::size_t i = 0; i < N; ++i) to[i] = i < size ? text[i] : '\0';
}

/// What came from another process: the zero may be missing.
template <std::size_t N>
std::string text_of(const char (&from)[N]) {
  std::size_t size = 0;
  while (size < N && from[size] != '\0') ++size;
  return std::string(from, size);
}

} // namespace treadle::detail

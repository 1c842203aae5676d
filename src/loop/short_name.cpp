#include "loop/short_name.hpp"

namespace treadle::loop {
namespace {

constexpr int k_deepest = 3;

/// With "..." for what lies in more brackets than that.
std::string flattened(std::string_view name, int depth) {
  constexpr std::string_view k_opening = "([{<", k_closing = ")]}>";
  std::string text;
  int here = 0;
  char before = ' ';
  bool is_left_out = false;
  for (const char c : name) {
    const bool is_arrow = c == '>' && before == '-';
    before = c;
    if (k_closing.find(c) != k_closing.npos && !is_arrow && here > 0) --here;
    if (here <= depth)
      text += c;
    else if (!is_left_out)
      text += "...";
    is_left_out = here > depth;
    if (k_opening.find(c) != k_opening.npos) ++here;
  }
  return text;
}

} // namespace

std::string short_name(std::string_view name, std::size_t most) {
  std::string text(name);
  for (int depth = k_deepest; text.size() > most && depth >= 0; --depth) text = flattened(name, depth);
  if (text.size() <= most) return text;
  std::size_t start = text.size() - (most - 3);
  while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xc0u) == 0x80)
    ++start; // within a character
  return "..." + text.substr(start);
}

} // namespace treadle::loop

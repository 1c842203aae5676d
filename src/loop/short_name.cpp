#include "loop/short_name.hpp"

namespace treadle::loop {
namespace {

constexpr int k_deepest = 3;
constexpr std::string_view k_opening = "([{<", k_closing = ")]}>";

/// Not the end of an arrow.
bool closes(std::string_view name, std::size_t i) {
  return k_closing.find(name[i]) != name.npos && (name[i] != '>' || i == 0 || name[i - 1] != '-');
}

/// With "..." for what lies in more brackets than that.
std::string flattened(std::string_view name, int depth) {
  std::string text;
  int here = 0;
  bool is_left_out = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (closes(name, i) && here > 0) --here;
    if (here <= depth)
      text += c;
    else if (!is_left_out)
      text += "...";
    is_left_out = here > depth;
    if (k_opening.find(c) != k_opening.npos) ++here;
  }
  return text;
}

/// The end of what begins with a bracket at `open`; npos when it has none.
std::size_t closing(std::string_view name, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < name.size(); ++i) {
    if (k_opening.find(name[i]) != name.npos) ++depth;
    if (closes(name, i) && --depth == 0) return i;
  }
  return name.npos;
}

/// "for_loop_algorithm<..., smooth()::<lambda(int)>>": a template is called what its last argument says, because that
/// is the program's function; empty when there is none.
std::string by_last_argument(std::string_view name, std::size_t most) {
  const std::size_t open = name.find('<');
  if (open == 0 || open == name.npos || name[open - 1] == ':') return {}; // of a lambda
  const std::size_t close = closing(name, open);
  if (close == name.npos) return {};
  std::size_t last = open + 1, depth = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (k_opening.find(name[i]) != name.npos) ++depth;
    if (closes(name, i)) --depth;
    if (name[i] == ',' && depth == 0) last = i + 1;
  }
  if (last == open + 1) return {};
  std::string_view head = name.substr(0, open), argument = name.substr(last, close - last);
  constexpr std::string_view k_call = "::operator()";
  if (head.ends_with(k_call)) head.remove_suffix(k_call.size());
  while (argument.starts_with(' ')) argument.remove_prefix(1);
  while (argument.ends_with(' ')) argument.remove_suffix(1);
  const std::size_t number = name.rfind(" #");
  for (int deep = k_deepest; deep > 0; --deep) {
    std::string text = std::string(head) + "<..., " + flattened(argument, deep) + ">";
    if (number != name.npos && number > close) text += name.substr(number);
    if (text.size() <= most) return text;
  }
  return {};
}

} // namespace

std::string short_name(std::string_view name, std::size_t most) {
  std::string text(name);
  if (text.size() <= most) return text;
  if (std::string called = by_last_argument(name, most); !called.empty()) return called;
  for (int depth = k_deepest; text.size() > most && depth >= 0; --depth) text = flattened(name, depth);
  if (text.size() <= most) return text;
  std::size_t start = text.size() - (most - 3);
  while (start < text.size() && (static_cast<unsigned char>(text[start]) & 0xc0u) == 0x80)
    ++start; // within a character
  return "..." + text.substr(start);
}

} // namespace treadle::loop

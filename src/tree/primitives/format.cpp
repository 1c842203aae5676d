// format(text, ...) as Python's str.format: {} or {0}, each with a specification after a colon; {{ and }} are braces.
#include "tree/kernels/format_spec.hpp"
#include "tree/nodes/primitive.hpp"

#include <charconv>

namespace treadle::tree {
namespace {

class fields {
 public:
  fields(std::string_view pattern, std::span<const value> values) : m_pattern(pattern), m_values(values) {}

  std::string expand(std::string_view text, int depth) {
    std::string result;
    while (!text.empty()) {
      const char c = text[0];
      if (c != '{' && c != '}') {
        const auto plain = text.substr(0, text.find_first_of("{}"));
        result += plain;
        text.remove_prefix(plain.size());
      } else if (text.size() > 1 && text[1] == c && depth == 0) {
        result += c;
        text.remove_prefix(2);
      } else if (c == '}') {
        fail("a single } stands");
      } else {
        const auto length = field_length(text);
        result += field(text.substr(1, length - 2), depth);
        text.remove_prefix(length);
      }
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw value_error(what + " in " + repr(value(m_pattern))); }

  std::size_t field_length(std::string_view text) const { // with both braces
    std::size_t open = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '{') ++open;
      if (text[i] == '}' && --open == 0) return i + 1;
    }
    fail("a { is not closed");
  }

  std::string field(std::string_view text, int depth) {
    if (depth > 1) fail("fields are nested too deeply");
    const auto colon = text.find(':');
    const auto& v = m_values[index(text.substr(0, colon))];
    const auto spec = colon == std::string_view::npos ? std::string() : expand(text.substr(colon + 1), depth + 1);
    return formatted(v, spec);
  }

  std::size_t index(std::string_view name) {
    std::size_t i = 0;
    if (name.empty()) {
      i = m_next++;
    } else {
      const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), i);
      if (error != std::errc() || end != name.data() + name.size())
        fail("only a number may name an argument, not \"" + std::string(name) + "\",");
      m_numbered = true;
    }
    if (m_numbered && m_next > 0) fail("numbered fields stand beside others");
    if (i >= m_values.size()) fail("more {} than arguments");
    return i;
  }

  std::string_view m_pattern;
  std::span<const value> m_values;
  std::size_t m_next = 0;
  bool m_numbered = false;
};

value format(call_context&, std::span<value> args) {
  const auto pattern = args[0].to_string_view();
  return fields(pattern, args.subspan(1)).expand(pattern, 0);
}

} // namespace

std::span<const primitive> format_primitives() {
  static constexpr primitive k_table[] = {{"format", "text, ...", format}};
  return k_table;
}

} // namespace treadle::tree

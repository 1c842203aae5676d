#include "observe/counter_name.hpp"

#include <algorithm>
#include <stdexcept>

#include <fnmatch.h>

namespace treadle::detail {
namespace {

constexpr std::string_view k_word = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.: ";
constexpr std::string_view k_wildcards = "*?[";

class name_parser {
 public:
  explicit name_parser(std::string_view text) : m_text(text) {}

  counter_name parse() {
    counter_name name = parse_name(0);
    if (m_at != m_text.size()) fail("unexpected '" + std::string(1, m_text[m_at]) + "'");
    return name;
  }

 private:
  static constexpr int k_nesting_max = 16; // of statistics about statistics

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument("counter name, column " + std::to_string(m_at + 1) + ": " + why + "\n  " +
                                std::string(m_text) + "\n  " + std::string(m_at, ' ') + "^");
  }

  bool next_is(char c) const { return m_at < m_text.size() && m_text[m_at] == c; }

  void expect(char c, const char* before) {
    if (!next_is(c)) fail(std::string("expected '") + c + "' before " + before);
    ++m_at;
  }

  std::string parse_word(const char* what) {
    const std::size_t end = std::min(m_text.find_first_not_of(k_word, m_at), m_text.size());
    if (end == m_at) fail(std::string("expected ") + what);
    return take(end);
  }

  std::string parse_pattern(const char* what) {
    const std::size_t begin = m_at;
    while (m_at < m_text.size()) {
      if (m_text[m_at] == '[') {
        const std::size_t close = m_text.find(']', m_at);
        if (close == m_text.npos) fail("this '[' is never closed");
        m_at = close + 1;
      } else if (k_word.find(m_text[m_at]) != k_word.npos || k_wildcards.find(m_text[m_at]) != k_wildcards.npos) {
        ++m_at;
      } else {
        break;
      }
    }
    if (m_at == begin) fail(std::string("expected ") + what);
    return std::string(m_text.substr(begin, m_at - begin));
  }

  /// Of parameters that may hold names with braces of their own.
  std::size_t end_of_nested() const {
    std::size_t end = m_at;
    for (int open = 0; end < m_text.size(); ++end) {
      if (m_text[end] == '{') ++open;
      if (m_text[end] == '}' && open-- == 0) break;
    }
    return end;
  }

  std::string take(std::size_t end) {
    std::string taken(m_text.substr(m_at, end - m_at));
    m_at = end;
    return taken;
  }

  counter_name parse_name(int nesting) {
    if (nesting == k_nesting_max) fail("names are nested too deep here");
    counter_name name;
    expect('/', "the object, as in /threads/idle-rate");
    name.object = parse_pattern("an object, as in /threads/idle-rate");
    if (next_is('{')) {
      const std::size_t open = m_at++;
      if (next_is('/'))
        name.base.push_back(parse_name(nesting + 1));
      else
        name.instance = parse_instance();
      if (m_at == m_text.size()) {
        m_at = open;
        fail("this '{' is never closed");
      }
      if (!next_is('}')) fail("expected '}' or '/'");
      ++m_at;
    }
    expect('/', "the counter, as in /threads/idle-rate");
    name.counter = parse_pattern("a counter, as in /threads/idle-rate");
    while (next_is('/')) {
      ++m_at;
      name.counter += "/" + parse_pattern("more of the counter behind '/'");
    }
    if (next_is('@')) {
      ++m_at;
      name.parameters = take(nesting == 0 ? m_text.size() : end_of_nested());
      if (name.parameters.empty()) fail("expected parameters behind '@'");
    }
    return name;
  }

  std::vector<counter_name::part> parse_instance() {
    std::vector<counter_name::part> parts;
    for (;;) {
      counter_name::part one{parse_word("an instance, as in {locality#0/total}"), {}, false};
      if (next_is('#')) {
        ++m_at;
        one.has_index = true;
        one.index = next_is('*') ? take(m_at + 1) : parse_word("a number, a name or '*' behind '#'");
      }
      parts.push_back(std::move(one));
      if (!next_is('/')) return parts;
      ++m_at;
    }
  }

  std::string_view m_text;
  std::size_t m_at = 0;
};

bool has_wildcard(const std::string& text) { return text.find_first_of(k_wildcards) != text.npos; }

} // namespace

counter_name counter_name::parse(std::string_view text) { return name_parser(text).parse(); }

std::string counter_name::instance_text() const {
  if (!base.empty()) return base.front().text();
  std::string text;
  for (const part& one : instance) {
    if (!text.empty()) text += '/';
    text += one.name;
    if (one.has_index) text += '#' + one.index;
  }
  return text;
}

std::string counter_name::text() const {
  const std::string inside = instance_text();
  return '/' + object + (inside.empty() ? "" : '{' + inside + '}') + '/' + counter +
         (parameters.empty() ? "" : '@' + parameters);
}

bool counter_name::is_pattern() const {
  return has_wildcard(object) || has_wildcard(counter) ||
         std::any_of(instance.begin(), instance.end(), [](const part& one) { return one.index == "*"; }) ||
         (!base.empty() && base.front().is_pattern());
}

bool matches_pattern(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

bool matches_instance(const std::vector<counter_name::part>& pattern, const std::vector<counter_name::part>& instance) {
  return std::equal(pattern.begin(), pattern.end(), instance.begin(), instance.end(),
                    [](const counter_name::part& p, const counter_name::part& one) {
                      return p.name == one.name && p.has_index == one.has_index &&
                             (p.index == "*" || p.index == one.index);
                    });
}

} // namespace treadle::detail

#include "observe/trace/recorded_graph.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace treadle::detail {
namespace {

constexpr std::string_view k_magic = "treadle-tasks", k_version = "1";
constexpr std::string_view k_sorts[] = {"task", "fork", "call", "join", "thread"};

void append(std::string& text, std::initializer_list<std::int64_t> numbers) {
  for (const std::int64_t one : numbers) text += ' ' + std::to_string(one);
  text += '\n';
}

/// Reads a file line by line; what is wrong is said with its place.
class parser {
 public:
  parser(std::string_view text, const std::string& name) : m_text(text), m_name(name) {}

  recorded_graph parse() {
    if (!next_line() || word() != k_magic) fail("is no recording of tasks: expected 'treadle-tasks' at the beginning");
    if (const std::string_view version = word(); version != k_version)
      fail("has version '" + std::string(version) + "', this program reads version " + std::string(k_version));
    m_graph.dropped = static_cast<std::uint64_t>(number("dropped", 0));
    m_graph.unknown = static_cast<std::uint64_t>(number("unknown", 0));
    m_graph.span_ns = number("span", 0);
    end_line();
    while (next_line()) {
      const std::string_view what = word();
      if (what == "site")
        m_graph.sites.emplace_back(rest());
      else if (what == "node")
        node();
      else if (what == "input")
        input();
      else if (what == "wait")
        wait();
      else if (what == "end")
        return finish();
      else
        fail("expected site, node, input, wait or end, got '" + std::string(what) + "'");
    }
    fail("is cut short: there is no line 'end'");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::invalid_argument(m_name + ":" + std::to_string(m_number) + ": " + what);
  }
  bool next_line() {
    if (m_text.empty()) return false;
    ++m_number;
    const std::size_t end = m_text.find('\n');
    m_line = m_text.substr(0, end);
    m_text.remove_prefix(end == m_text.npos ? m_text.size() : end + 1);
    if (end == m_text.npos) fail("is cut short in the middle of a line");
    return true;
  }
  std::string_view rest() {
    if (m_line.starts_with(' ')) m_line.remove_prefix(1);
    return std::exchange(m_line, {});
  }
  std::string_view word() {
    if (m_line.starts_with(' ')) m_line.remove_prefix(1);
    const std::string_view found = m_line.substr(0, m_line.find(' '));
    m_line.remove_prefix(found.size());
    return found;
  }
  std::int64_t number(const char* what, std::int64_t least) {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      fail("expected a number (" + std::string(what) + "), got '" + std::string(text) + "'");
    if (value < least) fail(std::string(what) + " is " + std::to_string(value) + ", below " + std::to_string(least));
    return value;
  }
  int small(const char* what, std::int64_t least) {
    const std::int64_t value = number(what, least);
    if (value > INT32_MAX) fail(std::string(what) + " is " + std::to_string(value) + ", which is too much");
    return static_cast<int>(value);
  }
  void end_line() const {
    if (!m_line.empty()) fail("expected the end of the line, got '" + std::string(m_line) + "'");
  }

  void node() {
    recorded_graph::node one;
    if (small("number", 0) != static_cast<int>(m_graph.nodes.size()))
      fail("nodes are numbered from 0 on; expected " + std::to_string(m_graph.nodes.size()));
    const std::string_view sort = word();
    const auto* known = std::find(std::begin(k_sorts), std::end(k_sorts), sort);
    if (known == std::end(k_sorts)) fail("expected task, fork, call, join or thread, got '" + std::string(sort) + "'");
    one.how = static_cast<recorded_graph::sort>(known - k_sorts);
    one.site = small("site", 0);
    if (one.site >= static_cast<int>(m_graph.sites.size())) fail("there is no site " + std::to_string(one.site));
    one.parent = small("parent", -1);
    one.nth = small("nth", 0);
    one.at_ns = number("at", 0);
    one.created_ns = number("created", 0);
    one.ready_ns = number("ready", 0);
    one.start_ns = number("start", 0);
    one.end_ns = number("end", 0);
    one.own_ns = number("own duration", 0);
    one.worker = small("worker", -1);
    one.bytes = number("bytes", 0);
    one.home = small("home", -1);
    end_line();
    if (one.end_ns < one.start_ns) fail("it ends before it starts");
    m_graph.nodes.push_back(one);
    m_lines.push_back(m_number);
  }
  void input() {
    recorded_graph::edge one{known_node("node"), known_node("input")};
    end_line();
    if (one.node == one.input) fail("node " + std::to_string(one.node) + " depends on itself");
    m_graph.inputs.push_back(one);
  }
  void wait() {
    recorded_graph::wait one{};
    one.node = known_node("node");
    one.waited = known_node("what it waits for");
    one.nth = small("nth", 0);
    one.at_ns = number("at", 0);
    end_line();
    const auto& waiting = m_graph.nodes[static_cast<std::size_t>(one.node)];
    if (waiting.how == recorded_graph::sort::join) fail("a join waits for its inputs only");
    if (one.at_ns > waiting.own_ns) fail("it waits after its end");
    m_graph.waits.push_back(one);
  }
  int known_node(const char* what) {
    const int found = small(what, 0);
    if (found >= static_cast<int>(m_graph.nodes.size())) fail("there is no node " + std::to_string(found));
    return found;
  }
  recorded_graph finish() {
    const auto expect = [&](const char* what, std::size_t found) {
      if (const std::int64_t said = number(what, 0); said != static_cast<std::int64_t>(found))
        fail("is not whole: " + std::to_string(said) + " " + what + " were written, " + std::to_string(found) +
             " are there");
    };
    expect("nodes", m_graph.nodes.size());
    expect("inputs", m_graph.inputs.size());
    expect("waits", m_graph.waits.size());
    end_line();
    if (next_line()) fail("something stands behind the end");
    for (std::size_t i = 0; i < m_graph.nodes.size(); ++i) {
      const recorded_graph::node& one = m_graph.nodes[i];
      m_number = m_lines[i];
      if (one.parent >= static_cast<int>(m_graph.nodes.size())) fail("there is no node " + std::to_string(one.parent));
      if (one.parent == static_cast<int>(i)) fail("it made itself");
      if (one.parent < 0) continue;
      const recorded_graph::node& parent = m_graph.nodes[static_cast<std::size_t>(one.parent)];
      if (parent.how == recorded_graph::sort::join) fail("a join makes nothing");
      if (one.at_ns > parent.own_ns) fail("its parent made it after its end");
    }
    return std::move(m_graph);
  }

  std::string_view m_text, m_line;
  const std::string& m_name;
  std::size_t m_number = 0;
  recorded_graph m_graph;
  std::vector<std::size_t> m_lines; // of the nodes
};

} // namespace

int recorded_graph::site(std::string_view name) {
  const auto found = std::find(sites.begin(), sites.end(), name);
  if (found != sites.end()) return static_cast<int>(found - sites.begin());
  sites.emplace_back(name);
  return static_cast<int>(sites.size() - 1);
}

std::string write_graph(const recorded_graph& graph) {
  std::string text = std::string(k_magic) + ' ' + std::string(k_version);
  append(text, {static_cast<std::int64_t>(graph.dropped), static_cast<std::int64_t>(graph.unknown), graph.span_ns});
  for (const std::string& name : graph.sites) {
    text += "site ";
    for (const char c : name) text += c == '\n' ? ' ' : c;
    text += '\n';
  }
  std::int64_t number = 0;
  for (const recorded_graph::node& one : graph.nodes) {
    text += "node " + std::to_string(number++) + ' ' + std::string(k_sorts[static_cast<std::size_t>(one.how)]);
    append(text, {one.site, one.parent, one.nth, one.at_ns, one.created_ns, one.ready_ns, one.start_ns, one.end_ns,
                  one.own_ns, one.worker, one.bytes, one.home});
  }
  for (const recorded_graph::edge& one : graph.inputs) {
    text += "input";
    append(text, {one.node, one.input});
  }
  for (const recorded_graph::wait& one : graph.waits) {
    text += "wait";
    append(text, {one.node, one.waited, one.nth, one.at_ns});
  }
  text += "end";
  append(text, {static_cast<std::int64_t>(graph.nodes.size()), static_cast<std::int64_t>(graph.inputs.size()),
                static_cast<std::int64_t>(graph.waits.size())});
  return text;
}

recorded_graph parse_graph(std::string_view text, const std::string& name) { return parser(text, name).parse(); }

recorded_graph read_graph(const std::string& file) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"), std::fclose);
  std::string text;
  char block[1 << 16];
  for (std::size_t got = 1; in && got > 0;) {
    got = std::fread(block, 1, sizeof block, in.get());
    text.append(block, got);
  }
  if (!in || std::ferror(in.get()))
    throw std::system_error(errno, std::generic_category(), "cannot read the recording '" + file + "'");
  return parse_graph(text, file);
}

} // namespace treadle::detail

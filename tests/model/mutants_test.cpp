// Every memory order of the explored protocols, weakened by one step, and every fence, removed: each must make some
// scenario fail. Where none does, the comment at the operation says "stronger than needed", or "beyond the model" when
// it prevents what the explorer does not explore.
#include "model/check/mutant.hpp"
#include "model/check/source.hpp"
#include "model/protocols.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace treadle::check {
namespace {

/// True when a comment in the same line, or in the lines of nothing but comment above it, says so.
bool is_declared(const order_site& site) {
  const auto says_so = [&](unsigned line) {
    const std::string& text = source_line(site.file, line);
    return text.find("tronger than needed") != std::string::npos || text.find("eyond the model") != std::string::npos;
  };
  if (says_so(site.line)) return true;
  for (unsigned line = site.line - 1; source_line(site.file, line).starts_with("//"); --line) {
    if (says_so(line)) return true;
  }
  return false;
}

using reaching = std::map<order_site, std::vector<const scenario*>>;

/// Which scenarios come to each place; made once.
const reaching& reached() {
  static const std::vector<scenario> all = all_scenarios();
  static const reaching found = [] {
    reaching by;
    for (const scenario& s : all) {
      recording places;
      explore(s.name, s.program, {.depth_first = 2'000, .random = 200});
      for (const order_site& site : places.sites()) by[site].push_back(&s);
    }
    return by;
  }();
  return found;
}

TEST(mutants, each_is_killed_or_declared) {
  const reaching& reached_by = reached();
  unsigned killed = 0, survived = 0;
  for (const auto& [site, scenarios] : reached_by) {
    bool all_killed = true;
    for (const mutant& m : weaken(site)) {
      const std::vector one{m};
      const planted here(one);
      const char* killer = nullptr;
      std::string how;
      for (const scenario* s : scenarios) {
        const result r = explore(s->name, s->program, {.depth_first = 10'000, .random = 3'000});
        if (!r.failure) continue;
        killer = s->name;
        how = *r.failure + " (execution " + std::to_string(r.executions) + ")";
        break;
      }
      killer ? ++killed : ++survived;
      std::printf("%-9s %-75s %s%s%s\n", killer ? "killed" : "SURVIVED", describe(m).c_str(), killer ? killer : "",
                  killer ? ": " : "", how.c_str());
      if (killer) continue;
      all_killed = false;
      EXPECT_TRUE(is_declared(site)) << describe(m) << " survived, and its comment does not say why";
    }
    if (all_killed && site.named != order::relaxed) {
      EXPECT_FALSE(is_declared(site)) << describe({site, site.named}) << " is declared, but without it something fails";
    }
  }
  std::printf("%u mutants killed, %u survived\n", killed, survived);
}

/// The text of a line without its comment.
std::string code_of(const std::string& line) { return line.substr(0, line.find("//")); }

bool ends_statement(const std::string& line) {
  const std::string code = code_of(line);
  const auto last = code.find_last_not_of(' ');
  return last == std::string::npos || code[last] == ';' || code[last] == '{' || code[last] == '}' || code[last] == ':';
}

/// Where the statement that a line belongs to begins.
unsigned begin_of_statement(const std::string& file, unsigned line) {
  while (line > 1 && !ends_statement(source_line(file, line - 1))) --line;
  return line;
}

/// How many statements of the file order memory and are reached by no scenario; those with a comment that declares them
/// do not count.
unsigned unexplored_in(const std::string& file, const std::set<std::pair<std::string, unsigned>>& lines_reached) {
  static const std::regex ordered(
      R"((order::|memory_order_)(acquire|release|acq_rel|seq_cst)|(light|heavy)_fence\(\);)");
  std::set<unsigned> statements;
  std::ifstream in(file);
  unsigned line = 0;
  for (std::string text; std::getline(in, text);) {
    ++line;
    if (!std::regex_search(code_of(text), ordered)) continue;
    const unsigned begin = begin_of_statement(file, line);
    bool is_known = false;
    for (unsigned one = begin; one <= line; ++one) is_known |= lines_reached.contains({short_name(file), one});
    if (!is_known && !is_declared({.file = file, .line = begin, .column = 0, .what = {}, .named = {}}))
      statements.insert(begin);
  }
  return static_cast<unsigned>(statements.size());
}

/// The table of docs/design/model-checking.md that has them: `file` | number | why.
std::map<std::string, unsigned> excused(const std::filesystem::path& page) {
  std::map<std::string, unsigned> found;
  std::ifstream in(page);
  const std::regex row(R"(\| `([^`]+\.[ch]pp)` \| (\d+) \| .{10,} \|)");
  for (std::string text; std::getline(in, text);) {
    std::smatch parts;
    if (std::regex_match(text, parts, row)) found[parts[1]] = static_cast<unsigned>(std::stoul(parts[2]));
  }
  return found;
}

/// A scan of the sources: every operation that orders memory is reached by a scenario, and so mutated above, or the
/// page on model tests says why it is not.
TEST(mutants, what_no_scenario_reaches_is_excused_in_writing) {
  std::set<std::pair<std::string, unsigned>> lines_reached;
  for (const auto& [site, scenarios] : reached()) lines_reached.insert({short_name(site.file), site.line});
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  if (!std::filesystem::exists(root / "src")) GTEST_SKIP() << "the sources are not here";
  std::map<std::string, unsigned> unexplored;
  for (const char* folder : {"src", "include"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename().string();
      if ((!name.ends_with(".cpp") && !name.ends_with(".hpp")) || name.find("_test") != std::string::npos) continue;
      if (const unsigned count = unexplored_in(entry.path().string(), lines_reached))
        unexplored[short_name(entry.path().string())] = count;
    }
  }
  const auto written = excused(root / "docs" / "design" / "model-checking.md");
  for (const auto& [file, count] : unexplored)
    EXPECT_TRUE(written.contains(file) && written.at(file) == count) << file << ": " << count << " are not reached";
  for (const auto& [file, count] : written) EXPECT_TRUE(unexplored.contains(file)) << file << ": all are reached";
}

} // namespace
} // namespace treadle::check

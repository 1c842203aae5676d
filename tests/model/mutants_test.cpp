// Every memory order of the explored protocols, weakened by one step, and every fence, removed: each must make some
// scenario fail. Where none does, the comment at the operation says "stronger than needed" and why it stays so.
#include "model/check/mutant.hpp"
#include "model/check/source.hpp"
#include "model/protocols.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace treadle::check {
namespace {

/// True when a comment in the same line, or in the lines of nothing but comment above it, says so.
bool is_declared_strong(const order_site& site) {
  const auto says_so = [&](unsigned line) {
    return source_line(site.file, line).find("stronger than needed") != std::string::npos;
  };
  if (says_so(site.line)) return true;
  for (unsigned line = site.line - 1; source_line(site.file, line).starts_with("//"); --line) {
    if (says_so(line)) return true;
  }
  return false;
}

TEST(mutants, each_is_killed_or_declared) {
  const std::vector<scenario> all = all_scenarios();
  std::map<order_site, std::vector<const scenario*>> reached_by;
  for (const scenario& s : all) {
    recording places;
    explore(s.name, s.program, {.depth_first = 2'000, .random = 200});
    for (const order_site& site : places.sites()) reached_by[site].push_back(&s);
  }
  unsigned killed = 0, survived = 0;
  for (const auto& [site, scenarios] : reached_by) {
    for (const mutant& m : weaken(site)) {
      const planted here(m);
      const char* killer = nullptr;
      std::string how;
      for (const scenario* s : scenarios) {
        const result r = explore(s->name, s->program, s->most);
        if (!r.failure) continue;
        killer = s->name;
        how = *r.failure + " (execution " + std::to_string(r.executions) + ")";
        break;
      }
      killer ? ++killed : ++survived;
      std::printf("%-9s %-75s %s%s%s\n", killer ? "killed" : "SURVIVED", describe(m).c_str(), killer ? killer : "",
                  killer ? ": " : "", how.c_str());
      if (killer)
        EXPECT_FALSE(is_declared_strong(site)) << describe(m) << " is declared stronger than needed, but needed";
      else
        EXPECT_TRUE(is_declared_strong(site)) << describe(m) << " survived, and its comment does not say why";
    }
  }
  std::printf("%u mutants killed, %u survived\n", killed, survived);
}

} // namespace
} // namespace treadle::check

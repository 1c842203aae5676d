// Every memory order of the explored protocols, weakened by one step, and every fence, removed: each must make some
// scenario fail. Where none does, the comment at the operation says "stronger than needed", or "beyond the model" when
// it prevents what the explorer does not explore.
#include "model/check/mutant.hpp"
#include "model/check/source.hpp"
#include "model/protocols.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

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

} // namespace
} // namespace treadle::check

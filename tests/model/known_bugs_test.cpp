// Bugs that published code had, planted into ours: a checker that does not find them is no evidence.
#include "model/check/mutant.hpp"
#include "model/check/source.hpp"
#include "model/protocols.hpp"

#include <gtest/gtest.h>

namespace treadle::check {
namespace {

/// The mutants of all places in `file` that `wanted` selects.
template <class Wanted>
std::vector<mutant> mutants_in(const std::vector<scenario>& scenarios, const std::string& file, const Wanted& wanted) {
  recording places;
  for (const scenario& s : scenarios) explore(s.name, s.program, {.depth_first = 2'000, .random = 200});
  std::vector<mutant> found;
  for (const order_site& site : places.sites()) {
    if (!site.file.ends_with(file) || !wanted(site)) continue;
    for (const mutant& m : weaken(site)) found.push_back(m);
  }
  return found;
}

std::string first_failure(const std::vector<scenario>& scenarios, const std::vector<mutant>& mutants) {
  const planted here(mutants);
  for (const scenario& s : scenarios) {
    if (const result r = explore(s.name, s.program, s.most); r.failure) return r.report;
  }
  return {};
}

// Lê et al., PPoPP 2013: the grown buffer is published, or read, with a relaxed operation. Found by CDSChecker (Norris
// and Demsky, OOPSLA 2013).
TEST(known_bugs, deque_publishes_the_grown_buffer_relaxed) {
  const auto scenarios = deque_scenarios();
  const auto buffer_pointer = mutants_in(scenarios, "deque.hpp", [](const order_site& site) {
    return source_line(site.file, site.line).find("m_buffer.") != std::string::npos;
  });
  ASSERT_EQ(buffer_pointer.size(), 2u); // the store in grow(), the load in steal()
  for (const mutant& m : buffer_pointer) {
    EXPECT_NE(first_failure(scenarios, {m}).find("construction is not visible"), std::string::npos) << describe(m);
  }
  EXPECT_NE(first_failure(scenarios, buffer_pointer), "");
}

// Jobs run twice on machines with weak memory: owner and thief both take the last item.
TEST(known_bugs, deque_without_sequential_consistency) {
  const auto scenarios = deque_scenarios();
  const auto all =
      mutants_in(scenarios, "deque.hpp", [](const order_site& site) { return site.named == order::seq_cst; });
  ASSERT_EQ(all.size(), 6u);
  EXPECT_NE(first_failure(scenarios, all), "");
  // The exchanges and the thief's load of top stand in for each other: without all three it breaks, too.
  std::vector<mutant> three;
  for (const mutant& m : all) {
    const std::string& line = source_line(m.site.file, m.site.line);
    if (line.find("m_top.") != std::string::npos &&
        line.find("std::int64_t top = m_top.load(order::seq_cst);  ") == 0) {
      three.push_back(m);
    } else if (m.site.what == operation::compare_exchange) {
      three.push_back(m);
    }
  }
  ASSERT_EQ(three.size(), 3u);
  EXPECT_NE(first_failure(scenarios, three), "");
}

// A lost wake-up: the parking worker and the producer miss each other without either fence.
TEST(known_bugs, parking_without_a_fence) {
  const auto scenarios = idle_workers_scenarios();
  const auto fences = mutants_in(scenarios, "idle_workers.hpp", [](const order_site& site) {
    const std::string& line = source_line(site.file, site.line);
    return line.find("pairs with the heavy one") != std::string::npos ||
           line.find("pairs with the light fence") != std::string::npos;
  });
  ASSERT_EQ(fences.size(), 2u);
  for (const mutant& m : fences) {
    EXPECT_NE(first_failure(scenarios, {m}).find("deadlock"), std::string::npos) << describe(m);
  }
}

} // namespace
} // namespace treadle::check

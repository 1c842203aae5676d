// What the program `merge_sort` prints, and its exit codes.
#include "common/configurations_fixture.hpp"

#include <treadle/detail/config.hpp>

#include <cstddef>
#include <fstream>
#include <string>

namespace {

void expect_run(const std::string& arguments, int code, const std::string& said) {
  apps::expect_run(MERGE_SORT_PROGRAM, arguments, code, said);
}

} // namespace

TEST(merge_sort_program, verifies_every_configuration) {
  for (const apps::configuration& how : apps::configurations()) {
    const std::string arguments = std::string("--check --workers 2 --configuration ") + how.name;
    expect_run(arguments + " --n 1000", 0, "verified: as std::stable_sort");
    expect_run(arguments + " --n 777 --cut-off 10 --seed 5 --repeat 3", 0, "verified: as std::stable_sort");
  }
}

TEST(merge_sort_program, prints_json) {
  const apps::finished done = apps::run(MERGE_SORT_PROGRAM, "--n 100 --json --check --workers 2");
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(
      done.text.find("{\"n\": 100, \"cut_off\": 2, \"seed\": 1, \"configuration\": \"default\", \"workers\": 2, "), 0U)
      << done.text;
  EXPECT_NE(done.text.find("\"verified\": true, \"counters\": {}}\n"), std::string::npos) << done.text;
}

TEST(merge_sort_program, finds_its_pools_while_it_repeats) { apps::expect_found_pools(MERGE_SORT_PROGRAM, "--n 2000"); }

TEST(merge_sort_program, runs_the_examples_of_its_guide) {
  apps::expect_examples(MERGE_SORT_PROGRAM, "merge_sort", MERGE_SORT_GUIDE);
}

TEST(merge_sort_program, explains_itself) { apps::expect_help(MERGE_SORT_PROGRAM); }

TEST(merge_sort_program, says_what_is_wrong) {
  expect_run("--n many", 2, "--n: expected a whole number from 0 to 1099511627776, not 'many'");
  expect_run("--n 1000000000000", 2, "GB");
  expect_run("--cut-off 0", 2, "--cut-off");
  expect_run("--configuration papers", 2, "no configuration 'papers'; there are: default, paper-default, paper-pools");
  expect_run("--configuration strict --workers 1", 2, "needs two workers, not 1");
  expect_run("--configuration strict --workers 2 --critical 2", 2, "'critical' cannot have 2 of 2 workers");
  expect_run("leftover", 2, "leftover");
}

TEST(merge_sort_program, says_that_there_are_no_more_stacks) {
  std::size_t maps = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> maps;
  if (treadle::detail::k_sanitized || maps > 65530) GTEST_SKIP() << "takes too long, or there are enough";
  expect_run("--n 100000 --workers 2 --configuration paper-default", 1, "merge_sort: cannot allocate a task stack");
}

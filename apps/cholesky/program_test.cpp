// What the program `cholesky` prints, and its exit codes.
#include "common/configurations_fixture.hpp"

#include <string>

namespace {

void expect_run(const std::string& arguments, int code, const std::string& said) {
  apps::expect_run(CHOLESKY_PROGRAM, arguments, code, said);
}

} // namespace

TEST(cholesky_program, verifies_every_configuration) {
  for (const apps::configuration& how : apps::configurations()) {
    const std::string arguments = std::string("--check --workers 2 --configuration ") + how.name;
    expect_run(arguments + " --n 300 --tile 32", 0, "verified: ||A - LL^T|| is ");
    expect_run(arguments + " --n 101 --tile 20 --slow-potrf 5 --repeat 3", 0, "verified: ||A - LL^T|| is ");
  }
}

TEST(cholesky_program, takes_any_tile) {
  expect_run("--n 1 --tile 1 --check", 0, "1 rows, 1 x 1 tiles of 1, 1 tasks");
  expect_run("--n 10 --tile 100 --check", 0, "10 rows, 1 x 1 tiles of 10, 1 tasks");
  expect_run("--n 100 --tile 30 --check", 0, "100 rows, 4 x 4 tiles of 30, 20 tasks");
}

TEST(cholesky_program, prints_json) {
  const apps::finished done = apps::run(CHOLESKY_PROGRAM, "--n 100 --tile 30 --json --check --workers 4 --critical 3 "
                                                          "--configuration lending");
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.text.find("{\"n\": 100, \"tile\": 30, \"tiles\": 4, \"tasks\": 20, \"slow_potrf\": 1, "
                           "\"configuration\": \"lending\", \"workers\": 4, "),
            0U)
      << done.text;
  EXPECT_NE(done.text.find("\"verified\": true, \"counters\": {}}\n"), std::string::npos) << done.text;
}

TEST(cholesky_program, finds_its_pools_while_it_repeats) {
  apps::expect_found_pools(CHOLESKY_PROGRAM, "--n 200 --tile 50");
}

TEST(cholesky_program, runs_the_examples_of_its_guide) {
  apps::expect_examples(CHOLESKY_PROGRAM, "cholesky", CHOLESKY_GUIDE);
}

TEST(cholesky_program, explains_itself) { apps::expect_help(CHOLESKY_PROGRAM); }

TEST(cholesky_program, says_what_is_wrong) {
  expect_run("--n 0", 2, "--n: expected a whole number from 1 to 1000000, not '0'");
  expect_run("--n -5", 2, "--n");
  expect_run("--tile 0", 2, "--tile: expected a whole number from 1 to 1000000, not '0'");
  expect_run("--n 1000000", 2, "GB");
  expect_run("--n 100000 --tile 1", 2, "GB");
  expect_run("--slow-potrf 0", 2, "--slow-potrf");
  expect_run("--repeat 0", 2, "--repeat");
  expect_run("--configuration papers", 2, "no configuration 'papers'; there are: default, paper-default, paper-pools");
  expect_run("--configuration strict --workers 1", 2, "needs two workers, not 1");
  expect_run("--configuration marked --workers 2 --critical 1", 2, "configuration marked has no pool 'critical'");
  expect_run("--n 64 --spoil 64", 2, "--spoil 64: the last element of the diagonal is 63");
  expect_run("--configuration strict --workers 2 --critical 5", 2, "'critical' cannot have 5 of 2 workers");
  expect_run("--configuration strict --workers 2 --treadle:pools=io:1", 2, "describes the pools itself");
  expect_run("--counter /threads/idle", 2, "no counter '/threads/idle'");
  expect_run("--nonsense 3", 2, "--nonsense");
  expect_run("leftover", 2, "leftover");
}

TEST(cholesky_program, names_the_tile_that_is_not_positive_definite) {
  for (const char* configuration : {"default", "strict", "paper-pools"}) {
    expect_run(std::string("--n 200 --tile 50 --workers 2 --spoil 137 --configuration ") + configuration, 1,
               "cholesky: the matrix is not positive definite: tile (2, 2), leading minor of order 138");
  }
}

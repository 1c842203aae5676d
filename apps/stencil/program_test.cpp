// What the program `stencil` prints, and its exit codes.
#include "common/program_fixture.hpp"

#include <string>

namespace {

using apps::finished;

finished run(const std::string& arguments) { return apps::run(STENCIL_PROGRAM, arguments); }
void expect_run(const std::string& arguments, int code, const std::string& said) {
  apps::expect_run(STENCIL_PROGRAM, arguments, code, said);
}

} // namespace

TEST(stencil_program, verifies_every_kernel) {
  for (const char* kernel : {"faithful", "best", "serial", "loop"}) {
    for (const char* size :
         {"--points 1 --steps 0", "--points 3 --steps 4", "--points 10007 --partition 1000 --workers 2 --repeat 3",
          "--points 5000 --partition 64 --tile-steps 100 --workers 4"}) {
      expect_run(std::string("--verify --kernel ") + kernel + ' ' + size, 0,
                 "verified: equal to the serial run, bit by bit");
    }
  }
}

TEST(stencil_program, prints_json) {
  const finished done = run("--points 1000 --partition 100 --steps 10 --json --verify --treadle:workers=2");
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.text.find("{\"kernel\": \"best\", \"points\": 1000, \"steps\": 10, \"partition\": 100, "), 0U)
      << done.text;
  EXPECT_NE(done.text.find("\"workers\": 2,"), std::string::npos) << done.text;
  EXPECT_NE(done.text.find("\"verified\": true, \"counters\": {}}\n"), std::string::npos) << done.text;
}

TEST(stencil_program, finds_the_grain_itself) {
  for (const char* kernel : {"faithful", "best", "loop"}) {
    for (const char* grain : {"auto", "paper-idle-rate --idle-rate 5", "paper-pending", "paper-costs"}) {
      if (std::string(kernel) == "loop" && std::string(grain) == "paper-costs") continue;
      expect_run("--points 20011 --steps 40 --partition 300 --tile-steps 5 --verify --kernel " + std::string(kernel) +
                     " --grain " + grain,
                 0, "verified: equal to the serial run, bit by bit");
    }
  }
}

TEST(stencil_program, shows_counters_of_the_run) {
  const finished done = run("--points 1000 --partition 100 --steps 10 --kernel faithful --json "
                            "--counter /threads/count/cumulative");
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.text.find("/threads{locality#0/total}/count/cumulative\": 10"), std::string::npos) << done.text;
}

TEST(stencil_program, explains_itself) {
  expect_run("--help", 0, "--tile-steps");
  expect_run("--help", 0, "Example");
}

TEST(stencil_program, says_what_is_wrong) {
  expect_run("--points 0", 2, "--points");
  expect_run("--points -5", 2, "--points");
  expect_run("--points many", 2, "--points: expected a whole number from 1 to 1099511627776, not 'many'");
  expect_run("--points 1e6", 2, "not '1e6'");
  expect_run("--points 99999999999999999999999", 2, "--points");
  expect_run("--points 1000000000000", 2, "GB");
  expect_run("--kernel faithful --points 1000000000 --partition 1", 2, "GB");
  expect_run("--points", 2, "--points");
  expect_run("--partition 0", 2, "--partition");
  expect_run("--tile-steps 0", 2, "--tile-steps");
  expect_run("--repeat 0", 2, "--repeat");
  expect_run("--steps -1", 2, "--steps");
  expect_run("--workers 100000", 2, "--workers");
  expect_run("--kernel worst", 2, "faithful");
  expect_run("--grain best", 2, "paper-idle-rate");
  expect_run("--grain paper-costs --kernel loop", 2, "--grain paper-costs: counts tasks");
  expect_run("--idle-rate 101", 2, "--idle-rate");
  expect_run("--idle-rate little", 2, "--idle-rate");
  expect_run("--counter /threads/idle", 2, "no counter '/threads/idle'");
  expect_run("--nonsense 3", 2, "--nonsense");
  expect_run("--treadle:workers=none", 2, "workers");
  expect_run("leftover", 2, "leftover");
}

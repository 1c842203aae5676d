// What the program `distributed_stencil` prints, and its exit codes.
#include "common/localities_fixture.hpp"

TEST(distributed_stencil_program, has_the_bits_of_one_thread) {
  for (const unsigned localities : {1U, 2U, 3U}) {
    for (const char* arguments :
         {"--points 4000 --steps 57 --tile 100 --height 7", "--points 1000 --steps 40 --tile 8 --height 1",
          "--points 2400 --steps 33 --tile 5000 --height 100", "--points 240 --steps 100 --tile 16 --height 80",
          "--points 800 --steps 0 --tile 16"}) {
      const apps::finished done =
          apps::run_localities(DISTRIBUTED_STENCIL_PROGRAM, localities, std::string(arguments) + " --check");
      EXPECT_EQ(done.code, 0) << arguments << done.text;
      EXPECT_NE(done.text.find("verified: the bits of one thread"), std::string::npos) << arguments << done.text;
    }
  }
  const apps::finished done = apps::run_localities(
      DISTRIBUTED_STENCIL_PROGRAM, 2, "--points 64000 --steps 50 --check --json", "TREADLE_COALESCING=off");
  EXPECT_EQ(done.code, 0) << done.text;
  EXPECT_NE(done.text.find("\"verified\": true"), std::string::npos) << done.text;
}

TEST(distributed_stencil_program, says_what_is_wrong) {
  apps::expect_run(DISTRIBUTED_STENCIL_PROGRAM, "--points 0", 2, "--points");
  apps::expect_run(DISTRIBUTED_STENCIL_PROGRAM, "--points 1000000000000", 2, "needs up to");
  apps::expect_run(DISTRIBUTED_STENCIL_PROGRAM, "--help", 0, "spread over localities");
  apps::expect_run(DISTRIBUTED_STENCIL_PROGRAM, "--points 100", 2, "--points 100: expected a multiple of 8");
  apps::expect_run(DISTRIBUTED_STENCIL_PROGRAM, "--points 80 --height 100", 2, "--height 100 needs");
  const apps::finished done = apps::run_localities(DISTRIBUTED_STENCIL_PROGRAM, 3, "--points 16");
  EXPECT_EQ(done.code, 2) << done.text;
  EXPECT_NE(done.text.find("--points 16: too few for 3 localities"), std::string::npos) << done.text;
}

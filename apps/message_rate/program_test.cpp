// What the program `message_rate` prints, and its exit codes.
#include "common/localities_fixture.hpp"

namespace {

apps::finished run(unsigned localities, const std::string& arguments, const std::string& environment = "") {
  return apps::run_localities(MESSAGE_RATE_PROGRAM, localities, arguments, environment);
}

} // namespace

TEST(message_rate_program, verifies_what_comes_back) {
  for (const unsigned localities : {1U, 2U, 3U}) {
    for (const char* arguments : {"--parcels 500 --phases 3", "--parcels 100 --phases 2 --tasks --work 100"}) {
      const apps::finished done = run(localities, arguments);
      EXPECT_EQ(done.code, 0) << done.text;
      EXPECT_NE(done.text.find("verified: each call"), std::string::npos) << done.text;
    }
  }
}

TEST(message_rate_program, says_what_was_found_out) {
  for (const std::string every : {"500", "event"}) {
    const apps::finished done = run(2, "--parcels 2000 --phases 5 --json",
                                    "TREADLE_COALESCING=paper-adaptive:every=" + every + ",start=20/200");
    EXPECT_EQ(done.code, 0) << done.text;
    EXPECT_NE(done.text.find("\"verified\": true"), std::string::npos) << done.text;
    EXPECT_NE(done.text.find(" parcels\"}"), std::string::npos) << done.text;
    EXPECT_NE(done.text.find("\"localities\": 2, \"calls\": 2000, \"seconds\": "), std::string::npos) << done.text;
  }
}

TEST(message_rate_program, says_what_is_wrong) {
  apps::expect_run(MESSAGE_RATE_PROGRAM, "--parcels 0", 2, "--parcels");
  apps::expect_run(MESSAGE_RATE_PROGRAM, "leftover", 2, "leftover");
  apps::expect_run(MESSAGE_RATE_PROGRAM, "--help", 0, "treadle run -n 2");
  EXPECT_NE(run(1, "--phases 1 --parcels 1", "TREADLE_LOCALITIES=").text.find("verified"), std::string::npos);
  const apps::finished done = run(2, "--phases 1", "TREADLE_COALESCING=some");
  EXPECT_EQ(done.code, 2) << done.text;
  EXPECT_NE(done.text.find("TREADLE_COALESCING: expected"), std::string::npos) << done.text;
}

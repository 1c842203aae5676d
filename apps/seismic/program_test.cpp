// What the programs `seismic` and `seismic_ocr` print, and their exit codes.
#include "common/program_fixture.hpp"

#include <string>

namespace {

constexpr const char* k_programs[] = {SEISMIC_PROGRAM, SEISMIC_OCR_PROGRAM};

TEST(seismic_program, verifies_both) {
  for (const char* program : k_programs) {
    for (const char* size :
         {"--tiles 1 --side 1 --steps 1", "--tiles 3 --side 5 --steps 17 --work 2",
          "--tiles 8 --side 8 --steps 40 --treadle:workers=4", "--treadle:workers=1 --tiles 4 --side 9 --steps 30"})
      apps::expect_run(program, std::string("--verify ") + size, 0, "verified: equal to the serial run, bit by bit");
  }
}

TEST(seismic_program, prints_json) {
  for (const char* program : k_programs) {
    const apps::finished done = apps::run(program, "--tiles 2 --side 4 --steps 3 --verify --json --treadle:workers=2");
    EXPECT_EQ(done.code, 0);
    EXPECT_NE(done.text.find("\"tiles\": 2, \"side\": 4, \"steps\": 3, \"work\": 0, \"tasks\": 12, \"workers\": 2, "),
              std::string::npos)
        << done.text;
    EXPECT_NE(done.text.find("\"verified\": true}\n"), std::string::npos) << done.text;
  }
}

TEST(seismic_program, breaks_no_rule_of_ocr) {
  const apps::finished done = apps::run(std::string("/usr/bin/env' TREADLE_OCR_CHECK=1 '") + SEISMIC_OCR_PROGRAM,
                                        "--tiles 4 --side 4 --steps 9");
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.text.find("OCR:"), std::string::npos) << done.text;
}

TEST(seismic_program, says_what_is_wrong) {
  for (const char* program : k_programs) {
    apps::expect_run(program, "--tiles 0", 2, "--tiles");
    apps::expect_run(program, "--wrong", 2, "--wrong");
    apps::expect_run(program, "--help", 0, "Example");
    apps::expect_run(program, "--tiles 4096 --side 32768", 2, "this machine has");
  }
}

} // namespace

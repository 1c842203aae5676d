// What the programs `producer_consumer` and `producer_consumer_ocr` print, and their exit codes.
#include "common/program_fixture.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace {

constexpr const char* k_programs[] = {PRODUCER_CONSUMER_PROGRAM, PRODUCER_CONSUMER_OCR_PROGRAM};

struct folder {
  std::string name = (std::filesystem::temp_directory_path() / "pair-XXXXXX").string();
  folder() { name = mkdtemp(name.data()); }
  ~folder() { std::filesystem::remove_all(name); }
};

TEST(producer_consumer_program, each_with_each) {
  for (const char* producer : k_programs) {
    for (const char* consumer : k_programs) {
      const folder items;
      std::thread produces([&] {
        apps::expect_run(producer, "produce " + items.name + " --iterations 30 --tasks 7 --work 1 --up-down --verify",
                         0, "verified");
      });
      apps::expect_run(consumer,
                       "consume " + items.name +
                           " --iterations 30 --tasks 7 --work 2 --producer-work 1 --producer-up-down --verify",
                       0, "verified: equal to the serial run");
      produces.join();
      EXPECT_TRUE(std::filesystem::is_empty(items.name));
    }
  }
}

TEST(producer_consumer_program, tells_when_each_item_was_done) {
  for (const char* program : k_programs) {
    const folder items;
    const apps::finished done =
        apps::run(program, "produce " + items.name + " --iterations 3 --tasks 2 --work 0 --json");
    EXPECT_EQ(done.code, 0);
    EXPECT_NE(done.text.find("\"role\": \"producer\", \"iterations\": 3, "), std::string::npos) << done.text;
    EXPECT_NE(done.text.find("\"ends_s\": [0."), std::string::npos) << done.text;
  }
}

TEST(producer_consumer_program, gives_up_when_no_item_comes) {
  for (const char* program : k_programs) {
    const folder items;
    apps::expect_run(program, "consume " + items.name + " --patience 0.05", 1, "item-0: has not come within");
    std::ofstream(items.name + "/item-0") << "garbage";
    apps::expect_run(program, "consume " + items.name, 1, "is not item 0 of 240 numbers");
  }
}

TEST(producer_consumer_program, says_what_is_wrong) {
  for (const char* program : k_programs) {
    apps::expect_run(program, "", 2, "subcommand");
    apps::expect_run(program, "produce", 2, "folder");
    apps::expect_run(program, "produce /dev/null/x", 2, "is no folder");
    apps::expect_run(program, "produce x --tasks 0", 2, "--tasks");
    apps::expect_run(program, "--help", 0, "Example");
  }
}

} // namespace

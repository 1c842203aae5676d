#include "observe/counter_printer.hpp"

#include "base/json.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <thread>

namespace counters = treadle::counters;
using treadle::detail::counter_printer;

namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Each test writes to a file of its own: one that was written to before is not written anew.
class counter_printer_test : public testing::Test {
 protected:
  std::string file =
      testing::TempDir() + "counters_of_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  ~counter_printer_test() override { std::filesystem::remove(file); }

  counter_printer::options to_file(const char* format, std::int64_t interval_ns = 0) const {
    return {{"/printed/*"}, interval_ns, file, format};
  }

  std::atomic<double> cells = 0;
  counters::definition counted{{"/printed/cells", counters::kind::monotonic, "cells", "Cells."},
                               [this] { return cells.load(); }};
  counters::definition odd{{"/printed{a b#1}/length", counters::kind::gauge, "", "Length."}, [] { return 2.5; }};
};

TEST_F(counter_printer_test, text_at_the_end) {
  {
    counter_printer printer(to_file("text"));
    cells = 42;
  }
  const std::string text = text_of(file);
  EXPECT_TRUE(text.starts_with("counters after 0.")) << text;
  EXPECT_NE(text.find("\n  /printed/cells          42 cells\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  /printed{a b#1}/length  2.5\n"), std::string::npos) << text;
}

TEST_F(counter_printer_test, csv_has_one_head) {
  cells = 7;
  {
    counter_printer printer(to_file("csv", 1'000'000));
    while (text_of(file).find("\n0.") == std::string::npos) std::this_thread::yield();
  }
  std::istringstream lines(text_of(file));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time [s],/printed/cells [cells],/printed{a b#1}/length");
  int rows = 0;
  while (std::getline(lines, line)) {
    ++rows;
    EXPECT_TRUE(line.ends_with(",7,2.5")) << line;
  }
  EXPECT_GE(rows, 2); // the first, and that of the end
}

TEST_F(counter_printer_test, json_lines) {
  counters::definition none({"/printed/none", counters::kind::gauge, "", ""}, [] { return 0.0 / 0.0; });
  {
    counter_printer printer(to_file("json"));
  }
  const std::string text = text_of(file);
  EXPECT_TRUE(text.starts_with("{\"time_s\": 0.")) << text;
  EXPECT_TRUE(text.ends_with(
      "\"counters\": {\"/printed/cells\": 0, \"/printed/none\": null, \"/printed{a b#1}/length\": 2.5}}\n"))
      << text;
}

TEST_F(counter_printer_test, later_ones_of_the_process_append) {
  {
    counter_printer printer(to_file("csv"));
  }
  {
    counter_printer printer(to_file("csv"));
  }
  const std::string text = text_of(file);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST_F(counter_printer_test, what_cannot_be_written) {
  try {
    counter_printer printer({{"/printed/*"}, 0, "/nowhere/at/all", ""});
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "--treadle:print-counter-destination: cannot write '/nowhere/at/all': No such file or "
                           "directory");
  }
  testing::internal::CaptureStderr();
  {
    counter_printer printer({{"/printed/*"}, 0, "/dev/full", ""});
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "treadle: not all counters were written to '/dev/full': No space left on device\n");
  EXPECT_THROW(counter_printer({{"/printed/nothing"}, 0, "none", ""}), std::invalid_argument);
  EXPECT_THROW(counter_printer({{"printed"}, 0, "none", ""}), std::invalid_argument);
}

TEST_F(counter_printer_test, the_table_names_all) {
  const std::string table = treadle::detail::counter_table();
  EXPECT_NE(table.find("  /printed/cells          monotonic [cells]\n      Cells.\n"), std::string::npos) << table;
}

TEST(json, strings_and_numbers) {
  using namespace treadle::detail;
  EXPECT_EQ(json_string("a\"b\\c\n\x01"), "\"a\\\"b\\\\c\\n\\u0001\"");
  EXPECT_EQ(json_number(0.1), "0.1");
  EXPECT_EQ(json_number(1e300), "1e+300");
  EXPECT_EQ(json_number(1.0 / 0.0), "null");
}

} // namespace

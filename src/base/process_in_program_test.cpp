#include "base/process_in_program.hpp"

#include "base/file_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace treadle::detail {
namespace {

struct started_as {
  std::string variable, value;
  started_as(std::string name, std::string text) : variable(std::move(name)), value(std::move(text)) {
    setenv(variable.c_str(), value.c_str(), 1);
  }
  ~started_as() { unsetenv(variable.c_str()); }
};

TEST(process_in_program, is_what_the_starter_says) {
  for (const char* const one : {"TREADLE_LOCALITIES", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) unsetenv(one);
  EXPECT_EQ(process_in_program(), -1);
  EXPECT_EQ(own_file("a.b/run.json", 1), "a.b/run.json");
  for (const auto& [place, number] : {std::pair("/dev/shm/x:y:3:4", 3), std::pair("f:0:2", 0), std::pair("f:0:1", -1),
                                      std::pair("f:x:2", -1), std::pair("f:1", -1), std::pair("", -1)}) {
    const started_as one("TREADLE_LOCALITIES", place);
    EXPECT_EQ(process_in_program(), number) << place;
  }
  for (const std::string mpi : {"OMPI_COMM_WORLD", "PMI"}) {
    const started_as rank(mpi + "_RANK", "12");
    const started_as size(mpi + "_SIZE", "16");
    EXPECT_EQ(process_in_program(), 12);
    EXPECT_EQ(own_file("run.json", 2), "run.L12.2.json");
    const started_as alone(mpi + "_SIZE", "1");
    EXPECT_EQ(process_in_program(), -1);
  }
}

} // namespace
} // namespace treadle::detail

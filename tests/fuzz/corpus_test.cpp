// Replays the fuzzer's corpus, which also holds every input that ever found a mistake.
#include "physl_target.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace treadle::fuzz {
namespace {

TEST(fuzz_corpus, every_input_is_handled) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TREADLE_FUZZ_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    SCOPED_TRACE(entry.path().filename().string());
    try_physl(text.str());
    ++count;
  }
  EXPECT_GE(count, 10u);
}

} // namespace
} // namespace treadle::fuzz

// Replays the corpora of the fuzzers, which also hold every input that ever found a mistake.
#include "message_target.hpp"
#include "parcel_target.hpp"
#include "physl_target.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace treadle::fuzz {
namespace {

void replay(const char* folder, void (*try_text)(std::string_view)) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    SCOPED_TRACE(entry.path().filename().string());
    try_text(text.str());
    ++count;
  }
  EXPECT_GE(count, 10u);
}

TEST(fuzz_corpus, every_program_is_handled) { replay(TREADLE_FUZZ_CORPUS, try_physl); }
TEST(fuzz_corpus, every_message_is_handled) { replay(TREADLE_FUZZ_MESSAGES, try_message); }
TEST(fuzz_corpus, every_parcel_is_handled) { replay(TREADLE_FUZZ_PARCELS, try_parcel); }

} // namespace
} // namespace treadle::fuzz

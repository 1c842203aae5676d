#include "tsan_suppressions.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("TREADLE_PUBLISH", "0", 0); // nobody looks at tests, and those that fork have no thread too many
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

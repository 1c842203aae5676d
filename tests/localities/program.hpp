// What the parts of localities_program have in common.
#pragma once

#include <treadle/localities/locality.hpp>

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s in locality %u\n", __FILE__, __LINE__, #condition,                               \
                   treadle::find_here().number());                                                                     \
      std::exit(3);                                                                                                    \
    }                                                                                                                  \
  } while (false)

namespace treadle::testing {

// Cases of coordination.cpp.
void futures_of_actions();
void latches_and_channels();
void priorities();
void migrations();

} // namespace treadle::testing

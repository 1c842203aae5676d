// What the tests of sessions and of their drivers share.
#pragma once

#include "loop/turns.hpp"

#include <treadle/tune/session.hpp>

#include <gtest/gtest.h>

namespace treadle {

/// Costs that take no time: each sample is a window, and tries cost nothing.
inline const search_options k_simulated{.window_ns = 0, .budget = 0};

/// Nobody that an earlier test has left waits for a turn.
class session_fixture : public testing::Test {
 protected:
  session_fixture() { loop::the_turns.clear(); }
};

} // namespace treadle

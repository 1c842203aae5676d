#pragma once

#include <treadle/future.hpp>

#include <gtest/gtest.h>

namespace treadle::testing {

/// How many continuations a state has that is not ready: those that follow a new one in its list.
inline std::size_t hooks_in(const shared_future<void>& future) {
  struct probing final : detail::continuation {
    void fire() noexcept override {}
  } probe;
  auto& state = detail::access::state(future);
  EXPECT_TRUE(state.try_attach(probe));
  std::size_t hooks = 0;
  for (const detail::continuation* c = probe.next_continuation; c; c = c->next_continuation) ++hooks;
  EXPECT_TRUE(state.withdraw(probe));
  return hooks;
}

} // namespace treadle::testing

#pragma once

#include "base/rng.hpp"

#include <treadle/runtime.hpp>

#include <chrono>
#include <stop_token>
#include <thread>

namespace treadle::testing {

/// While it lives, a thread changes how many workers may be active, down to none, as the seed says; two of three seeds
/// leave all of them.
class changing_concurrency {
 public:
  changing_concurrency(runtime& rt, std::uint64_t seed) {
    if (seed % 3 != 0) return;
    m_thread = std::jthread([&rt, seed](const std::stop_token& stop) {
      detail::xorshift random(seed);
      while (!stop.stop_requested()) {
        rt.set_concurrency(random.below(rt.max_concurrency() + 1));
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
      }
      rt.set_concurrency(rt.max_concurrency());
    });
  }

 private:
  std::jthread m_thread;
};

} // namespace treadle::testing

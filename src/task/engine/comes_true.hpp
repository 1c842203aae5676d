#pragma once

#include <treadle/observe/counters.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <thread>

namespace treadle::testing {

/// Looks once in a millisecond. Changes come into force when workers look; false when they have not for a minute.
template <class Condition>
bool comes_true(Condition holds) {
  for (int i = 0; i < 60'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Of all pools, or of one.
inline double on_duty() { return counters::counter("/runtime/count/workers-on-duty").value(); }
inline double on_duty(std::string_view pool) {
  return counters::counter("/runtime{locality#0/pool#" + std::string(pool) + "/total}/count/workers-on-duty").value();
}

} // namespace treadle::testing

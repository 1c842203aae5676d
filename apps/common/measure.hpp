#pragma once

#include <treadle/observe/counters.hpp>
#include <treadle/this_task.hpp>
#include <treadle/tune/pool_tuner.hpp>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace apps {

/// The fastest of some runs, with what counters said of it.
struct timing {
  double seconds = std::numeric_limits<double>::infinity();
  std::vector<treadle::counters::reading> counters;
  std::string pools = {}; ///< "critical:0,default:4 scatter": how a tuner has left them, if there was one
};

struct runs {
  std::size_t counted = 1;
  std::size_t before = 0; ///< those that do not count: something is learned there
};

/// Calls prepare() and, timed, run() as often as it says, each of which is a step for the tuner, if any. Inside a task.
timing measure(const runs& all, const std::vector<std::string>& counters, const auto& prepare, const auto& run,
               treadle::pool_tuner* tuner = nullptr) {
  using clock = std::chrono::steady_clock;
  treadle::counters::group read(counters);
  treadle::counters::counter queued("/threads/count/instantaneous/pending");
  const auto await_counts = [&] { // a task that a wait has run in place is counted when its queue entry is gone
    // One in the queue of a worker that is off duty is found by a worker that has nothing to do.
    for (int looks = 0; queued.value() > 0; ++looks)
      looks < 1000 ? treadle::this_task::yield() : treadle::this_task::sleep_for(std::chrono::microseconds(50));
  };
  timing fastest;
  for (std::size_t i = 0; i < all.before + all.counted; ++i) {
    prepare();
    await_counts();
    read.reset();
    if (tuner) tuner->resume();
    const auto start = clock::now();
    run();
    const double seconds = std::chrono::duration<double>(clock::now() - start).count();
    await_counts();
    if (i >= all.before && seconds < fastest.seconds) fastest = {seconds, read.read()};
    if (tuner) tuner->done();
  }
  if (tuner) fastest.pools = tuner->sizes() + (tuner->is_ordering() ? " " : " unordered ") + tuner->binding();
  return fastest;
}

/// As a member of a JSON object: null where nothing was tuned.
inline void print_json(const std::string& pools) {
  std::printf(pools.empty() ? "\"pools\": null, " : "\"pools\": \"%s\", ", pools.c_str());
}

/// As members of a JSON object.
inline void print_json(const std::vector<treadle::counters::reading>& counters) {
  const char* separator = "";
  for (const auto& one : counters) {
    std::printf("%s\"%s\": ", separator, one.name.c_str());
    std::isnan(one.value) ? std::printf("null") : std::printf("%.9g", one.value);
    separator = ", ";
  }
}

/// A line each.
inline void print_lines(const std::vector<treadle::counters::reading>& counters) {
  for (const auto& one : counters) {
    if (!one.missing.empty())
      std::printf("%s\n", one.missing.c_str());
    else
      std::printf("%s: %.6g%s%s\n", one.name.c_str(), one.value, one.unit.empty() ? "" : " ", one.unit.c_str());
  }
}

} // namespace apps

// What Treadle does, whatever carries the messages.
#pragma once

#include "config.hpp"
#include "mpirun.hpp"

#include <treadle/localities/action.hpp>
#include <treadle/runtime.hpp>

#include <cstdlib>
#include <string>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace parcels {

using namespace treadle;

inline std::uint64_t received_all(std::uint64_t count) { return so_far.count == count ? so_far.sum : 0; }
inline void forget() { so_far = {}; }
inline std::uint64_t next(std::uint64_t number) { return number + 1; }
inline std::int64_t processor_time_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1'000'000'000 * std::int64_t{now.tv_sec} + now.tv_nsec;
}
inline double last(const std::vector<double>& values) { return values.back(); }

inline void measure() {
  const locality there(1), here(0);
  for (const char* const name : {"one_way", "batched"}) {
    set_coalescing({.how = name == std::string("one_way") ? coalescing_kind::off : coalescing_kind::adaptive});
    bench::report(
        name, k_parcels, [&] { async<direct<forget>>(there).get(); },
        [&] {
          for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(k_parcels); ++i)
            i % 2 == 0 ? post<direct<take_first>>(there, i, 2 * i) : post<direct<take_second>>(there, i, 2 * i);
          static_cast<void>(async<direct<received_all>>(there, std::uint64_t{k_parcels}).get()); // comes behind them
        },
        [&] { return async<direct<received_all>>(there, std::uint64_t{k_parcels}).get() == expected_sum(); });
  }
  const auto ping_pong = [&](const char* name, auto call) {
    bench::report(name, k_pings, [&] {
      std::uint64_t number = 0;
      for (long i = 0; i < k_pings; ++i) number = call(number).get();
      return number == static_cast<std::uint64_t>(k_pings);
    });
  };
  const auto direct_call = [&](std::uint64_t number) { return async<direct<next>>(there, number); };
  ping_pong("ping_pong", direct_call);
  set_coalescing<direct<next>>({.how = coalescing_kind::off});
  ping_pong("ping_pong_off", direct_call);
  set_coalescing<direct<next>>({.how = coalescing_kind::adaptive});
  ping_pong("ping_pong_task", [&](std::uint64_t number) { return async<next>(there, number); });
  bench::report("in_flight", k_futures, [&] {
    std::vector<future<std::uint64_t>> results(static_cast<std::size_t>(k_window));
    bool is_right = true;
    for (long i = 0; i < k_futures; ++i) {
      auto& slot = results[static_cast<std::size_t>(i % k_window)];
      if (slot.valid()) is_right &= slot.get() == static_cast<std::uint64_t>(i - k_window + 1);
      slot = async<direct<next>>(there, static_cast<std::uint64_t>(i));
    }
    for (auto& slot : results) static_cast<void>(slot.get());
    return is_right;
  });
  const std::vector<double> array(k_array, 1.5);
  bench::report("large", k_arrays, [&] {
    future<double> result;
    for (long i = 0; i < k_arrays; ++i) result = async<direct<last>>(there, array);
    return result.get() == 1.5;
  });
  const std::int64_t before = async<direct<processor_time_ns>>(there).get();
  sleep(1);
  const std::int64_t used_ns = async<direct<processor_time_ns>>(there).get() - before;
  bench::print_record("idle_second", static_cast<double>(used_ns) * 1e-9, "s", 1, true);
  bench::report("here", k_calls, [&] {
    std::uint64_t number = 0;
    for (long i = 0; i < k_calls; ++i) number = async<direct<next>>(here, number).get();
    return number == static_cast<std::uint64_t>(k_calls);
  });
}

/// Rank 0 of two measures.
inline int run() {
  const localities all;
  if (find_here().number() == 0) measure();
  return 0;
}

/// As that, of processes that this mpirun starts; `mark`: what it sets in their environment.
inline int run_by(const char* mpirun, std::vector<const char*> options, const char* mark, int argc, char** argv) {
  if (std::getenv(mark)) return run();
  setenv("TREADLE_WORKERS", std::to_string(bench::workers_from(argc, argv)).c_str(), 1);
  return start_two(mpirun, std::move(options), argv);
}

} // namespace parcels

#pragma once

#include "measure.hpp"

/// Two tasks send a number to and fro through two channels, each adding one. An operation is one message: a send that
/// finds a waiting receiver, and a receive that has to wait.
namespace channel_bench {

constexpr long k_round_trips = 200'000;
constexpr long k_few = 20'000; // where the operating system switches threads

/// `play(round_trips)` returns the last number.
template <class Play>
void report(long round_trips, Play play) {
  bench::report("channel", 2 * round_trips, [&] { return play(round_trips) == 2 * round_trips; });
}

} // namespace channel_bench

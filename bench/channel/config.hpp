#pragma once

#include "measure.hpp"

/// Two tasks send a number to and fro through two channels, each adding one. An operation is one message: a send that
/// finds a waiting receiver, and a receive that has to wait.
namespace channel_bench {

constexpr long k_round_trips = 5'000;

/// `play(round_trips)` returns the last number.
template <class Play>
void report(Play play) {
  bench::report_repeated("channel", 2 * k_round_trips, [&] { return play(k_round_trips) == 2 * k_round_trips; });
}

} // namespace channel_bench

#pragma once

#include "measure.hpp"

#include <cstdint>
#include <vector>

/// Messages between two processes of one machine.
///   one_way      parcels of 16 bytes, each calls a function of a table at the receiver; until all were received
///   batched      the same, as many in a message as the sender likes (by hand: the best of k_batches)
///   ping_pong    a call there that returns a number, one after the other
///   ping_pong_off   the same where no parcel waits for others, and nothing is found out
///   ping_pong_task  the same, executed as a task there
///   in_flight    the same, k_window at a time
///   large        arrays of 8 MB, one after the other
///   idle_second  processor time of a process that gets nothing for a second
///   here         a call of the sender's own process
namespace parcels {

constexpr long k_parcels = 1'000'000, k_pings = 20'000, k_futures = 200'000, k_arrays = 40, k_calls = 1'000'000;
constexpr long k_window = 64;
constexpr int k_batches[] = {32, 128, 512, 2048};
constexpr std::size_t k_array = 1'000'000;

struct payload {
  std::uint64_t a, b;
};

/// What the receiver's functions change.
struct received {
  std::uint64_t count = 0, sum = 0;
};
inline received so_far;

inline void take_first(std::uint64_t a, std::uint64_t b) {
  ++so_far.count;
  so_far.sum += a ^ b;
}
inline void take_second(std::uint64_t a, std::uint64_t b) {
  ++so_far.count;
  so_far.sum += a + b;
}
/// What they add up to after k_parcels parcels (i, 2 i), of both functions in turn.
inline std::uint64_t expected_sum() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(k_parcels); ++i) sum += i % 2 == 0 ? i ^ 2 * i : i + 2 * i;
  return sum;
}

} // namespace parcels

#pragma once

#include <treadle/localities/coalescing.hpp>

#include <cstdint>
#include <vector>

/// How long localities take that ask each other for many small things, as in the parquet equations, on networks and in
/// numbers that are not there: a simulation. The same input gives the same result.
namespace treadle::sim {

/// LogGP (Alexandrov, Ionescu, Schauser, Scheiman, 1995), and what a processor takes for each parcel.
struct message_costs {
  double latency_ns = 1000; ///< until a message has arrived
  double overhead_ns = 500; ///< of the sender's processor, and of the receiver's, for each message
  double byte_ns = 0.1;     ///< of the wire, for each byte
  double parcel_ns = 50;    ///< of each processor, for each parcel
};

/// Phases, between which all wait for all. In each, every locality makes this many requests, one after some work, to
/// others by chance, and goes on; who is asked answers. A phase is over when all answers have come.
struct exchange {
  unsigned localities = 4;    ///< with one processor each, which handles what has arrived between two requests
  unsigned partners = 1024;   ///< that each asks, those behind it; at most all others
  std::uint64_t requests = 0; ///< in a phase, of each locality
  unsigned phases = 1;
  double work_ns = 200;
  unsigned request_bytes = 24, answer_bytes = 32;
  std::uint64_t seed = 1;
};

struct exchange_result {
  double seconds = 0;   ///< of simulated time, all phases
  double overhead = 0;  ///< that share of the processors' time went into messages, without parcels, in percent
  double answer_ns = 0; ///< from a request to its answer, on average
  std::uint64_t parcels = 0, messages = 0;
};

/// Which parcels travel together is decided by src/decide, as between real localities: `how` is off, paper, or
/// adaptive. Of adaptive, what is left open is found out by each locality as at the beginning of a program, for all
/// destinations together, and stays; the search for more that goes on for all the time of a program is not simulated.
/// Throws std::invalid_argument that names what cannot be. Takes some 2 us for each request.
exchange_result simulate(const exchange& what, const message_costs& costs, const coalescing& how);
/// All that a program could choose where `how` leaves numbers to be found out, as `adaptive` does; else `how` alone.
std::vector<coalescing> choices(const coalescing& how);

} // namespace treadle::sim

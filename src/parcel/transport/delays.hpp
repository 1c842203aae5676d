// What a network costs, on a machine that has none.
#pragma once

#include "parcel/transport/transport.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace treadle::detail {

/// The parameters of LogGP (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995).
struct network_delays {
  std::int64_t latency_ns = 0;  ///< L, from one to the other
  std::int64_t overhead_ns = 0; ///< o, of the processor, for each message that it sends or receives
  std::int64_t gap_ns = 0;      ///< g, between two messages of a sender, at least
  std::int64_t ps_per_byte = 0; ///< G
};
/// L,o,g,G as in TREADLE_NETWORK=5000,500,200,100. Throws std::invalid_argument, which says what is expected.
network_delays parse_network_delays(const std::string& text);

/// The same transport with delays: the sender's and the receiver's processor are busy for o, and a message is handed
/// over L after it has left. For processes of one machine, whose clocks are the same.
std::unique_ptr<transport> with_delays(std::unique_ptr<transport> inner, const network_delays& of);

} // namespace treadle::detail

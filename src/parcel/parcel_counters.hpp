// /parcels, /messages, /data and /coalescing of this locality, and what messages take of workers' time: by HPX's names.
#pragma once

#include "parcel/port/port.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace treadle::detail {

/// What a program has sent and received; without what localities say to each other when they end.
struct parcel_traffic {
  struct of_action {
    std::string name; ///< "results", or of an action
    parcel_port::counts sent;
  };
  std::vector<of_action> actions; ///< of which anything was sent
  parcel_port::times spent;
  std::uint64_t parcels_received = 0, messages_received = 0, bytes_received = 0;
};
/// So far; what was last known where there are no localities any more. Any thread.
parcel_traffic traffic_so_far();

/// Once; the counters stay.
void publish_parcel_counters();

} // namespace treadle::detail

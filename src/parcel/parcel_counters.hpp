// /parcels, /messages and /data of this locality, by HPX's names.
#pragma once

#include <cstdint>

namespace treadle::detail {

/// What a program has sent and received; without what localities say to each other when they end.
struct parcel_traffic {
  std::uint64_t parcels_sent = 0, messages_sent = 0, bytes_sent = 0;
  std::uint64_t parcels_received = 0, messages_received = 0, bytes_received = 0;
};
/// So far; what was last known where there are no localities any more. Any thread.
parcel_traffic traffic_so_far();

/// Once; the counters stay.
void publish_parcel_counters();

} // namespace treadle::detail

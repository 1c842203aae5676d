#pragma once

#include <cstddef>
#include <cstdint>

namespace treadle {

/// Which parcels for one locality travel in one message.
enum class coalescing_kind : std::uint8_t {
  off,     ///< each is a message
  paper,   ///< so many, or what there is after an interval (Wagle, Kellar, Serio, Kaiser, 2018, Algorithm 1)
  adaptive ///< what comes while the wire is busy, and for a while more where that pays
};

/// For parcels of an action. What has been gathered for a locality leaves together and in its order, whichever action
/// asks for it; also when the sender has nothing else to do, or waits.
struct coalescing {
  coalescing_kind how = coalescing_kind::adaptive;
  unsigned parcels = 50;              ///< paper
  std::int64_t interval_ns = 100'000; ///< paper
  std::int64_t hold_ns = 0;           ///< adaptive: parcels wait at least so long, though the wire is free
  std::size_t bytes = 16U << 10U;     ///< adaptive: and not for more than these
};

} // namespace treadle

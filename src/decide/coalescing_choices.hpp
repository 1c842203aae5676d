// Among which settings a sender of parcels chooses. Pure.
#pragma once

#include "search/space.hpp"

#include <treadle/localities/coalescing.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace treadle::decide {

/// What is left open by a setting: how long parcels wait and how many bytes leave together, or the interval and the
/// number of parcels. Where nothing is, there is one choice.
class coalescing_choices {
 public:
  explicit coalescing_choices(const coalescing& asked);

  tune::space over() const;
  /// Whether anything is left open.
  bool is_open() const { return over().size() > 1; }
  tune::arm start() const noexcept { return m_start; }
  /// With numbers, for `gathering`.
  coalescing settings(tune::arm at) const;
  coalescing first_settings() const { return settings(m_start); }

  /// The longest wait up to this one, and the most that leaves together.
  tune::arm gathers_for(std::int64_t wait_ns) const;
  std::int64_t longest_wait_ns() const noexcept { return m_waits_ns.back(); }
  /// Of `adaptive`: the shortest wait, and with that the fewest bytes, with which messages take 1 % of the time, or
  /// about as little as they can. `message_ns`: what one costs; `parcel_ns`: the time between two parcels beside that;
  /// `destinations`: how many destinations the parcels go to, in turn.
  tune::arm least_felt(double message_ns, double parcel_ns, double parcel_bytes, double destinations = 1) const;

  std::string text(tune::arm at) const; ///< "5 us, 16384 bytes"
  std::string all() const;

 private:
  bool counts_parcels() const noexcept { return m_asked.how != coalescing_kind::adaptive; }

  coalescing m_asked;
  std::vector<std::int64_t> m_waits_ns, m_amounts; ///< of bytes or parcels
  tune::arm m_start = 0;
};

} // namespace treadle::decide

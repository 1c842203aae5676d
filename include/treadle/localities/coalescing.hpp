#pragma once

#include <treadle/tune/search_options.hpp>

#include <cstddef>
#include <cstdint>

namespace treadle {

/// Which parcels for one locality travel in one message.
enum class coalescing_kind : std::uint8_t {
  off,            ///< each is a message
  paper,          ///< a number, or what there is after an interval (Wagle, Kellar, Serio, Kaiser, 2018, Algorithm 1)
  adaptive,       ///< what comes while the wire is busy, and for a while more where that pays, which is found out
  paper_adaptive, ///< as paper, with numbers that are searched for, as its authors do
};

/// What paper_adaptive counts until it tries other numbers.
enum class coalescing_trigger : std::uint8_t {
  parcels,
  messages,
  period, ///< nanoseconds
  event,  ///< coalescing_event()
};

/// For parcels of an action. What has been gathered for a locality leaves together and in its order, whichever action
/// asks for it; also when the sender has nothing else to do, or waits.
struct coalescing {
  static constexpr std::int64_t k_found_out = -1;

  coalescing_kind how = coalescing_kind::adaptive;

  unsigned parcels = 50;              ///< paper; where paper_adaptive begins
  std::int64_t interval_ns = 100'000; ///< the same

  /// adaptive: parcels wait at least so long, though the wire is free. Found out: for each action and locality, or all
  /// localities while each gets few, so that a parcel takes the least time, while sending messages is a part of that
  /// which can be felt; else 0.
  std::int64_t hold_ns = k_found_out;
  std::int64_t bytes = k_found_out; ///< adaptive: and not for more than these

  // paper_adaptive: it makes the time that is spent on messages small, as a share of what workers have.
  search_strategy search = search_strategy::parallel_rank_order; ///< or nelder_mead
  bool starts_at_random = false;                                 ///< by `seed`
  coalescing_trigger trigger = coalescing_trigger::parcels;
  std::int64_t every = 5000;
  std::uint64_t seed = 1;

  friend bool operator==(const coalescing&, const coalescing&) = default;
};

} // namespace treadle

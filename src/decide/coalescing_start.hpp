// Where the search for how parcels travel begins. Pure.
#pragma once

#include "decide/coalescing_choices.hpp"

#include <treadle/tune/search_options.hpp>
#include <treadle/tune/tuning_store.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace treadle::decide {

/// The time of a parcel is about linear in the messages per parcel. So what it took at the beginning, and with far
/// fewer messages, says what a message costs, and with which choice messages should not be felt any more; that is
/// measured next. A few windows do instead of a search try by try. A wait that does not even halve the messages,
/// because parcels go to many destinations in turn, is followed by a longer one. Where fewer messages took longer, both
/// are measured again, twice at most: what disturbs a program makes it slower, so that the shortest time of each is the
/// one that counts.
class coalescing_start {
 public:
  explicit coalescing_start(const coalescing_choices& all) : m_choices(all), m_at(all.start()) {}

  struct spell {
    double parcels = 0, messages = 0, bytes = 0, ns = 0;
    double destinations = 1; ///< to which the parcels go in turn
  };
  tune::arm at() const noexcept { return m_at; } ///< is to be measured next
  bool is_over() const noexcept { return m_is_over; }
  /// What was sent with at().
  void add(const spell& s);
  /// So far, for a search.
  std::vector<tuned_point> measured() const;

 private:
  static constexpr double k_window_ns = search_options{}.window_ns; // as the search has them
  static constexpr double k_waits_in_window = 4;                    // at least
  static constexpr unsigned k_most = 10, k_most_of_one = 3;         // windows
  static constexpr std::int64_t k_first_wait_ns = 100'000, k_longer = 10;

  struct point {
    tune::arm at;
    double parcel_ns, messages; ///< of a parcel
    unsigned windows = 0;
  };
  double hold_ns() const { return static_cast<double>(m_choices.settings(m_at).hold_ns); }
  void measure(const spell& window);
  std::optional<tune::arm> next(const spell& window) const;
  void go_on(const spell& window);

  const coalescing_choices& m_choices;
  tune::arm m_at;
  bool m_is_over = false;
  spell m_window;
  unsigned m_windows = 0;
  std::vector<point> m_measured;
};

} // namespace treadle::decide

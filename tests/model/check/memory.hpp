#pragma once

#include "model/check/view.hpp"

#include <treadle/detail/order.hpp>

namespace treadle::check {

using detail::order;

/// The memory model: which stores a load may read, and what becomes known by that. It decides nothing itself.
///
/// Modification order is the order of execution, and so is the order of sequentially consistent operations; a load
/// reads a store that was already executed. docs/design/model-checking.md says what that covers and what not.
class memory {
 public:
  static constexpr unsigned k_nobody = k_threads_max; // what exists before the first thread

  void add_thread(unsigned parent);
  /// `thread` now knows what `other`, which has ended, knew.
  void join(unsigned thread, unsigned other) { m_threads[thread].now.join(m_threads[other].now); }

  std::uint32_t add_location(unsigned creator, std::uint64_t value);
  std::size_t locations() const noexcept { return m_locations.size(); }
  /// Null, or why `thread` must not touch the location: its life is not ordered with this access.
  const char* access(unsigned thread, std::uint32_t location);
  const char* destroy(unsigned thread, std::uint32_t location);

  std::uint32_t newest(std::uint32_t location) const { return m_locations[location].size() - 1; }
  std::uint32_t oldest_readable(unsigned thread, std::uint32_t location, order o) const;
  std::uint64_t value(std::uint32_t location, std::uint32_t store) const {
    return m_locations[location].stores[store].value;
  }
  unsigned writer(std::uint32_t location, std::uint32_t store) const {
    return m_locations[location].stores[store].thread;
  }

  void read(unsigned thread, std::uint32_t location, std::uint32_t store, order o);
  /// `continues`: the store of a read-modify-write operation, which passes on what the store it replaces released.
  void write(unsigned thread, std::uint32_t location, std::uint64_t value, order o, bool continues);
  void fence(unsigned thread, order o);
  void light_fence(unsigned thread);
  void heavy_fence(unsigned thread);
  /// `thread` has waited long enough to see the newest store of this location; false when it had seen it before.
  bool catch_up(unsigned thread, std::uint32_t location) {
    const bool is_late = m_threads[thread].now.oldest(location) < newest(location);
    m_threads[thread].now.raise(location, newest(location));
    return is_late;
  }

  /// Starts an operation of the thread: its time, for race detection.
  std::uint32_t tick(unsigned thread) { return ++m_threads[thread].now.clock[thread]; }
  /// Whether the operation of `other` at `time` happened before what `thread` does now.
  bool knows(unsigned thread, unsigned other, std::uint32_t time) const {
    return other == k_nobody || m_threads[thread].now.clock[other] >= time;
  }

 private:
  struct stored {
    std::uint64_t value;
    unsigned thread;
    view released; // what an acquiring reader gets to know
  };
  struct place {
    std::vector<stored> stores; // in modification order
    unsigned creator;
    std::uint32_t created;
    bool destroyed = false;
    std::array<std::uint32_t, k_threads_max> accessed{}; // by thread: time of its last access
    std::uint32_t size() const { return static_cast<std::uint32_t>(stores.size()); }
  };
  struct knowledge {
    view now;      // what happened before its next operation
    view pending;  // what its relaxed loads would have acquired; an acquire fence adds it to `now`
    view released; // what it knew at its last release fence
  };

  std::vector<knowledge> m_threads;
  std::vector<place> m_locations;
  // Stores that sequentially consistent operations, light and heavy fences have put behind them (`seen` only).
  view m_seq_cst, m_light, m_heavy;
};

} // namespace treadle::check

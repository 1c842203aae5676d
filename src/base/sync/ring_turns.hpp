#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstdint>

namespace treadle::detail {

/// Who may touch which places of a ring with one writer and one reader: those that are free belong to the writer, the
/// others to the reader. Neither takes a lock.
class ring_turns {
 public:
  /// `places`: a power of two.
  explicit ring_turns(std::uint64_t places) noexcept : m_places(places) {}
  std::uint64_t places() const noexcept { return m_places; }

  // By the writer
  /// Whether the next place is free.
  bool has_room() noexcept {
    const std::uint64_t at = m_added.load(order::relaxed); // its own
    if (at - m_taken_seen < m_places) return true;
    m_taken_seen = m_taken.load(order::acquire); // pairs with take(): what was there is read
    return at - m_taken_seen < m_places;
  }
  std::uint64_t place() const noexcept { return m_added.load(order::relaxed) & (m_places - 1); }
  /// The place has been written, and is the reader's.
  void added() noexcept { m_added.store(m_added.load(order::relaxed) + 1, order::release); } // pairs with take()

  /// By the reader: visit(place) for those that have been written, the oldest first.
  template <class Visit>
  void take(Visit visit) {
    const std::uint64_t begin = m_taken.load(order::relaxed); // its own
    const std::uint64_t end = m_added.load(order::acquire);   // pairs with added()
    for (std::uint64_t at = begin; at != end; ++at) visit(at & (m_places - 1));
    if (end != begin) m_taken.store(end, order::release); // pairs with has_room(): the places are free
  }

 private:
  const std::uint64_t m_places;
  std::uint64_t m_taken_seen = 0; // by the writer
  alignas(k_cache_line) atomic<std::uint64_t> m_added{0};
  alignas(k_cache_line) atomic<std::uint64_t> m_taken{0};
};

} // namespace treadle::detail

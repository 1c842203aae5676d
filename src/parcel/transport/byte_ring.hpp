// A ring of bytes in memory that two processes share: one writes records, the other reads them in the same order.
//
//   positions (bytes, never reset)      m_read <= m_written <= m_read + capacity
//   a record                            8 bytes of header (its size), its bytes, up to a multiple of 8
//   a record that would not fit behind  a header k_skip there, and the record at the beginning of the ring
//
// The writer publishes a record by its store of `written`; the reader gives the room back by its store of `read`. Each
// keeps the last position of the other that it has seen, and looks again only when that does not suffice, so that
// records that follow each other closely cost no exchange of cache lines between the two.
#pragma once

#include <treadle/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace treadle::detail {

/// What both processes see of a ring, beside its bytes. Zeroes are an empty one.
struct ring_positions {
  alignas(k_cache_line) atomic<std::uint64_t> written{0};
  alignas(k_cache_line) atomic<std::uint64_t> read{0};
};

inline constexpr std::size_t k_ring_header = 8;
inline constexpr std::uint64_t k_ring_skip = ~std::uint64_t{0};
constexpr std::size_t ring_room_of(std::size_t bytes) noexcept { return k_ring_header + (bytes + 7) / 8 * 8; }

/// The writing end; for one thread at a time.
class ring_writer {
 public:
  /// `capacity`: a power of two, of bytes that are aligned to 8.
  ring_writer(ring_positions& shared, std::byte* bytes, std::size_t capacity) noexcept
      : m_shared(shared),
        m_bytes(bytes),
        m_capacity(capacity),
        m_written(shared.written.load(order::relaxed)),
        m_read_seen(shared.read.load(order::relaxed)) {}

  /// A record as large as this always fits in sooner or later.
  std::size_t largest() const noexcept { return m_capacity / 2 - k_ring_header; }

  /// Room for a record of up to this many bytes, for the caller to fill until end(); null while there is none. Without
  /// end() there was no record.
  std::byte* begin(std::size_t bytes) noexcept {
    const std::size_t room = ring_room_of(bytes), at = m_written & (m_capacity - 1);
    const std::size_t skipped = at + room <= m_capacity ? 0 : m_capacity - at;
    if (m_written + skipped + room - m_read_seen > m_capacity) {
      m_read_seen = m_shared.read.load(order::acquire); // pairs with ring_reader::end(): it has read what was there
      if (m_written + skipped + room - m_read_seen > m_capacity) return nullptr;
    }
    if (skipped != 0) write_header(at, k_ring_skip);
    m_begin = m_written + skipped;
    return m_bytes + (m_begin & (m_capacity - 1)) + k_ring_header;
  }
  /// The record is complete, with this many bytes: the reader may have it. seq_cst: the caller looks next at whether
  /// the reader sleeps, who says that it does and then looks here.
  void end(std::size_t bytes) noexcept {
    write_header(m_begin & (m_capacity - 1), bytes);
    m_written = m_begin + ring_room_of(bytes);
    m_shared.written.exchange(m_written, order::seq_cst);
  }
  /// Everything was read.
  bool is_drained() const noexcept { return m_shared.read.load(order::acquire) == m_written; }

 private:
  void write_header(std::size_t at, std::uint64_t value) noexcept { std::memcpy(m_bytes + at, &value, k_ring_header); }

  ring_positions& m_shared;
  std::byte* const m_bytes;
  const std::size_t m_capacity;
  std::uint64_t m_written, m_begin = 0, m_read_seen;
};

/// The reading end; for one thread at a time.
class ring_reader {
 public:
  ring_reader(ring_positions& shared, const std::byte* bytes, std::size_t capacity) noexcept
      : m_shared(shared),
        m_bytes(bytes),
        m_capacity(capacity),
        m_read(shared.read.load(order::relaxed)),
        m_written_seen(m_read) {}

  struct record {
    const std::byte* bytes = nullptr; ///< null: there is none
    std::size_t size = 0;
    bool is_damaged = false; ///< what the ring says cannot be; nothing more is read from it
  };
  /// The oldest record. Its bytes stay until end().
  record begin() noexcept {
    for (;;) {
      if (m_read == m_written_seen) {
        // seq_cst: the caller may just have said that it is about to sleep; pairs with ring_writer::end().
        m_written_seen = m_shared.written.load(order::seq_cst);
        if (m_read == m_written_seen) return {};
      }
      const std::uint64_t there = m_written_seen - m_read;
      const std::size_t at = m_read & (m_capacity - 1);
      std::uint64_t size = 0;
      if (there > m_capacity || there < k_ring_header) return {nullptr, 0, true};
      std::memcpy(&size, m_bytes + at, k_ring_header);
      if (size == k_ring_skip) {
        if (m_capacity - at > there) return {nullptr, 0, true};
        m_read += m_capacity - at;
        continue;
      }
      if (size > m_capacity || ring_room_of(size) > there || at + ring_room_of(size) > m_capacity)
        return {nullptr, 0, true};
      m_next = m_read + ring_room_of(size);
      return {m_bytes + at + k_ring_header, size, false};
    }
  }
  /// The record was read: its room is the writer's again.
  void end() noexcept {
    m_read = m_next;
    m_shared.read.store(m_read, order::release); // pairs with ring_writer::begin()
  }

 private:
  ring_positions& m_shared;
  const std::byte* const m_bytes;
  const std::size_t m_capacity;
  std::uint64_t m_read, m_next = 0, m_written_seen;
};

} // namespace treadle::detail

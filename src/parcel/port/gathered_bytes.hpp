#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace treadle::detail {

/// Bytes that are put together piece by piece, most pieces of some words; what std::vector does, without a call for
/// each. In memory of its own, or in some that is lent to it for as long as that suffices.
class gathered_bytes {
 public:
  bool empty() const noexcept { return m_size == 0; }
  /// What was lent is given back.
  void clear() noexcept {
    if (m_own_room > k_most_room) m_own.reset(), m_own_room = 0;
    m_bytes = m_own.get();
    m_room = m_own_room;
    m_size = 0;
  }
  /// While it is empty.
  void lend(std::span<std::byte> room) noexcept {
    m_bytes = room.data();
    m_room = room.size();
  }
  bool is_lent() const noexcept { return m_bytes != m_own.get(); }
  std::span<const std::byte> all() const noexcept { return {m_bytes, m_size}; }

  /// Room for more, which are there from here on.
  std::byte* extend(std::size_t bytes) {
    if (m_size + bytes > m_room) grow(bytes);
    std::byte* const begin = m_bytes + m_size;
    m_size += bytes;
    return begin;
  }
  /// Room behind all() that extend() hands out next, without a new allocation.
  std::span<std::byte> unused() const noexcept { return {m_bytes + m_size, m_room - m_size}; }
  void append(std::span<const std::byte> more) {
    std::byte* to = extend(more.size());
    const std::byte* from = more.data();
    std::size_t left = more.size();
    if (left > k_few_words * sizeof(std::uint64_t)) {
      std::memcpy(to, from, left);
      return;
    }
    for (; left >= sizeof(std::uint64_t); left -= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, sizeof word);
      std::memcpy(to, &word, sizeof word);
      from += sizeof word;
      to += sizeof word;
    }
    for (; left > 0; --left) *to++ = *from++;
  }

 private:
  static constexpr std::size_t k_few_words = 8, k_least_room = std::size_t{32} << 10U;
  static constexpr std::size_t k_most_room = std::size_t{4} << 20U; // that is kept

  void grow(std::size_t more) {
    if (m_size + more > m_own_room) {
      const std::size_t room = std::max(2 * m_room, m_size + more + k_least_room);
      std::unique_ptr<std::byte[]> larger(new std::byte[room]);
      if (m_size != 0) std::memcpy(larger.get(), m_bytes, m_size);
      m_own = std::move(larger);
      m_own_room = room;
    } else {
      std::memcpy(m_own.get(), m_bytes, m_size);
    }
    m_bytes = m_own.get();
    m_room = m_own_room;
  }

  std::unique_ptr<std::byte[]> m_own;
  std::size_t m_own_room = 0;
  std::byte* m_bytes = nullptr; ///< m_own, or lent
  std::size_t m_size = 0, m_room = 0;
};

} // namespace treadle::detail

// What is larger than a transport takes at once travels in pieces, one behind the other.
#pragma once

#include "parcel/transport/transport.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace treadle::detail {

/// `first_of_bare`: the further ones come without headers.
enum class piece_kind : std::uint64_t { whole, first, further, first_of_bare };

/// What stands before each.
struct piece_header {
  std::uint64_t total; ///< bytes of the message
  piece_kind kind;
};

/// The messages for one destination.
class message_splitter {
 public:
  /// The largest message that is not cut into pieces of `most` bytes.
  static constexpr std::size_t largest_whole(std::size_t most) noexcept { return most + most / 2; }
  /// Calls put(header, from, bytes) for pieces of `most` bytes, or for the whole, where that is not much more. False
  /// where that had no room: the next call, with the same message, goes on behind what was sent. Where `most` is a
  /// multiple of 64 bytes, pieces of the second part begin at such.
  template <class Put>
  bool send(const message_parts& message, std::size_t most, Put put) {
    const std::size_t all = message.size();
    if (all <= largest_whole(most)) return put(piece_header{all, piece_kind::whole}, std::size_t{0}, all);
    while (m_sent < all) {
      std::size_t bytes = std::min(most, all - m_sent);
      if (const std::size_t first = message.first().size(); m_sent == 0 && first != 0 && first < most)
        bytes -= (most - first) % 64;
      if (!put(piece_header{all, m_sent == 0 ? piece_kind::first : piece_kind::further}, m_sent, bytes)) return false;
      m_sent += bytes;
    }
    m_sent = 0;
    return true;
  }

 private:
  std::size_t m_sent = 0;
};

/// The messages from one sender.
class message_joiner {
 public:
  /// A piece with its header. Hands the message over when it is complete; false when the piece cannot be one.
  [[nodiscard]] bool take(std::span<const std::byte> record, unsigned from, message_sink& sink) {
    piece_header header;
    if (record.size() < sizeof header) return false;
    std::memcpy(&header, record.data(), sizeof header);
    const auto piece = record.subspan(sizeof header);
    switch (header.kind) {
    case piece_kind::whole:
      if (header.total != piece.size() || m_total != 0) return false;
      sink.arrived(from, piece);
      return true;
    case piece_kind::first:
    case piece_kind::first_of_bare:
      if (m_total != 0 || piece.size() > header.total) return false;
      m_total = header.total;
      m_awaits_bare = header.kind == piece_kind::first_of_bare;
      m_into = sink.begin_pieces(from, piece, m_total);
      return add(piece, piece_kind::first, from, sink);
    case piece_kind::further:
      return m_total == header.total && !m_awaits_bare && add(piece, piece_kind::further, from, sink);
    }
    return false;
  }
  /// The next piece has to be one without a header.
  bool awaits_bare() const noexcept { return m_awaits_bare; }
  /// That piece; as take().
  [[nodiscard]] bool take_bare(std::span<const std::byte> piece, unsigned from, message_sink& sink) {
    return m_awaits_bare && add(piece, piece_kind::further, from, sink);
  }

 private:
  static constexpr std::size_t k_trusted = std::size_t{256} << 20U, k_kept = std::size_t{16} << 20U;

  bool add(std::span<const std::byte> piece, piece_kind kind, unsigned from, message_sink& sink) {
    if (piece.empty() || piece.size() > m_total - m_taken) return false;
    m_taken += piece.size();
    if (m_into) {
      if (kind == piece_kind::further && !m_into->add(piece)) return false;
    } else {
      if (m_joined.empty()) m_joined.reserve(std::min(m_total, k_trusted)); // it may be damaged
      m_joined.insert(m_joined.end(), piece.begin(), piece.end());
    }
    if (m_taken < m_total) return true;
    m_total = m_taken = 0;
    m_awaits_bare = false;
    if (const std::unique_ptr<message_in_pieces> whole = std::move(m_into)) {
      sink.end_pieces(from, *whole);
      return true;
    }
    sink.arrived(from, m_joined);
    m_joined.clear(); // the memory stays for the next one
    if (m_joined.capacity() > k_kept) m_joined.shrink_to_fit();
    return true;
  }

  std::unique_ptr<message_in_pieces> m_into; ///< or m_joined
  std::vector<std::byte> m_joined;
  std::size_t m_total = 0, m_taken = 0; ///< 0: none is under way
  bool m_awaits_bare = false;
};

} // namespace treadle::detail

#include "parcel/transport/shared_memory.hpp"

#include "base/clock.hpp"
#include "parcel/transport/bell.hpp"
#include "parcel/transport/byte_ring.hpp"
#include "parcel/transport/life_lock.hpp"
#include "parcel/transport/pieces.hpp"
#include "parcel/transport/refusals.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

constexpr std::uint64_t k_magic = 0x31'6c'6c'65'63'72'61'70; // "parcell1"
constexpr std::size_t k_ring_bytes = std::size_t{1} << 20U;
constexpr std::size_t k_piece = std::size_t{64} << 10U; // while the receiver copies one the sender copies the next
constexpr unsigned k_most = 1024;
constexpr std::int64_t k_join_ns = 60'000'000'000, k_check_ns = 500'000'000;

// In the file: one of the first, one of the second for each locality, and a ring from each to each, by receiver.
struct file_header {
  atomic<std::uint64_t> magic;
  atomic<std::uint32_t> joined;
  /// One more than the number of the first locality that was seen to be dead. Others end because of that, and are not
  /// to be blamed by those who look later.
  atomic<std::uint32_t> gone;
};
struct alignas(k_cache_line) locality_part {
  bell rings;
  atomic<std::uint64_t> digest;
  atomic<std::uint32_t> has_left;
};
struct ring_part {
  ring_positions positions;
  alignas(k_cache_line) std::byte bytes[k_ring_bytes];
};

class mapped_file {
 public:
  mapped_file(const std::string& path, std::size_t bytes) : m_bytes(bytes) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void* memory = MAP_FAILED;
    // All make it as large as it has to be: the one that is first fills it with zeroes.
    if (file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0)
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = errno;
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) throw std::system_error(error, std::generic_category(), "memory of localities: " + path);
    m_memory = static_cast<std::byte*>(memory);
  }
  ~mapped_file() { munmap(m_memory, m_bytes); }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  std::byte* at(std::size_t offset) const noexcept { return m_memory + offset; }

 private:
  std::byte* m_memory = nullptr;
  const std::size_t m_bytes;
};

constexpr std::size_t offset_of_localities() { return k_cache_line; }
constexpr std::size_t offset_of_rings(unsigned size) { return offset_of_localities() + size * sizeof(locality_part); }
constexpr std::size_t bytes_of(unsigned size) {
  return offset_of_rings(size) + std::size_t{size} * size * sizeof(ring_part);
}

class shared_memory final : public transport {
 public:
  explicit shared_memory(const shared_memory_place& place)
      : m_rank(place.rank), m_size(place.size), m_file(place.file, bytes_of(place.size)), m_alive(place.file) {
    for (unsigned other = 0; other < m_size; ++other) {
      ring_part& in = ring(other, m_rank);
      ring_part& out = ring(m_rank, other);
      m_in.push_back({ring_reader(in.positions, in.bytes, k_ring_bytes), {}});
      m_out.push_back({ring_writer(out.positions, out.bytes, k_ring_bytes), {}, nullptr});
    }
  }

  ~shared_memory() override { part(m_rank).has_left.store(1, order::release); } // before its lock goes

  unsigned rank() const noexcept override { return m_rank; }
  unsigned size() const noexcept override { return m_size; }

  bool send(unsigned to, message_parts message) override {
    outgoing& out = m_out[to];
    return out.pieces.send(message, k_piece, [&](const piece_header& header, std::size_t from, std::size_t bytes) {
      std::byte* const room = out.ring.begin(sizeof header + bytes);
      if (!room) return false;
      std::memcpy(room, &header, sizeof header);
      message.copy(room + sizeof header, from, bytes);
      end_record(to, sizeof header + bytes);
      return true;
    });
  }
  std::span<std::byte> reserve(unsigned to, std::size_t bytes) noexcept override {
    outgoing& out = m_out[to];
    out.reserved = out.ring.begin(sizeof(piece_header) + bytes);
    if (!out.reserved) return {};
    return {out.reserved + sizeof(piece_header), bytes};
  }
  void send_reserved(unsigned to, std::size_t bytes) noexcept override {
    const piece_header header{bytes, piece_kind::whole};
    std::memcpy(m_out[to].reserved, &header, sizeof header);
    end_record(to, sizeof header + bytes);
  }

  bool is_free(unsigned to) noexcept override { return m_out[to].ring.is_drained(); }

  bool poll(message_sink& sink) override {
    constexpr int k_most_of_one = 256;
    bool any = false;
    for (unsigned from = 0; from < m_size; ++from) {
      incoming& in = m_in[from];
      for (int n = 0; n < k_most_of_one; ++n) {
        const ring_reader::record one = in.ring.begin();
        if (one.is_damaged) throw_damaged(from, m_rank);
        if (!one.bytes) break;
        any = true;
        if (!in.pieces.take({one.bytes, one.size}, from, sink)) throw_damaged(from, m_rank);
        in.ring.end();
      }
    }
    if (const unsigned gone = m_gone.load(order::relaxed); gone != 0 && !any)
      throw std::runtime_error("localities: locality " + std::to_string(gone - 1) + " has ended without warning");
    return any;
  }

  void begin_polling() noexcept override {
    if (m_polling.fetch_add(1, order::relaxed) == 0) part(m_rank).rings.disarm();
  }
  void end_polling() noexcept override {
    // Those who have looked meanwhile disarmed it before.
    if (m_polling.fetch_sub(1, order::acq_rel) == 1) part(m_rank).rings.arm();
  }
  void wait(std::int64_t timeout_ns) noexcept override {
    bell& own = part(m_rank).rings;
    const std::uint32_t calls = std::exchange(m_calls, own.calls());
    if (calls == m_calls) own.sleep(calls, timeout_ns < 0 ? k_check_ns : std::min(timeout_ns, k_check_ns));
    check_others();
  }
  void wake() noexcept override { part(m_rank).rings.call(); }

  void join(std::uint64_t digest) override {
    auto& header = *reinterpret_cast<file_header*>(m_file.at(0));
    std::uint64_t none = 0;
    if (!header.magic.compare_exchange(none, k_magic, order::relaxed, order::relaxed) && none != k_magic)
      throw std::runtime_error("localities: the shared file is of another version of Treadle");
    locality_part& own = part(m_rank);
    m_alive.hold(m_rank);
    m_check_at_ns = 0;
    own.digest.store(digest, order::relaxed);
    header.joined.fetch_add(1, order::acq_rel);
    shared_futex_wake(header.joined, static_cast<int>(m_size));
    const std::int64_t end = steady_now_ns() + k_join_ns;
    for (;;) {
      const std::uint32_t joined = header.joined.load(order::acquire);
      if (joined >= m_size) break;
      const std::int64_t left = end - steady_now_ns();
      if (left <= 0)
        throw std::runtime_error("localities: " + std::to_string(joined) + " of " + std::to_string(m_size) +
                                 " have come within a minute");
      shared_futex_wait(header.joined, joined, std::min<std::int64_t>(left, 1'000'000'000));
    }
    for (unsigned other = 0; other < m_size; ++other) {
      if (part(other).digest.load(order::relaxed) != digest) throw_other_program(other, m_rank);
    }
  }

 private:
  struct incoming {
    ring_reader ring;
    message_joiner pieces;
  };
  struct outgoing {
    ring_writer ring;
    message_splitter pieces;
    std::byte* reserved = nullptr; ///< with its header
  };

  void end_record(unsigned to, std::size_t bytes) noexcept {
    m_out[to].ring.end(bytes);
    part(to).rings.ring();
  }

  /// Now and then. What it finds poll() tells, behind what was sent before.
  void check_others() noexcept {
    const std::int64_t now_ns = steady_now_ns();
    if (now_ns < m_check_at_ns) return;
    m_check_at_ns = now_ns + k_check_ns;
    auto& first_gone = reinterpret_cast<file_header*>(m_file.at(0))->gone;
    for (unsigned other = 0; other < m_size && first_gone.load(order::relaxed) == 0; ++other) {
      if (other == m_rank || m_alive.is_held(other) || part(other).has_left.load(order::acquire) != 0) continue;
      std::uint32_t none = 0;
      first_gone.compare_exchange(none, other + 1, order::relaxed, order::relaxed);
    }
    m_gone.store(first_gone.load(order::relaxed), order::relaxed);
  }

  locality_part& part(unsigned of) const noexcept {
    return reinterpret_cast<locality_part*>(m_file.at(offset_of_localities()))[of];
  }
  ring_part& ring(unsigned from, unsigned to) const noexcept {
    return reinterpret_cast<ring_part*>(m_file.at(offset_of_rings(m_size)))[std::size_t{to} * m_size + from];
  }

  const unsigned m_rank, m_size;
  const mapped_file m_file;
  const life_lock m_alive;
  std::vector<incoming> m_in;  ///< by sender; of the thread that polls
  std::vector<outgoing> m_out; ///< by receiver; of the thread that sends there
  atomic<std::uint32_t> m_polling{0};
  atomic<unsigned> m_gone{0}; ///< one more than the number of a locality that has died
  // Of the thread that waits
  std::uint32_t m_calls = 0;
  std::int64_t m_check_at_ns = INT64_MAX; // until join()
};

} // namespace

shared_memory_place parse_shared_memory_place(const std::string& text) {
  shared_memory_place place;
  const std::size_t size_at = text.rfind(':'),
                    rank_at = size_at == std::string::npos || size_at == 0 ? size_at : text.rfind(':', size_at - 1);
  const auto number = [&](std::size_t from, std::size_t to, unsigned& into) {
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, into);
    return error == std::errc() && end == text.data() + to;
  };
  if (rank_at == std::string::npos || rank_at == 0 || size_at == rank_at ||
      !number(size_at + 1, text.size(), place.size) || !number(rank_at + 1, size_at, place.rank) || place.size == 0 ||
      place.size > k_most || place.rank >= place.size)
    throw std::invalid_argument("TREADLE_LOCALITIES: expected FILE:RANK:SIZE with 0 <= RANK < SIZE <= " +
                                std::to_string(k_most) + ", got '" + text + "'");
  place.file = text.substr(0, rank_at);
  return place;
}

std::unique_ptr<transport> open_shared_memory(const shared_memory_place& place) {
  return std::make_unique<shared_memory>(place);
}

} // namespace treadle::detail

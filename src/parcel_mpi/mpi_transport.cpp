// Messages over MPI, in a library of its own for each MPI (libtreadle_openmpi, libtreadle_mpich), which the parcels
// load where the program was started by that MPI's mpirun. It shares nothing with them but the interface of transports.
#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "parcel/transport/pieces.hpp"
#include "parcel/transport/refusals.hpp"
#include "parcel/transport/transport.hpp"

#include <treadle/detail/spinlock.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int size = 0;
  MPI_Error_string(result, text, &size);
  throw std::runtime_error(std::string("localities: ") + what + ": " +
                           std::string(text, static_cast<std::size_t>(size)));
}

/// MPI from its beginning to its end, unless the program itself has begun it.
class mpi_use {
 public:
  mpi_use() {
    int begun = 0, level = 0;
    MPI_Initialized(&begun);
    m_is_ours = begun == 0;
    if (m_is_ours)
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
    else
      check(MPI_Query_thread(&level), "MPI_Query_thread");
    // Only the program knows when it calls MPI itself.
    if (level < (m_is_ours ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE))
      throw std::runtime_error(m_is_ours ? "localities: this MPI cannot be called from several threads"
                                         : "localities: the program has begun MPI without MPI_THREAD_MULTIPLE");
    check(MPI_Comm_dup(MPI_COMM_WORLD, &m_world), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(m_world, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~mpi_use() {
    MPI_Comm_free(&m_world);
    if (m_is_ours) MPI_Finalize();
  }
  mpi_use(const mpi_use&) = delete;
  mpi_use& operator=(const mpi_use&) = delete;
  MPI_Comm world() const noexcept { return m_world; }

 private:
  bool m_is_ours = false;
  MPI_Comm m_world = MPI_COMM_NULL;
};

class mpi_transport final : public transport {
 public:
  mpi_transport() {
    int number = 0;
    check(MPI_Comm_rank(m_mpi.world(), &number), "MPI_Comm_rank");
    m_rank = static_cast<unsigned>(number);
    check(MPI_Comm_size(m_mpi.world(), &number), "MPI_Comm_size");
    m_size = static_cast<unsigned>(number);
    m_in.resize(m_size);
    m_out.resize(m_size);
    for (posted& one : m_posted) {
      one.bytes.resize(k_posted_bytes);
      post(one);
    }
  }
  /// What was sent is on its way: others leave only when they have got it all.
  ~mpi_transport() override {
    for (outgoing& out : m_out) {
      for (sending& one : out.under_way) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
      for (MPI_Request& one : out.uncopied) MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    for (posted& one : m_posted) {
      if (one.request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&one.request);
      MPI_Wait(&one.request, MPI_STATUS_IGNORE);
    }
  }

  unsigned rank() const noexcept override { return m_rank; }
  unsigned size() const noexcept override { return m_size; }

  bool send(unsigned to, message_parts message) override {
    outgoing& out = m_out[to];
    if (message.rest().size() >= k_uncopied_piece && message.first().size() <= k_piece)
      return send_uncopied(out, to, message);
    return out.pieces.send(message, k_piece, [&](const piece_header& header, std::size_t from, std::size_t bytes) {
      return send_copy(out, to, header, message, from, bytes);
    });
  }

  bool keeps_second_parts() const noexcept override { return true; }
  void abandon(unsigned to) noexcept override {
    constexpr std::int64_t k_patience_ns = 1'000'000'000;
    try {
      for (const std::int64_t end = steady_now_ns() + k_patience_ns; steady_now_ns() < end;) {
        const scoped_lock guard(m_calls_mpi);
        forget_uncopied(m_out[to]);
        if (m_out[to].uncopied.empty()) return;
      }
    } catch (...) { // MPI has failed
    }
    std::fputs("localities: a large vector ends that is on its way, so the program does, too\n", stderr);
    MPI_Abort(m_mpi.world(), 1); // which cannot take it back
  }

  bool is_free(unsigned to) noexcept override {
    const scoped_lock guard(m_calls_mpi);
    try {
      forget_sent(m_out[to]);
    } catch (...) { // the next send says so
    }
    return m_out[to].under_way.empty();
  }

  bool poll(message_sink& sink) override {
    constexpr int k_most = 256;
    int n = 0;
    for (; n < k_most; ++n) {
      const std::optional<received> got = receive();
      if (!got) break;
      message_joiner& in = m_in[got->from];
      if (!(got->is_bare ? in.take_bare(got->bytes, got->from, sink) : in.take(got->bytes, got->from, sink)))
        throw_damaged(got->from, m_rank);
      if (!got->is_bare && in.awaits_bare()) m_awaits_bare.push_back(got->from);
      if (got->is_bare && !in.awaits_bare()) std::erase(m_awaits_bare, got->from);
    }
    if (n > 0) m_last_ns.store(steady_now_ns(), order::relaxed);
    return n > 0;
  }

  void begin_polling() noexcept override {}
  void end_polling() noexcept override {}
  /// MPI tells nobody who sleeps, so that it has to be asked, less and less often: an answer is found when it has been
  /// waited for an eighth longer, or 50 us, so that two that ask each other in turn are soon awake at the same time.
  void wait(std::int64_t timeout_ns) noexcept override {
    const std::uint32_t calls = std::exchange(m_calls_seen, m_calls.load(order::acquire));
    if (calls != m_calls_seen) return;
    const std::int64_t since = steady_now_ns() - m_last_ns.load(order::relaxed);
    const std::int64_t nap_ns = std::clamp(since / 8, k_nap_ns_min, k_nap_ns_max);
    futex_wait(m_calls, calls, timeout_ns < 0 ? nap_ns : std::min(nap_ns, timeout_ns));
  }
  /// Who answers may have to wake up first.
  std::int64_t lookout_ns() const noexcept override { return 4 * k_nap_ns_min; }
  void wake() noexcept override {
    m_calls.fetch_add(1, order::release);
    futex_wake(m_calls);
  }

  void join(std::uint64_t digest) override {
    std::vector<std::uint64_t> all(m_size);
    check(MPI_Allgather(&digest, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, m_mpi.world()), "MPI_Allgather");
    for (unsigned other = 0; other < m_size; ++other)
      if (all[other] != digest) throw_other_program(other, m_rank);
  }

 private:
  static constexpr int k_tag = 1, k_uncopied_tag = 2;
  static constexpr std::size_t k_posted = 8, k_posted_bytes = std::size_t{128} << 10U;
  static constexpr std::size_t k_piece = std::size_t{80} << 10U, k_uncopied_piece = std::size_t{1} << 20U;
  static constexpr std::size_t k_whole = message_splitter::largest_whole(k_piece);
  static_assert(k_whole + sizeof(piece_header) <= k_posted_bytes);
  static_assert(k_whole >= std::size_t{80} << 10U); // the largest that is gathered by choice: 64 KiB and a parcel
  static constexpr std::size_t k_uncopied_at_once = 8;
  static constexpr std::size_t k_under_way = std::size_t{4} << 20U; // to one destination, and one more message
  static constexpr std::size_t k_messages_under_way = 256; // many are dear: OpenMPI 4 takes 17 us for each of 100 000
  static constexpr std::size_t k_buffer = 4096;            // kept for the next message where it is not larger
  static constexpr std::size_t k_buffers = 1024;
  static constexpr std::int64_t k_nap_ns_min = 50'000, k_nap_ns_max = 3'000'000;

  struct sending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
  };
  struct outgoing {
    message_splitter pieces;
    std::deque<sending> under_way;
    std::size_t bytes = 0; ///< of these
    // The second part of a message, which leaves from where it is.
    bool has_begun = false;
    std::size_t sent = 0; ///< of its bytes
    std::deque<MPI_Request> uncopied;
  };

  bool send_copy(outgoing& out, unsigned to, const piece_header& header, const message_parts& message, std::size_t from,
                 std::size_t bytes) {
    const scoped_lock guard(m_calls_mpi);
    forget_sent(out);
    if (!out.under_way.empty() && (out.bytes + bytes > k_under_way || out.under_way.size() >= k_messages_under_way))
      return false;
    sending& one = out.under_way.emplace_back();
    one.bytes = take_buffer(sizeof header + bytes);
    std::memcpy(one.bytes.data(), &header, sizeof header);
    message.copy(one.bytes.data() + sizeof header, from, bytes);
    out.bytes += bytes;
    isend(one.bytes, to, k_tag, one.request);
    return true;
  }
  /// The first part is a piece of its own; those of the second one follow without headers. True when MPI needs them no
  /// more.
  bool send_uncopied(outgoing& out, unsigned to, const message_parts& message) {
    const auto rest = message.rest();
    if (!out.has_begun) {
      const piece_header header{message.size(), piece_kind::first_of_bare};
      if (!send_copy(out, to, header, message, 0, message.first().size())) return false;
      out.has_begun = true;
    }
    const scoped_lock guard(m_calls_mpi);
    forget_uncopied(out);
    while (out.sent < rest.size() && out.uncopied.size() < k_uncopied_at_once) {
      const auto piece = rest.subspan(out.sent, std::min(k_uncopied_piece, rest.size() - out.sent));
      isend(piece, to, k_uncopied_tag, out.uncopied.emplace_back(MPI_REQUEST_NULL));
      out.sent += piece.size();
    }
    if (!out.uncopied.empty()) return false;
    out.has_begun = false;
    out.sent = 0;
    return true;
  }
  // With the lock
  static void forget_uncopied(outgoing& out) {
    for (; !out.uncopied.empty() && has_left(out.uncopied.front()); out.uncopied.pop_front()) {
    }
  }
  static bool has_left(MPI_Request& request) {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void isend(std::span<const std::byte> bytes, unsigned to, int tag, MPI_Request& request) {
    check(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), tag, m_mpi.world(),
                    &request),
          "MPI_Isend");
  }
  std::vector<std::byte> take_buffer(std::size_t bytes) {
    std::vector<std::byte> taken;
    if (bytes <= k_buffer && !m_buffers.empty()) {
      taken = std::move(m_buffers.back());
      m_buffers.pop_back();
    } else if (bytes <= k_buffer) {
      taken.reserve(k_buffer);
    }
    taken.resize(bytes);
    return taken;
  }
  void forget_sent(outgoing& out) {
    while (!out.under_way.empty()) {
      sending& oldest = out.under_way.front();
      if (!has_left(oldest.request)) return;
      out.bytes -= oldest.bytes.size() - sizeof(piece_header);
      if (oldest.bytes.capacity() == k_buffer && m_buffers.size() < k_buffers)
        m_buffers.push_back(std::move(oldest.bytes));
      out.under_way.pop_front();
    }
  }

  /// A receive that MPI has been given before there is a message, which it finds sooner than one that it is asked for.
  struct posted {
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<std::byte> bytes;
  };
  struct received {
    unsigned from;
    std::span<const std::byte> bytes; ///< until the next one
    bool is_bare;
  };
  // With the lock, or alone
  void post(posted& one) {
    check(MPI_Irecv(one.bytes.data(), static_cast<int>(one.bytes.size()), MPI_BYTE, MPI_ANY_SOURCE, k_tag,
                    m_mpi.world(), &one.request),
          "MPI_Irecv");
  }
  /// The next piece. Messages are given to posted receives in the order in which these were posted.
  std::optional<received> receive() {
    const scoped_lock guard(m_calls_mpi);
    if (m_is_read) {
      post(m_posted[m_next]);
      m_next = (m_next + 1) % k_posted;
      m_is_read = false;
    }
    for (const unsigned from : m_awaits_bare)
      if (receive_bare(from)) return received{from, m_bare, true};
    if (!m_has_come) {
      int there = 0, bytes = 0;
      MPI_Status status;
      check(MPI_Test(&m_posted[m_next].request, &there, &status), "MPI_Test");
      if (there == 0) {
        for (outgoing& out : m_out) forget_sent(out); // nothing better to do
        return std::nullopt;
      }
      check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      const std::span<const std::byte> all(m_posted[m_next].bytes);
      m_has_come =
          received{static_cast<unsigned>(status.MPI_SOURCE), all.first(static_cast<std::size_t>(bytes)), false};
    }
    // What was sent behind bare pieces may come before them.
    if (m_in[m_has_come->from].awaits_bare()) return std::nullopt;
    m_is_read = true;
    return std::exchange(m_has_come, std::nullopt);
  }
  bool receive_bare(unsigned from) {
    int there = 0, bytes = 0;
    MPI_Message message;
    MPI_Status status;
    check(MPI_Improbe(static_cast<int>(from), k_uncopied_tag, m_mpi.world(), &there, &message, &status), "MPI_Improbe");
    if (there == 0) return false;
    check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    m_bare.resize(static_cast<std::size_t>(bytes));
    check(MPI_Mrecv(m_bare.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return true;
  }

  mpi_use m_mpi;
  unsigned m_rank = 0, m_size = 0;
  spinlock m_calls_mpi; ///< one thread at a time
  std::vector<outgoing> m_out;
  std::vector<std::vector<std::byte>> m_buffers;
  // Of the thread that polls
  std::vector<message_joiner> m_in;
  posted m_posted[k_posted];
  std::size_t m_next = 0;              ///< of these
  std::optional<received> m_has_come;  ///< there, and not handed over yet
  bool m_is_read = false;              ///< it has been
  std::vector<unsigned> m_awaits_bare; ///< from whom the next piece is bare
  std::vector<std::byte> m_bare;
  atomic<std::int64_t> m_last_ns{0}; ///< when something came
  atomic<std::uint32_t> m_calls{0};
  std::uint32_t m_calls_seen = 0; ///< of the thread that waits
};

} // namespace
} // namespace treadle::detail

extern "C" [[gnu::visibility("default")]] treadle::detail::transport* treadle_open_transport() {
  return new treadle::detail::mpi_transport;
}

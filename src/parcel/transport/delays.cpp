#include "parcel/transport/delays.hpp"

#include "base/clock.hpp"
#include "parcel/transport/refusals.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

constexpr std::int64_t k_never = std::numeric_limits<std::int64_t>::max();

void be_busy(std::int64_t ns) noexcept {
  for (const std::int64_t end = steady_now_ns() + ns; steady_now_ns() < end;) cpu_relax();
}

class delayed_transport final : public transport, message_sink {
 public:
  delayed_transport(std::unique_ptr<transport> inner, const network_delays& of)
      : m_inner(std::move(inner)), m_of(of), m_out(m_inner->size()), m_held(m_inner->size()) {}

  unsigned rank() const noexcept override { return m_inner->rank(); }
  unsigned size() const noexcept override { return m_inner->size(); }

  /// With the time at which it arrives before it.
  bool send(unsigned to, message_parts message) override {
    outgoing& out = m_out[to];
    if (!out.is_stamped) { // else it is the same once more, that had no room
      be_busy(m_of.overhead_ns);
      const std::int64_t arrives = leave(message.size()) + m_of.latency_ns;
      out.bytes.resize(sizeof arrives + message.size());
      std::memcpy(out.bytes.data(), &arrives, sizeof arrives);
      message.copy(out.bytes.data() + sizeof arrives, 0, message.size());
      out.is_stamped = true;
    }
    if (!m_inner->send(to, out.bytes)) return false;
    out.is_stamped = false;
    return true;
  }
  bool is_free(unsigned to) noexcept override {
    const scoped_lock guard(m_lock);
    return steady_now_ns() >= m_free_at && m_inner->is_free(to);
  }

  bool poll(message_sink& sink) override {
    bool any = false;
    try {
      if (!m_failure) any = m_inner->poll(*this);
    } catch (...) { // what was sent before comes first
      m_failure = std::current_exception();
    }
    for (unsigned from = 0; from < size(); ++from) {
      for (auto& waiting = m_held[from]; !waiting.empty() && waiting.front().at <= steady_now_ns();
           waiting.pop_front()) {
        be_busy(m_of.overhead_ns);
        sink.arrived(from, waiting.front().bytes);
        any = true;
      }
    }
    note_next();
    if (m_failure && m_next_at.load(order::relaxed) == k_never) std::rethrow_exception(m_failure);
    return any;
  }

  void begin_polling() noexcept override { m_inner->begin_polling(); }
  void end_polling() noexcept override {
    m_inner->end_polling();
    if (m_next_at.load(order::relaxed) != k_never) m_inner->wake(); // the thread that waits has to wake at that time
  }
  void wait(std::int64_t timeout_ns) noexcept override {
    const std::int64_t next = m_next_at.load(order::relaxed);
    if (next != k_never) {
      const std::int64_t left = std::max<std::int64_t>(next - steady_now_ns(), 0);
      timeout_ns = timeout_ns < 0 ? left : std::min(timeout_ns, left);
    }
    if (timeout_ns != 0) m_inner->wait(timeout_ns);
  }
  std::int64_t lookout_ns() const noexcept override { return m_inner->lookout_ns(); } // second parts are copied here
  void wake() noexcept override { m_inner->wake(); }
  void join(std::uint64_t digest) override { m_inner->join(digest); }

 private:
  struct outgoing {
    std::vector<std::byte> bytes;
    bool is_stamped = false;
  };
  struct held {
    std::int64_t at;
    std::vector<std::byte> bytes;
  };

  /// When its last byte has left.
  std::int64_t leave(std::size_t bytes) noexcept {
    const scoped_lock guard(m_lock);
    const std::int64_t wire_ns = static_cast<std::int64_t>(bytes) * m_of.ps_per_byte / 1000;
    m_free_at = std::max(m_free_at, steady_now_ns()) + std::max(m_of.gap_ns, wire_ns);
    return m_free_at;
  }
  void arrived(unsigned from, std::span<const std::byte> message) override {
    held one{0, {}};
    if (message.size() < sizeof one.at) throw_damaged(from, rank());
    std::memcpy(&one.at, message.data(), sizeof one.at);
    one.bytes.assign(message.begin() + sizeof one.at, message.end());
    m_held[from].push_back(std::move(one));
  }
  void note_next() noexcept {
    std::int64_t next = k_never;
    for (const auto& waiting : m_held)
      if (!waiting.empty()) next = std::min(next, waiting.front().at);
    m_next_at.store(next, order::relaxed);
  }

  const std::unique_ptr<transport> m_inner;
  const network_delays m_of;
  std::vector<outgoing> m_out;
  spinlock m_lock;
  std::int64_t m_free_at = 0;           ///< the wire, with the lock
  std::vector<std::deque<held>> m_held; ///< by sender; of the thread that polls
  std::exception_ptr m_failure;         ///< of the inner one; as those
  atomic<std::int64_t> m_next_at{k_never};
};

} // namespace

network_delays parse_network_delays(const std::string& text) {
  network_delays found;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool is_right = true;
  for (std::int64_t* const each : {&found.latency_ns, &found.overhead_ns, &found.gap_ns, &found.ps_per_byte}) {
    const auto [next, error] = std::from_chars(at, end, *each);
    is_right = is_right && error == std::errc() && *each >= 0 && *each <= 1'000'000'000;
    at = next;
    if (each != &found.ps_per_byte) is_right = is_right && at != end && *at++ == ',';
  }
  if (!is_right || at != end)
    throw std::invalid_argument("TREADLE_NETWORK: expected latency, overhead and gap in ns and ps per byte, as in "
                                "5000,500,200,100, each at most a second, got '" +
                                text + "'");
  return found;
}

std::unique_ptr<transport> with_delays(std::unique_ptr<transport> inner, const network_delays& of) {
  return std::make_unique<delayed_transport>(std::move(inner), of);
}

} // namespace treadle::detail

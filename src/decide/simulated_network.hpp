// For tests: a sender, a wire and a receiver in simulated time.
#pragma once

#include "decide/coalescing.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace treadle::decide {

/// LogGP: o of a processor for each message, a latency, a time per byte; and what a processor takes for each parcel.
struct network {
  double overhead_ns = 500, parcel_ns = 20, latency_ns = 1000, byte_ns = 0.1;
};

/// Sends parcels of `bytes` bytes.
class simulated_sender {
 public:
  static constexpr double k_start_ns = 1e6;

  explicit simulated_sender(const network& of, std::size_t bytes = 16) : network_is(of), m_bytes(bytes) {}

  /// The sender sends the next parcel after `gap_ns` of other work.
  void send(const coalescing& s, double gap_ns) {
    for (double left = gap_ns; left > 0;) { // others look meanwhile
      const double step = std::min(left, 1000.0);
      now_ns += step;
      left -= step;
      if (m_gathered.look(s, static_cast<std::int64_t>(now_ns), [&] { return is_free(); })) send_message();
    }
    now_ns += network_is.parcel_ns;
    m_waiting.push_back(now_ns);
    ++parcels;
    if (m_gathered.put(s, false, [&] { return static_cast<std::int64_t>(now_ns); }, m_bytes, [&] { return is_free(); }))
      send_message();
  }
  std::uint64_t bytes() const noexcept { return parcels * m_bytes; }
  void flush() {
    if (m_gathered.flush()) send_message();
  }

  network network_is; ///< may change
  double now_ns = k_start_ns;
  double receiver_ns = 0; ///< when it has read all
  double sending_ns = 0;  ///< that messages have taken
  std::uint64_t parcels = 0, messages = 0;
  double latency_ns = 0; ///< from when a parcel came to when it has arrived, of all together
  double longest_ns = 0;
  std::vector<int>* arrived = nullptr; ///< gets their numbers, where there is one

 private:
  bool is_free() const noexcept { return now_ns >= m_free_at; }
  void send_message() {
    now_ns += network_is.overhead_ns;
    sending_ns += network_is.overhead_ns;
    const double left_ns =
        std::max(m_free_at, now_ns) + network_is.byte_ns * static_cast<double>(m_bytes * m_waiting.size());
    receiver_ns = std::max(receiver_ns, left_ns + network_is.latency_ns) + network_is.overhead_ns;
    for (const double came : m_waiting) {
      receiver_ns += network_is.parcel_ns;
      if (arrived) arrived->push_back(static_cast<int>(arrived->size()));
      latency_ns += receiver_ns - came;
      longest_ns = std::max(longest_ns, receiver_ns - came);
    }
    m_free_at = receiver_ns; // it has read the message
    m_waiting.clear();
    ++messages;
  }

  const std::size_t m_bytes;
  gathering m_gathered;
  std::vector<double> m_waiting; ///< when they came
  double m_free_at = 0;
};

} // namespace treadle::decide

// ZeroMQ as a program uses it that has an agent: found when it is needed, never linked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace treadle::detail {

/// Keys of CURVE, as ZeroMQ prints them (40 characters each).
struct curve_keys {
  std::string server_public, own_public, own_secret;
};

/// A DEALER socket. One thread. Not in a child of the process that made it.
class zeromq_dealer {
 public:
  /// Connects in the background, again and again. Throws std::runtime_error when ZeroMQ is not there, or does not take
  /// the address.
  zeromq_dealer(const std::string& address, const std::optional<curve_keys>& keys);
  ~zeromq_dealer(); ///< gives what was sent 100 ms to go
  zeromq_dealer(zeromq_dealer&& other) noexcept;
  zeromq_dealer& operator=(zeromq_dealer&& other) noexcept;

  /// Dropped when nobody has been there for long.
  void send(const std::string& message) noexcept;
  /// The next one that has come; messages of several parts, which no agent sends, are skipped.
  std::optional<std::string> receive();
  /// Until there is one, `descriptor` (unless that is -1) can be read, or the time is over; negative: without end.
  void wait(int descriptor, std::int64_t timeout_ns) noexcept;
  /// In the child of a fork: what belongs to the parent's threads is left alone.
  void leave_to_parent() noexcept;

 private:
  void *m_context = nullptr, *m_socket = nullptr;
};

} // namespace treadle::detail

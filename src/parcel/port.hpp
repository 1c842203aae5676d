// What this process sends to others, and what arrives: outboxes, and who looks for messages when.
#pragma once

#include "parcel/transport.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/spinlock.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace treadle::detail {

/// What is done with what arrives. Must not wait.
class parcel_receiver {
 public:
  /// Each message once, those from one sender in order. What it throws ends the port.
  virtual void arrived(unsigned from, std::span<const std::byte> message) = 0;
  /// Nothing is sent or received any more. Once.
  virtual void failed(std::exception_ptr why) noexcept = 0;

 protected:
  ~parcel_receiver() = default;
};

/// Whether a message is one of the program's.
enum class counting : bool { no, yes };

/// Sends and receives over a transport. Messages are handled by workers without work, which look for them as they look
/// for tasks, and by a thread of the port while there are none; by one of them at a time.
class parcel_port final : message_sink {
 public:
  parcel_port(std::unique_ptr<transport> over, parcel_receiver& receiver);
  ~parcel_port();
  parcel_port(const parcel_port&) = delete;
  parcel_port& operator=(const parcel_port&) = delete;

  unsigned rank() const noexcept { return m_transport->rank(); }
  unsigned size() const noexcept { return m_transport->size(); }

  /// Any thread. Blocks the task while more than `k_most_kept` bytes wait for room at the transport, unless it is a
  /// handler that sends. Throws what the transport has failed with.
  void send(unsigned to, std::span<const std::byte> message, counting counted = counting::yes);

  /// As the transport's: by a worker that looks for work.
  void begin_polling() noexcept { m_transport->begin_polling(); }
  void end_polling() noexcept;
  /// True when something has arrived.
  bool poll() noexcept;

  static constexpr std::size_t k_most_kept = std::size_t{16} << 20U; // for each destination

  /// Those that were to be counted, so far.
  std::uint64_t sent() const noexcept;

 private:
  struct outbox {
    mutable spinlock lock;
    std::vector<std::vector<std::byte>> kept; ///< that did not fit; from `next` on
    std::size_t next = 0;
    std::size_t kept_bytes = 0;
    std::uint64_t sent = 0;
    atomic<std::uint32_t> is_kept{0}; ///< there are some
  };

  void arrived(unsigned from, std::span<const std::byte> message) override;
  bool flush() noexcept;
  bool flush(unsigned to);
  void fail() noexcept;
  void run();

  const std::unique_ptr<transport> m_transport;
  parcel_receiver& m_receiver;
  std::vector<outbox> m_outboxes;
  spinlock m_polls; ///< by one thread at a time
  atomic<std::uint32_t> m_exits{0}, m_failed{0};
  spinlock m_fails;
  std::exception_ptr m_failure; ///< the first, before m_failed
  std::thread m_waits;
};

} // namespace treadle::detail

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace treadle::detail {

/// Gets what arrives.
class message_sink {
 public:
  /// The bytes stay until it returns.
  virtual void arrived(unsigned from, std::span<const std::byte> message) = 0;

 protected:
  ~message_sink() = default;
};

/// Carries messages between the localities of a program: each arrives once, and those from one sender in the order in
/// which they were sent.
class transport {
 public:
  virtual ~transport() = default;

  virtual unsigned rank() const noexcept = 0;
  virtual unsigned size() const noexcept = 0;

  /// Copies the message out. False: there is no room at the moment, and nothing was sent. One thread at a time for each
  /// destination; never blocks. Throws what names the peer where it is gone.
  virtual bool send(unsigned to, std::span<const std::byte> message) = 0;
  /// Room where the next message there may be written, of up to so many bytes, until the next call of send() or
  /// reserve(); empty: there is none at the moment, or never. As send().
  virtual std::span<std::byte> reserve(unsigned /*to*/, std::size_t /*bytes*/) noexcept { return {}; }
  /// The message that was written there is sent.
  virtual void send_reserved(unsigned /*to*/, std::size_t /*bytes*/) noexcept {}
  /// As far as it is known, all that was sent there has left: what is sent now waits for nothing. As send().
  virtual bool is_free(unsigned to) noexcept = 0;
  /// Hands over what has arrived, at most a few of each sender; true when there was something. One thread at a time;
  /// never blocks.
  virtual bool poll(message_sink& sink) = 0;

  /// Somebody polls from now on until end_polling(), after which it polls once more, because what came in between was
  /// not announced; any number of threads.
  virtual void begin_polling() noexcept = 0;
  virtual void end_polling() noexcept = 0;
  /// For the thread that waits for messages: returns when some may be there while nobody polls, after wake(), and
  /// after `timeout_ns`.
  virtual void wait(std::int64_t timeout_ns) noexcept = 0;
  virtual void wake() noexcept = 0;

  /// A digest of the program, which all localities must have; called once before the first message. Waits for all.
  virtual void join(std::uint64_t digest) = 0;
};

} // namespace treadle::detail

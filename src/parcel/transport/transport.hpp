#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

namespace treadle::detail {

/// A message that is sent: one part behind the other, so that what is large need not be copied to its beginning.
class message_parts {
 public:
  template <class Bytes>
    requires std::convertible_to<const Bytes&, std::span<const std::byte>>
  message_parts(const Bytes& whole) noexcept : m_first(whole) {}
  message_parts(std::span<const std::byte> first, std::span<const std::byte> rest) noexcept
      : m_first(first), m_rest(rest) {}
  std::span<const std::byte> first() const noexcept { return m_first; }
  std::span<const std::byte> rest() const noexcept { return m_rest; }
  std::size_t size() const noexcept { return m_first.size() + m_rest.size(); }
  void copy(std::byte* to, std::size_t from, std::size_t bytes) const noexcept {
    const std::size_t of_first = from < m_first.size() ? std::min(bytes, m_first.size() - from) : 0;
    if (of_first != 0) std::memcpy(to, m_first.data() + from, of_first);
    if (bytes != of_first)
      std::memcpy(to + of_first, m_rest.data() + (from + of_first - m_first.size()), bytes - of_first);
  }

 private:
  std::span<const std::byte> m_first, m_rest;
};

/// Where a message goes that arrives in pieces.
class message_in_pieces {
 public:
  virtual ~message_in_pieces() = default;
  /// The next one, in order. False: it cannot be one.
  [[nodiscard]] virtual bool add(std::span<const std::byte> piece) = 0;
};

/// Gets what arrives.
class message_sink {
 public:
  /// The bytes stay until it returns.
  virtual void arrived(unsigned from, std::span<const std::byte> message) = 0;
  /// A message of `bytes` bytes begins with this piece. What is returned has it, and gets the others. Null: the message
  /// is wanted whole.
  virtual std::unique_ptr<message_in_pieces> begin_pieces(unsigned /*from*/, std::span<const std::byte> /*first*/,
                                                          std::size_t /*bytes*/) {
    return nullptr;
  }
  /// All pieces have been added.
  virtual void end_pieces(unsigned /*from*/, message_in_pieces& /*whole*/) {}

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

  /// True: the bytes of the message are not needed any more. False: there is no room at the moment, for all of it or
  /// for the rest, and the next message there has to be this one once more, which goes on where it has stopped; its
  /// second part stays where it is meanwhile. One thread at a time for each destination; never blocks. Throws what
  /// names the peer where it is gone.
  virtual bool send(unsigned to, message_parts message) = 0;
  /// Whether it may still read the second part of a message that it has taken a part of.
  virtual bool keeps_second_parts() const noexcept { return false; }
  /// By who cannot wait until such a message has left, after which nothing is sent there: it is read no more when this
  /// returns.
  virtual void abandon(unsigned /*to*/) noexcept {}
  /// Room where the next message there may be written, of up to this many bytes, until the next call of send() or
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
  /// How long after a message those who wait look for the next one themselves, which is often near, before they sleep.
  virtual std::int64_t lookout_ns() const noexcept { return 20'000; }

  /// A digest of the program, which all localities must have; called once before the first message. Waits for all.
  virtual void join(std::uint64_t digest) = 0;
};

} // namespace treadle::detail

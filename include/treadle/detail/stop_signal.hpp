#pragma once

namespace treadle::detail {

/// What may end a wait early, as the waiting side sees it.
class stop_signal {
 public:
  virtual bool is_requested() const noexcept = 0;
  /// Calls end(argument), once, on the thread that requests the stop; at once when that has been done.
  virtual void call(void (*end)(void* argument) noexcept, void* argument) noexcept = 0;
  /// From here on it is not called any more; waits for a call that goes on.
  virtual void cancel() noexcept = 0;

 protected:
  ~stop_signal() = default;
};

/// A stop_signal for this kind of token; std::stop_token's is in <treadle/stop.hpp>.
template <class Token>
class token_signal;

template <class Token>
concept stop_token_like = requires(const Token& token) {
  static_cast<bool>(token.stop_requested());
  static_cast<bool>(token.stop_possible());
};

/// Ends the waits that it is called for, unless it is null.
class calling {
 public:
  calling(stop_signal* stop, void (*end)(void*) noexcept, void* argument) noexcept : m_stop(stop) {
    if (m_stop) m_stop->call(end, argument);
  }
  ~calling() {
    if (m_stop) m_stop->cancel();
  }
  calling(const calling&) = delete;
  calling& operator=(const calling&) = delete;

 private:
  stop_signal* const m_stop;
};

} // namespace treadle::detail

#pragma once

#include <treadle/async.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/stopped.hpp>

#include <optional>
#include <stop_token>

/// Stopping what goes on, by std::stop_source and std::stop_token:
///
///     std::stop_source source;
///     auto found = async(source.get_token(), [](std::stop_token stop) { ... });      // not begun, when asked before
///     for_loop(par.with(source.get_token()), 0, n, body);                             // throws treadle::stopped
///     if (!work.wait(source.get_token())) ...                                         // as all waits
///     task_group group(source.get_token());                                           // drops what has not begun
///
/// A stop is a request: nothing is interrupted. A loop looks every few microseconds, or after each iteration that
/// takes longer; a sort before each comparison; a wait ends at once, and what was waited for goes on. Requesting it
/// takes as long as waking those that wait. What is waited for with a token must stay until that wait has returned. A
/// program's own std::stop_callback must not wait for tasks, nor lock treadle::mutex: the standard library takes it for
/// granted that callbacks end on the thread on which they began.
namespace treadle {

namespace detail {

template <>
class token_signal<std::stop_token> final : public stop_signal {
 public:
  explicit token_signal(const std::stop_token& token) noexcept : m_token(token) {}
  bool is_requested() const noexcept override { return m_token.stop_requested(); }
  void call(void (*end)(void*) noexcept, void* argument) noexcept override {
    m_call.emplace(m_token, ending{end, argument});
  }
  void cancel() noexcept override { m_call.reset(); }

 private:
  struct ending {
    void (*end)(void*) noexcept;
    void* argument;
    void operator()() const noexcept { end(argument); }
  };
  const std::stop_token& m_token;
  std::optional<std::stop_callback<ending>> m_call;
};

} // namespace detail

} // namespace treadle

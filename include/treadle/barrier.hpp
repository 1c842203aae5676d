#pragma once

#include <treadle/detail/wait_queue.hpp>

#include <cstddef>
#include <utility>

namespace treadle {

namespace detail {

struct no_completion {
  void operator()() noexcept {}
};

/// The part of a barrier that does not depend on its completion function.
class barrier_base {
 protected:
  constexpr explicit barrier_base(std::ptrdiff_t expected) noexcept : m_expected(expected), m_missing(expected) {}

  void arrive(std::ptrdiff_t count, bool drop, std::uint64_t& phase, void (*complete)(barrier_base&));
  bool wait_for_phase_after(std::uint64_t phase, stop_signal* stop = nullptr);

 private:
  spinlock m_guard;
  std::ptrdiff_t m_expected;
  std::ptrdiff_t m_missing;
  std::uint64_t m_phase = 0;
  wait_queue m_waiters;
};

} // namespace detail

/// A meeting point for a fixed number of tasks that is used again and again; as std::barrier, for tasks and foreign
/// threads. `Completion` runs once per phase, on the last to arrive, before anybody goes on; it must not throw.
template <class Completion = detail::no_completion>
class barrier : detail::barrier_base {
  static_assert(noexcept(std::declval<Completion&>()()), "the completion function of a barrier must be noexcept");

 public:
  class arrival_token {
    friend class barrier;
    std::uint64_t m_phase = 0;
  };

  constexpr explicit barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : barrier_base(expected), m_completion(std::move(completion)) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  [[nodiscard]] arrival_token arrive(std::ptrdiff_t count = 1) {
    arrival_token token;
    barrier_base::arrive(count, false, token.m_phase, &barrier::complete);
    return token;
  }
  /// Blocks until the phase of the token is over.
  void wait(arrival_token&& token) { wait_for_phase_after(token.m_phase); }
  /// Until a stop is requested; false when that was first (treadle/stop.hpp). The arrival counts all the same.
  template <detail::stop_token_like Token>
  bool wait(arrival_token&& arrival, const Token& token) {
    detail::token_signal<Token> stop(token);
    return wait_for_phase_after(arrival.m_phase, &stop);
  }
  void arrive_and_wait() {
    detail::prepare_to_block(); // when that fails, it has not arrived
    wait(arrive());
  }
  /// The same until a stop is requested; false when that was first, but it has arrived.
  template <detail::stop_token_like Token>
  bool arrive_and_wait(const Token& token) {
    detail::prepare_to_block();
    return wait(arrive(), token);
  }
  /// Arrives, and lowers the number expected in later phases by one.
  void arrive_and_drop() {
    std::uint64_t phase = 0;
    barrier_base::arrive(1, true, phase, &barrier::complete);
  }

 private:
  static void complete(barrier_base& self) { static_cast<barrier&>(self).m_completion(); }

  [[no_unique_address]] Completion m_completion;
};

} // namespace treadle

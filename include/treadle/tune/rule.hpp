#pragma once

#include <treadle/detail/deadline.hpp>
#include <treadle/observe/events.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

/// What a rule's function is told besides the event.
class rule_context {
 public:
  /// This was the last call.
  void stop() noexcept { m_stopped = true; }
  bool stopped() const noexcept { return m_stopped; }

 private:
  bool m_stopped = false;
};

namespace detail {

class rule_function {
 public:
  virtual ~rule_function() = default;
  virtual void call(rule_context& context, const events::event* e, event_kind kind) = 0;
};

/// Tells which event it is by its place in the list of `Events`.
template <class F, class... Events>
class rule_function_of final : public rule_function {
 public:
  explicit rule_function_of(F function) : m_function(std::move(function)) {}
  void call(rule_context& context, const events::event* e, event_kind kind) override {
    if constexpr (sizeof...(Events) == 0)
      invoke(context);
    else
      static_cast<void>(((kind == kind_of<Events> && (invoke(context, static_cast<const Events&>(*e)), true)) || ...));
  }

 private:
  template <class... E>
  void invoke(rule_context& context, const E&... e) {
    if constexpr (std::is_invocable_v<F&, rule_context&, const E&...>)
      m_function(context, e...);
    else
      m_function(e...);
  }
  F m_function;
};

struct rule_state;
std::shared_ptr<rule_state> start_rule(std::string_view trigger, std::vector<event_kind> kinds,
                                       std::unique_ptr<rule_function> function);
std::shared_ptr<rule_state> start_periodic_rule(double period_ns, std::unique_ptr<rule_function> function);
std::shared_ptr<rule_state> start_counting_rule(std::uint64_t n, std::string_view counter,
                                                std::unique_ptr<rule_function> function);

} // namespace detail

/// A rule that runs when something happens, or every so often, reads counters and sets knobs; on() and every() make
/// one. It runs for as long as this object lives. The destructor waits for a call that is going on, but not from inside
/// a rule or a listener: what is ended there may be called until the call that is going on is over.
///
/// Calls of one rule never overlap. One that throws an exception is not called again: failed() and message() tell,
/// the counter /rules/count/failures counts it, and a custom event "rule failed" is emitted.
class rule {
 public:
  rule() = default;
  explicit rule(std::shared_ptr<detail::rule_state> state) noexcept : m_state(std::move(state)) {}
  rule(rule&&) noexcept = default;
  rule& operator=(rule&& other) noexcept {
    std::swap(m_state, other.m_state);
    return *this;
  }
  ~rule() { end(); }
  void end() noexcept;

  bool failed() const noexcept;
  std::string message() const; ///< which rule, and what it threw; empty when it has not failed
  std::uint64_t calls() const noexcept;
  std::uint64_t missed() const noexcept; ///< of every(): periods that passed without a call, as it took too long

 private:
  std::shared_ptr<detail::rule_state> m_state;
};

/// Calls `f(event)`, or `f(context, event)`, on the thread where one of these events happens:
///
///     auto watch = treadle::on<events::steal, events::promotion>([&](const events::event& e) { ++moves; });
///
/// A call delays that thread, and others that the event happens on wait for it: be short and do not block. What would
/// wait for tasks throws std::system_error (resource_deadlock_would_occur), and the rule has failed unless it catches
/// that. Events caused from inside are not told. Other rules and listeners are not touched, neither
/// by a call nor when one is made or ended.
template <class... Events, class F>
  requires(sizeof...(Events) > 0)
[[nodiscard]] rule on(F f) {
  return rule(detail::start_rule({}, {detail::kind_of<Events>...},
                                 std::make_unique<detail::rule_function_of<F, Events...>>(std::move(f))));
}

/// The same for a trigger of the program's own: whenever it calls events::emit(trigger, value).
template <class F>
[[nodiscard]] rule on(std::string_view trigger, F f) {
  return rule(detail::start_rule(trigger, {detail::kind_of<events::custom>},
                                 std::make_unique<detail::rule_function_of<F, events::custom>>(std::move(f))));
}

/// Calls `f()`, or `f(context)`, every period (a std::chrono::duration), first when one has passed, on a thread of the
/// runtime's own that all periodic rules share: one that takes long delays the others. It must not wait for tasks, as
/// on() says. Calls stay on the beat of the steady clock. In the child
/// of a fork there are none. Throws std::invalid_argument when the period is not positive, std::system_error when there
/// is no thread to be had.
template <class Duration, class F>
[[nodiscard]] rule every(const Duration& period, F f) {
  return rule(detail::start_periodic_rule(detail::duration_ns(period),
                                          std::make_unique<detail::rule_function_of<F>>(std::move(f))));
}

/// Calls `f()`, or `f(context)`, every time that a counter (observe/counters.hpp) has grown by `n`, for example every
/// 10000 tasks: `every(10'000, "/threads/count/cumulative", f)`. The counter is read every millisecond, on the thread
/// that every() uses; when it has grown by several n meanwhile, one call stands for all of them, and the others count
/// as missed(). While it cannot be read, as without a runtime, nothing happens. Throws std::invalid_argument when n is
/// 0 or there is no such counter.
template <class F>
[[nodiscard]] rule every(std::uint64_t n, std::string_view counter, F f) {
  return rule(detail::start_counting_rule(n, counter, std::make_unique<detail::rule_function_of<F>>(std::move(f))));
}

} // namespace treadle

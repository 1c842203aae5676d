#pragma once

#include <treadle/dataflow.hpp>
#include <treadle/future.hpp>

#include <tuple>
#include <vector>

namespace treadle {

/// What when_any gives: all the futures, and the index of one that is ready.
template <class Sequence>
struct when_any_result {
  std::size_t index = static_cast<std::size_t>(-1); // of an empty sequence
  Sequence futures;
};

/// What when_some gives: all the futures, and the indices of those that are ready.
template <class Sequence>
struct when_some_result {
  std::vector<std::size_t> indices;
  Sequence futures;
};

namespace detail {

/// A state whose value `make` constructs when its inputs are ready.
struct when_target {
  future_state* state;
  void (*make)(future_state&) noexcept;

  continuation* publish() const noexcept {
    make(*state);
    return state->publish();
  }
};

template <class State, class Target>
class required_inputs;

/// Publishes a target when `required` of the inputs are ready, or all when these are fewer. Its destructor, which comes
/// before those of the target's other members and of the inputs, ends the waiting.
class awaited_inputs {
 public:
  awaited_inputs() noexcept = default;
  ~awaited_inputs();
  awaited_inputs(const awaited_inputs&) = delete;
  awaited_inputs& operator=(const awaited_inputs&) = delete;

  void start(std::size_t required, std::vector<future_state*> inputs, when_target target);

 private:
  required_inputs<future_state, when_target>* m_inputs = nullptr;
};

/// Blocks until `required` of the inputs are ready.
void wait_until_ready(std::size_t required, std::vector<future_state*> inputs);

/// Says which inputs are ready, one after the other. The inputs must stay as long as this.
class each_ready {
 public:
  explicit each_ready(std::vector<future_state*> inputs);
  ~each_ready();
  each_ready(const each_ready&) = delete;
  each_ready& operator=(const each_ready&) = delete;

  /// Blocks until there is one that was not named before; at most as often as there are inputs.
  std::size_t next();

 private:
  class arrivals;
  arrivals* m_arrivals;
};

template <class... Futures>
std::vector<future_state*> states_of(const std::tuple<Futures...>& futures) {
  return std::apply(
      [](const Futures&... f) { return std::vector<future_state*>{static_cast<future_state*>(&access::state(f))...}; },
      futures);
}
template <class Future>
std::vector<future_state*> states_of(const std::vector<Future>& futures) {
  std::vector<future_state*> states;
  states.reserve(futures.size());
  for (const Future& f : futures) states.push_back(&access::state(f));
  return states;
}

inline std::vector<std::size_t> ready_indices(const std::vector<future_state*>& states) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i]->is_ready()) indices.push_back(i);
  }
  return indices;
}

/// make(sequence) once enough of its futures are ready. A state that is dropped before that drops the futures.
template <class Sequence, class Make>
class when_state final : public value_state<std::invoke_result_t<Make, Sequence>> {
 public:
  when_state(Sequence sequence, Make make) : m_sequence(std::move(sequence)), m_make(make) {}

  void start(std::size_t required) {
    m_inputs.start(required, states_of(m_sequence),
                   {this, [](future_state& state) noexcept {
                      auto& self = static_cast<when_state&>(state);
                      self.construct_from([&] { return self.m_make(std::move(self.m_sequence)); });
                    }});
  }

 private:
  Sequence m_sequence;
  Make m_make;
  awaited_inputs m_inputs; // destroyed first
};

/// future of make(sequence) once `required` of its futures are ready.
template <class Sequence, class Make>
auto when_ready(std::size_t required, Sequence sequence, Make make) {
  using state_type = when_state<Sequence, Make>;
  using T = std::invoke_result_t<Make, Sequence>;
  auto state = intrusive_ptr<state_type>::adopt(new state_type(std::move(sequence), make));
  state->start(required);
  return access::make<future<T>>(intrusive_ptr<value_state<T>>::adopt(state.detach()));
}

template <class Sequence>
auto make_any = [](Sequence&& futures) {
  const auto ready = ready_indices(states_of(futures));
  return when_any_result<Sequence>{ready.empty() ? static_cast<std::size_t>(-1) : ready.front(), std::move(futures)};
};
template <class Sequence>
auto make_some = [](Sequence&& futures) {
  auto ready = ready_indices(states_of(futures));
  return when_some_result<Sequence>{std::move(ready), std::move(futures)};
};
template <class Sequence>
auto make_all = [](Sequence&& futures) { return std::move(futures); };

template <class Iterator>
auto collect(Iterator first, Iterator last) {
  std::vector<std::decay_t<decltype(*first)>> futures;
  for (; first != last; ++first) {
    if constexpr (std::is_copy_constructible_v<std::decay_t<decltype(*first)>>)
      futures.push_back(*first);
    else
      futures.push_back(std::move(*first));
  }
  return futures;
}

} // namespace detail

// Each of the following takes futures and shared futures: by value as arguments, in a vector, or as an iterator range
// (unique futures are moved out of the range). The result carries no exception of its own but std::bad_alloc: look into
// the futures. None of them blocks. A result that is dropped before it is ready drops the futures, and nobody waits for
// them; that takes constant time for each, however many wait for the same futures.

/// Ready when all are; the value is a tuple (arguments) or vector of the futures.
template <class... Futures>
  requires(detail::is_future<std::decay_t<Futures>> && ...)
[[nodiscard]] auto when_all(Futures&&... futures) {
  using sequence = std::tuple<std::decay_t<Futures>...>;
  return detail::when_ready(sizeof...(Futures), sequence(std::forward<Futures>(futures)...),
                            detail::make_all<sequence>);
}
template <class Future>
[[nodiscard]] auto when_all(std::vector<Future> futures) {
  const std::size_t count = futures.size();
  return detail::when_ready(count, std::move(futures), detail::make_all<std::vector<Future>>);
}
template <class Iterator>
  requires requires(Iterator i) { *i, ++i; }
[[nodiscard]] auto when_all(Iterator first, Iterator last) {
  return treadle::when_all(detail::collect(first, last));
}

/// Ready when one is (at once for an empty sequence).
template <class... Futures>
  requires(detail::is_future<std::decay_t<Futures>> && ...)
[[nodiscard]] auto when_any(Futures&&... futures) {
  using sequence = std::tuple<std::decay_t<Futures>...>;
  return detail::when_ready(1, sequence(std::forward<Futures>(futures)...), detail::make_any<sequence>);
}
template <class Future>
[[nodiscard]] auto when_any(std::vector<Future> futures) {
  return detail::when_ready(1, std::move(futures), detail::make_any<std::vector<Future>>);
}
template <class Iterator>
  requires requires(Iterator i) { *i, ++i; }
[[nodiscard]] auto when_any(Iterator first, Iterator last) {
  return treadle::when_any(detail::collect(first, last));
}

/// Ready when `count` are, or all when there are fewer.
template <class... Futures>
  requires(detail::is_future<std::decay_t<Futures>> && ...)
[[nodiscard]] auto when_some(std::size_t count, Futures&&... futures) {
  using sequence = std::tuple<std::decay_t<Futures>...>;
  return detail::when_ready(count, sequence(std::forward<Futures>(futures)...), detail::make_some<sequence>);
}
template <class Future>
[[nodiscard]] auto when_some(std::size_t count, std::vector<Future> futures) {
  return detail::when_ready(count, std::move(futures), detail::make_some<std::vector<Future>>);
}
template <class Iterator>
  requires requires(Iterator i) { *i, ++i; }
[[nodiscard]] auto when_some(std::size_t count, Iterator first, Iterator last) {
  return treadle::when_some(count, detail::collect(first, last));
}

namespace detail {
/// Ready when all are, with the first exception in their order.
inline future<void> all_done(std::vector<future<void>> all) {
  return treadle::when_all(std::move(all)).then(launch::sync, [](future<std::vector<future<void>>> done) {
    for (future<void>& one : done.get()) one.get();
  });
}
} // namespace detail

/// Calls f(future) for each future as it becomes ready, on the thread that made it ready: calls may be concurrent. The
/// result is ready after the last call and holds the first exception that a call threw, in the order of the futures.
template <class F, class Future>
[[nodiscard]] future<void> when_each(F f, std::vector<Future> futures) {
  std::vector<future<void>> calls;
  calls.reserve(futures.size());
  for (Future& one : futures) {
    calls.push_back(one.then(launch::sync, [f](Future ready) mutable { f(std::move(ready)); }));
  }
  return detail::all_done(std::move(calls));
}
template <class F, class... Futures>
  requires(sizeof...(Futures) > 0 && (detail::is_future<std::decay_t<Futures>> && ...))
[[nodiscard]] future<void> when_each(F f, Futures&&... futures) {
  std::vector<future<void>> calls;
  calls.reserve(sizeof...(Futures));
  (calls.push_back(futures.then(launch::sync, [f](std::decay_t<Futures> ready) mutable { f(std::move(ready)); })), ...);
  return detail::all_done(std::move(calls));
}

// The blocking twins: they leave the futures where they are and suspend the calling task.

template <class... Futures>
  requires(detail::is_future<Futures> && ...)
void wait_all(const Futures&... futures) {
  (futures.wait(), ...);
}
template <class Future>
void wait_all(const std::vector<Future>& futures) {
  for (const Future& f : futures) f.wait();
}

template <class... Futures>
  requires(detail::is_future<Futures> && ...)
void wait_some(std::size_t count, const Futures&... futures) {
  detail::wait_until_ready(count, {static_cast<detail::future_state*>(&detail::access::state(futures))...});
}
template <class Future>
void wait_some(std::size_t count, const std::vector<Future>& futures) {
  detail::wait_until_ready(count, detail::states_of(futures));
}

template <class... Futures>
  requires(detail::is_future<Futures> && ...)
void wait_any(const Futures&... futures) {
  treadle::wait_some(1, futures...);
}
template <class Future>
void wait_any(const std::vector<Future>& futures) {
  treadle::wait_some(1, futures);
}

/// Calls f(future&) on the calling task for each future in the order in which they become ready. f may take the value
/// of the future that it is given, and leaves the others alone.
template <class F, class Future>
void wait_each(F f, std::vector<Future>& futures) {
  detail::each_ready ready(detail::states_of(futures));
  for (std::size_t i = 0; i < futures.size(); ++i) f(futures[ready.next()]);
}

} // namespace treadle

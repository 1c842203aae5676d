#pragma once

// Continuations on one future, and the dataflow node that all of them share. Part of future.hpp, which includes this
// file at its end.

#include <treadle/detail/placement.hpp>
#include <treadle/future.hpp>

#include <concepts>

namespace treadle::detail {

/// Forwards the outcome of an inner future to `outer` when it is ready (unwrapping). A task of its own only when the
/// stack of the completing thread has no room: results that are futures nest to any depth.
template <class T>
class forwarder final : public future_state, private continuation {
 public:
  forwarder(intrusive_ptr<value_state<T>> inner, intrusive_ptr<value_state<T>> outer) noexcept
      : m_inner(std::move(inner)), m_outer(std::move(outer)) {
    make_claimable(false);
  }

  static void connect(intrusive_ptr<value_state<T>> inner, intrusive_ptr<value_state<T>> outer) {
    auto& state = *inner;
    if (TREADLE_UNLIKELY(records_dependences())) note_forwarding(*outer, *inner);
    state.attach(*new forwarder(std::move(inner), std::move(outer)));
  }

 private:
  void fire() noexcept override {
    if (!stack_has_room()) return schedule(*this);
    try_run();
    release();
  }
  void execute(sharing) noexcept override {
    if (m_inner->exception()) {
      m_outer->complete_with(m_inner->exception());
    } else {
      m_outer->construct_from([&inner = *m_inner]() -> T {
        if constexpr (std::is_reference_v<T>)
          return *inner.value();
        else if constexpr (std::is_void_v<T>)
          return static_cast<void>(inner);
        else
          return std::move(inner.value());
      });
      m_outer->complete();
    }
  }

  intrusive_ptr<value_state<T>> m_inner;
  intrusive_ptr<value_state<T>> m_outer;
};

/// An executor that says where its tasks are queued.
template <class Executor>
concept placing_executor = requires(const Executor& e) {
  { e.where() } -> std::convertible_to<const placement&>;
};

/// A task that runs when its inputs are ready: the base of then and dataflow. `How`: a launch policy, or a
/// placing_executor. The inputs' continuations own one reference together until the last of them fires. A deferred node
/// attaches to nothing: the one that waits for it claims it, and it waits for its inputs then.
template <class T, class How>
class dataflow_state : public value_state<T> {
 protected:
  explicit dataflow_state(const How& how) noexcept : m_how(how) {
    if (is_deferred_policy()) this->make_claimable(true);
  }
  ~dataflow_state() override = default;

  bool is_deferred_policy() const noexcept { return is(launch::deferred); }

  /// For a node whose inputs are all ready and which nobody else knows: false when it has to be queued after all.
  bool run_at_once() noexcept {
    if (!is(launch::sync) || !stack_has_room()) return false;
    this->run_directly(sharing::unshared);
    return true;
  }
  /// Opens the node to `inputs` calls of input_is_ready(); must come before the first attachment.
  void expect_inputs(std::uint32_t inputs) noexcept {
    this->add_ref_unshared();
    m_pending.store(inputs, order::relaxed);
    this->begin_staging(where());
  }
  void input_is_ready() noexcept {
    // acq_rel: the thread that starts the node sees what every input's thread published.
    if (m_pending.fetch_sub(1, order::acq_rel) != 1) return future_state::miss_input();
    this->end_staging(where());
    if constexpr (placing_executor<How>) {
      return this->schedule_or_fail(m_how.where());
    } else {
      if (!is(launch::sync) || !stack_has_room()) return this->schedule_or_fail();
      this->run_directly(sharing::shared);
      this->release();
    }
  }

 private:
  const placement* where() const noexcept {
    if constexpr (placing_executor<How>)
      return &m_how.where();
    else
      return nullptr;
  }
  bool is(launch policy) const noexcept {
    if constexpr (placing_executor<How>)
      return false;
    else
      return m_how == policy;
  }

  atomic<std::uint32_t> m_pending{0};
  const How m_how;
};

/// Stores f's result, waiting for it without blocking when it is a future itself.
template <class R, class T, class F>
void complete_from(value_state<T>& state, sharing s, F&& function) {
  if constexpr (std::is_same_v<R, T>) {
    state.construct_from(std::forward<F>(function));
    state.complete(s);
  } else { // R is future<T>
    try {
      R inner = std::forward<F>(function)();
      if (!inner.valid()) throw_future_error(future_errc::no_state);
      forwarder<T>::connect(access::take(inner), intrusive_ptr<value_state<T>>::share(&state));
    } catch (...) {
      state.complete_with(std::current_exception());
    }
  }
}

template <class T, class R, class F, class Future>
class then_state final : public dataflow_state<T, launch>, private continuation {
 public:
  template <class G>
  then_state(launch policy, G&& f, Future input) : dataflow_state<T, launch>(policy) {
    ::new (static_cast<void*>(&m_body)) body{std::forward<G>(f), std::move(input)};
  }
  void attach_input() {
    if (this->is_deferred_policy()) return;
    auto& input = access::state(m_body.input);
    if (TREADLE_UNLIKELY(records_dependences())) note_input(*this, input);
    if (input.is_ready() && this->run_at_once()) return;
    this->expect_inputs(1);
    input.attach(*this);
  }

 private:
  struct body {
    F f;
    Future input;
  };

  ~then_state() override {
    if (!m_done) m_body.~body();
  }
  bool has_ended() const noexcept override { return m_done; }
  task_name name() const noexcept override { return m_done ? type_name<F>() : name_of(m_body.f); }
  void fire() noexcept override { this->input_is_ready(); }
  void execute(sharing s) noexcept override {
    complete_from<R>(*this, s, [this]() -> R {
      if (this->is_deferred_policy()) m_body.input.wait();
      struct cleanup { // releases the callable and the input before the result becomes visible
        then_state* self;
        ~cleanup() {
          self->m_done = true;
          self->m_body.~body();
        }
      } guard{this};
      return detail::invoke(std::move(m_body.f), std::move(m_body.input));
    });
  }

  union {
    body m_body;
  };
  bool m_done = false;
};

template <class Future, class F>
auto attach_then(launch policy, Future input, F&& f) {
  using function = std::decay_t<F>;
  using result = std::decay_t<decltype(detail::invoke(std::declval<function>(), std::declval<Future>()))>;
  using raw = decltype(detail::invoke(std::declval<function>(), std::declval<Future>()));
  using R = std::conditional_t<std::is_reference_v<raw>, raw, result>;
  using T = unwrapped_future_t<R>;
  using state = then_state<T, R, function, Future>;
  auto node = intrusive_ptr<state>::adopt(new state(policy, std::forward<F>(f), std::move(input)));
  node->attach_input();
  return access::make<future<T>>(intrusive_ptr<value_state<T>>::adopt(node.detach()));
}

} // namespace treadle::detail

namespace treadle {

template <class T>
future<T>::future(future<future<T>>&& nested) {
  if (!nested.valid()) return;
  *this = nested.then(launch::sync, [](future<future<T>> outer) { return outer.get(); });
}

template <class T>
template <class F>
auto future<T>::then(launch policy, F&& f) {
  this->state(); // throws when invalid
  return detail::attach_then(policy, std::move(*this), std::forward<F>(f));
}

template <class T>
template <class F>
auto shared_future<T>::then(launch policy, F&& f) const {
  this->state();
  return detail::attach_then(policy, *this, std::forward<F>(f));
}

} // namespace treadle

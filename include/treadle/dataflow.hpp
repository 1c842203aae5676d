#pragma once

#include <treadle/async.hpp>
#include <treadle/future.hpp>

#include <tuple>
#include <vector>

namespace treadle {

namespace detail {

template <class Sequence>
inline constexpr bool is_future_vector = false;
template <class Future>
inline constexpr bool is_future_vector<std::vector<Future>> = is_future<Future>;

/// Calls `visit(state)` for every future in an argument of dataflow: a future, a shared_future, or a vector of them.
/// Other arguments are plain values.
template <class T, class Visit>
void for_each_input(const T& argument, Visit& visit) {
  if constexpr (is_future<T>) {
    visit(static_cast<future_state&>(access::state(argument)));
  } else if constexpr (is_future_vector<T>) {
    for (const auto& input : argument) visit(static_cast<future_state&>(access::state(input)));
  }
}

/// Room for this many of them, in the object itself; the part of std::vector's interface that a node needs.
template <class T, std::size_t k_capacity>
class inline_list {
 public:
  static_assert(std::is_trivially_destructible_v<T>);

  template <class... Args>
  void emplace_back(Args&&... args) noexcept {
    ::new (static_cast<void*>(m_memory + sizeof(T) * m_size++)) T(std::forward<Args>(args)...);
  }
  bool empty() const noexcept { return m_size == 0; }
  std::size_t size() const noexcept { return m_size; }
  T* begin() noexcept { return reinterpret_cast<T*>(m_memory); }
  T* end() noexcept { return begin() + m_size; }

 private:
  alignas(T) unsigned char m_memory[sizeof(T) * k_capacity];
  std::size_t m_size = 0;
};

/// The same for a number that is known when it runs: a few in the object itself, or all of them elsewhere.
template <class T, std::size_t k_few>
class few_or_many {
 public:
  /// Before the first; no more than this many come. Throws std::bad_alloc.
  void reserve(std::size_t count) {
    if (count > k_few) m_many.reserve(count);
  }
  template <class... Args>
  void emplace_back(Args&&... args) {
    are_many() ? static_cast<void>(m_many.emplace_back(std::forward<Args>(args)...))
               : m_few.emplace_back(std::forward<Args>(args)...);
  }
  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return are_many() ? m_many.size() : m_few.size(); }
  T* begin() noexcept { return are_many() ? m_many.data() : m_few.begin(); }
  T* end() noexcept { return begin() + size(); }

 private:
  bool are_many() const noexcept { return m_many.capacity() != 0; }

  inline_list<T, k_few> m_few;
  std::vector<T> m_many;
};

template <class T, class R, class How, class F, class... Args>
class dataflow_node final : public dataflow_state<T, How> {
 public:
  template <class G>
  dataflow_node(const How& how, G&& f, Args... args) : dataflow_state<T, How>(how) {
    ::new (static_cast<void*>(&m_body)) body{std::forward<G>(f), std::tuple<Args...>(std::move(args)...)};
  }
  void attach_inputs() {
    if (this->is_deferred_policy()) return;
    // A hook per input that is not ready yet: a continuation is in one list at a time.
    if constexpr ((is_future_vector<Args> || ...)) {
      std::size_t missing = 0;
      visit_inputs([&](future_state& input) { missing += !input.is_ready(); });
      m_hooks.reserve(missing);
    }
    visit_inputs([&](future_state& input) {
      if (!input.is_ready()) m_hooks.emplace_back(*this, input);
    });
    if (TREADLE_UNLIKELY(records_dependences()))
      visit_inputs([this](future_state& input) { note_input(*this, input); });
    if (m_hooks.empty() && this->run_at_once()) return;
    // One more for this call: the node must not start, and perhaps die, while it attaches.
    this->expect_inputs(static_cast<std::uint32_t>(m_hooks.size()) + 1);
    for (hook& h : m_hooks) h.input->attach(h);
    this->input_is_ready();
  }

 private:
  struct body {
    F f;
    std::tuple<Args...> args;
  };
  struct hook final : continuation {
    hook(dataflow_node& owner, future_state& state) noexcept : node(&owner), input(&state) {}
    void fire() noexcept override { node->input_is_ready(); }
    dataflow_node* node;
    future_state* input;
  };

  ~dataflow_node() override {
    if (!m_done) m_body.~body();
  }
  bool has_ended() const noexcept override { return m_done; }
  task_name name() const noexcept override { return m_done ? type_name<F>() : name_of(m_body.f); }
  template <class Visit>
  void visit_inputs(Visit visit) {
    std::apply([&](auto&... arg) { (for_each_input(arg, visit), ...); }, m_body.args);
  }
  void execute(sharing s) noexcept override {
    complete_from<R>(*this, s, [this]() -> R {
      if (this->is_deferred_policy()) visit_inputs([](future_state& input) { input.wait(); });
      struct cleanup { // releases the callable and the inputs before the result becomes visible
        dataflow_node* self;
        ~cleanup() {
          self->m_done = true;
          self->m_body.~body();
        }
      } guard{this};
      return std::apply([this](auto&... arg) -> R { return detail::invoke(std::move(m_body.f), std::move(arg)...); },
                        m_body.args);
    });
  }

  union {
    body m_body;
  };
  bool m_done = false;
  static constexpr std::size_t k_inputs = (std::size_t{is_future<Args>} + ... + 0);
  std::conditional_t<(is_future_vector<Args> || ...), few_or_many<hook, 4>,
                     inline_list<hook, k_inputs == 0 ? 1 : k_inputs>>
      m_hooks;
};

template <class How, class F, class... Args>
auto attach_dataflow(const How& how, F&& f, Args&&... args) {
  using raw = decltype(detail::invoke(std::declval<std::decay_t<F>>(), std::declval<std::decay_t<Args>>()...));
  using T = unwrapped_future_t<raw>;
  using node_type = dataflow_node<T, raw, How, std::decay_t<F>, std::decay_t<Args>...>;
  auto node = intrusive_ptr<node_type>::adopt(
      new node_type(how, std::forward<F>(f), std::decay_t<Args>(std::forward<Args>(args))...));
  node->attach_inputs();
  return access::make<future<T>>(intrusive_ptr<value_state<T>>::adopt(node.detach()));
}

} // namespace detail

/// Calls f(args...) as soon as every future among `args` (future, shared_future, vector of them) is ready, and returns
/// the future of its result; a result that is a future itself is unwrapped. f receives the futures, all ready; wrap it
/// in unwrapping() to receive values. Never blocks; suspends only where a destructor of the program does that is due.
///
/// The default policy queues the call as a task where the last input became ready; launch::sync runs it right there,
/// and inside this call when all inputs are ready already.
template <detail::task_function F, class... Args>
[[nodiscard]] auto dataflow(F&& f, Args&&... args) {
  return detail::attach_dataflow(launch::async, std::forward<F>(f), std::forward<Args>(args)...);
}
template <detail::task_function F, class... Args>
[[nodiscard]] auto dataflow(launch policy, F&& f, Args&&... args) {
  return detail::attach_dataflow(policy, std::forward<F>(f), std::forward<Args>(args)...);
}

/// The same, also dataflow(token, policy or executor, f, args...). When a stop is requested before the call begins, f
/// is not called, and the result holds treadle::stopped, when the futures are ready.
template <detail::stop_token_like Token, detail::task_function F, class... Args>
[[nodiscard]] auto dataflow(const Token& token, F&& f, Args&&... args) {
  return dataflow(launch::async, detail::make_stoppable(token, std::forward<F>(f)), std::forward<Args>(args)...);
}
template <detail::stop_token_like Token, detail::before_function How, class F, class... Args>
[[nodiscard]] auto dataflow(const Token& token, const How& how, F&& f, Args&&... args) {
  return dataflow(how, detail::make_stoppable(token, std::forward<F>(f)), std::forward<Args>(args)...);
}
template <detail::before_function How, detail::stop_token_like Token, class... Args>
void dataflow(const How& comes_second, const Token& comes_first, Args&&... args) = delete;

} // namespace treadle

#pragma once

#include <treadle/async.hpp>
#include <treadle/dataflow.hpp>
#include <treadle/priority.hpp>

namespace treadle {

namespace detail {

class scheduler;

/// Where a task is queued.
struct placement {
  scheduler* pool = nullptr; ///< null: that of the caller, or the default one of the current runtime
  treadle::priority level = treadle::priority::normal;
};

/// Queues a task there, adopting one reference, as schedule().
void schedule_at(job& task, const placement& where);
/// The pool of the current runtime with this name. Throws std::invalid_argument that lists those there are.
scheduler* find_pool(const char* name);
bool is_at(const placement& where) noexcept;

} // namespace detail

/// Runs tasks on the workers of the runtime (that of the calling task, else the current one), in the order of their
/// priorities. A value; cheap to copy.
class parallel_executor {
 public:
  constexpr parallel_executor() noexcept = default;
  constexpr explicit parallel_executor(priority level) noexcept : m_where{nullptr, level} {}

  constexpr priority level() const noexcept { return m_where.level; }
  /// True when the caller runs where a task of the executor would, so that it need not become one.
  bool is_here() const noexcept { return detail::is_at(m_where); }
  constexpr const detail::placement& where() const noexcept { return m_where; }

 private:
  detail::placement m_where;
};

/// Runs what it is given at once, on the caller.
class sequenced_executor {
 public:
  static constexpr bool keeps_order = true;
  bool is_here() const noexcept { return true; }
};

/// Runs tasks on the workers of one pool of the current runtime (runtime_options::pools), and nowhere else: a get() in
/// another pool waits, where it would run another task in place. Tasks that these tasks create stay in the pool. Must
/// not be used any more when its runtime ends.
class pool_executor {
 public:
  /// Throws std::invalid_argument, naming the pools there are, when there is none with this name; "default" is the one
  /// that all runtimes have.
  explicit pool_executor(const char* name, priority level = priority::normal)
      : m_where{detail::find_pool(name), level} {}

  priority level() const noexcept { return m_where.level; }
  bool is_here() const noexcept { return detail::is_at(m_where); }
  const detail::placement& where() const noexcept { return m_where; }

 private:
  detail::placement m_where;
};

template <>
inline constexpr bool is_executor<parallel_executor> = true;
template <>
inline constexpr bool is_executor<sequenced_executor> = true;
template <>
inline constexpr bool is_executor<pool_executor> = true;

/// A callable with a name, which messages, traces and counters show for the tasks made of it.
template <class F>
class annotated_function {
 public:
  annotated_function(F function, const char* name) : m_function(std::move(function)), m_name(name) {}
  const char* annotation() const noexcept { return m_name; }

  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return detail::invoke(m_function, std::forward<Args>(args)...);
  }
  template <class... Args>
  decltype(auto) operator()(Args&&... args) const {
    return detail::invoke(m_function, std::forward<Args>(args)...);
  }

 private:
  F m_function;
  const char* m_name;
};

/// `async(annotated(f, "assemble"), ...)`. The name is not copied: use a literal.
template <class F>
annotated_function<std::decay_t<F>> annotated(F&& f, const char* name) {
  return {std::forward<F>(f), name};
}

/// Calls f(args...) as a task of the executor; see async(f, args...).
template <any_executor Executor, detail::task_function F, class... Args>
[[nodiscard]] auto async(const Executor& executor, F&& f, Args&&... args) {
  auto call = detail::bind_arguments(std::forward<F>(f), std::forward<Args>(args)...);
  if constexpr (std::is_same_v<Executor, sequenced_executor>) {
    return detail::start_task(launch::sync, std::move(call));
  } else {
    using function_type = decltype(call);
    using T = decltype(std::declval<function_type>()());
    auto* made = new detail::task_state<T, function_type>(std::move(call), false);
    auto result = detail::intrusive_ptr<detail::value_state<T>>::adopt(made);
    if (executor.where().pool) made->pin();
    detail::queue_new(*made, [&](detail::job& queued) { detail::schedule_at(queued, executor.where()); });
    return detail::access::make<future<T>>(std::move(result));
  }
}

/// Calls f(args...) as a task of the executor when all futures among `args` are ready; see dataflow(f, args...).
template <any_executor Executor, detail::task_function F, class... Args>
[[nodiscard]] auto dataflow(const Executor& executor, F&& f, Args&&... args) {
  return dataflow(
      launch::sync,
      [executor, f = std::decay_t<F>(std::forward<F>(f))](auto&&... ready) mutable {
        auto result = async(executor, std::move(f), std::forward<decltype(ready)>(ready)...);
        using value_type = typename decltype(result)::value_type;
        return future<detail::unwrapped_future_t<value_type>>(std::move(result));
      },
      std::forward<Args>(args)...);
}

template <class T>
template <any_executor Executor, class F>
auto future<T>::then(const Executor& executor, F&& f) {
  return dataflow(executor, std::forward<F>(f), std::move(*this));
}

template <class T>
template <any_executor Executor, class F>
auto shared_future<T>::then(const Executor& executor, F&& f) const {
  return dataflow(executor, std::forward<F>(f), *this);
}

} // namespace treadle

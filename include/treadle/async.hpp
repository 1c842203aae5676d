#pragma once

#include <treadle/annotated.hpp>
#include <treadle/detail/site.hpp>
#include <treadle/detail/stoppable.hpp>
#include <treadle/future.hpp>

namespace treadle {

namespace detail {

template <class F, class... Args>
auto bind_all(F&& f, Args&&... args) {
  return [f = std::decay_t<F>(std::forward<F>(f)),
          ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable -> decltype(auto) {
    return detail::invoke(std::move(f), std::move(args)...);
  };
}

/// The callable with its arguments copied or moved in, as std::thread does; called once, as an rvalue. It keeps its
/// name (annotated()).
template <class F, class... Args>
auto bind_arguments(F&& f, Args&&... args) {
  if constexpr (sizeof...(Args) == 0) {
    return std::decay_t<F>(std::forward<F>(f));
  } else if constexpr (requires { f.annotation(); }) {
    const char* const name = f.annotation();
    if constexpr (is_annotated<std::decay_t<F>>)
      return annotated(bind_all(std::forward<F>(f).function(), std::forward<Args>(args)...), name);
    else
      return annotated(bind_all(std::forward<F>(f), std::forward<Args>(args)...), name);
  } else {
    return bind_all(std::forward<F>(f), std::forward<Args>(args)...);
  }
}

/// Gives a new task a second reference and hands that to queue(task), which adopts it unless it throws.
template <class State, class Queue>
void queue_new(State& task, Queue queue) {
  task.add_ref_unshared();
  auto queued = intrusive_ptr<State>::adopt(&task);
  queue(task);
  queued.detach();
}

/// Makes the task and starts it by a policy other than adaptive.
template <class F>
auto start_task(launch policy, F&& function) {
  using function_type = std::decay_t<F>;
  using T = decltype(std::declval<function_type>()());
  auto* task = new task_state<T, function_type>(std::forward<F>(function), policy == launch::deferred);
  auto result = intrusive_ptr<value_state<T>>::adopt(task);
  switch (policy) {
  case launch::sync:
    task->run_unoffered(sharing::unshared);
    break;
  case launch::deferred:
    break;
  default:
    queue_new(*task, [policy](future_state& made) { policy == launch::fork ? schedule_fork(made) : schedule(made); });
  }
  return access::make<future<T>>(std::move(result));
}

/// `called`: what the program has named, which `function` calls with arguments.
template <class F, class Called>
auto launch_task(launch policy, F&& function, const Called& called) {
  if (TREADLE_LIKELY(policy != launch::adaptive)) return start_task(policy, std::forward<F>(function));
  using function_type = std::decay_t<F>;
  site& here = site_for<function_type>(called);
  const bool sample = here.wants_sample();
  if (TREADLE_UNLIKELY(sample)) here.begin_sample(type_name<std::decay_t<const Called&>>());
  policy = here.prefers_inline() && stack_has_room() ? launch::sync : launch::async;
  if (TREADLE_LIKELY(!sample)) return start_task(policy, std::forward<F>(function));
  return start_task(policy, sampled<function_type>{&here, std::forward<F>(function)});
}

} // namespace detail

/// Calls f(args...) as a task (arguments are copied or moved in, as by std::async) and returns the future of its
/// result.
///
/// The default, launch::async, leaves the task with the calling worker: a worker that has nothing to do takes it, and a
/// get() that comes first runs it as a plain call, so an unstolen async+get costs tens of nanoseconds. Never blocks,
/// but where many tasks were run in place it may drop what is left of them, and so run destructors of the program. From
/// a thread outside the runtime the task is injected; the default runtime is started when there is none. Exceptions of
/// f are rethrown by get(). Throws std::bad_alloc.
template <detail::task_function F, class... Args>
[[nodiscard]] auto async(F&& f, Args&&... args) {
  return detail::start_task(launch::async, detail::bind_arguments(std::forward<F>(f), std::forward<Args>(args)...));
}

template <detail::task_function F, class... Args>
[[nodiscard]] auto async(launch policy, F&& f, Args&&... args) {
  return detail::launch_task(policy, detail::bind_arguments(std::forward<F>(f), std::forward<Args>(args)...), f);
}

/// The same, also async(token, policy or executor, f, args...). When a stop is requested before the task begins, it
/// does not, and its future holds treadle::stopped. Without arguments f may take the token.
template <detail::stop_token_like Token, detail::task_function F, class... Args>
[[nodiscard]] auto async(const Token& token, F&& f, Args&&... args) {
  return async(token, launch::async, std::forward<F>(f), std::forward<Args>(args)...);
}
template <any_executor Executor, detail::task_function F, class... Args>
[[nodiscard]] auto async(const Executor& executor, F&& f, Args&&... args); // executors.hpp
template <detail::stop_token_like Token, detail::before_function How, class F, class... Args>
[[nodiscard]] auto async(const Token& token, const How& how, F&& f, Args&&... args) {
  return async(how,
               detail::make_stoppable(token, detail::bind_arguments(std::forward<F>(f), std::forward<Args>(args)...)));
}
template <detail::before_function How, detail::stop_token_like Token, class... Args>
void async(const How& comes_second, const Token& comes_first, Args&&... args) = delete;

} // namespace treadle

#pragma once

#include <treadle/detail/latent.hpp>

#include <type_traits>
#include <utility>

namespace treadle {

namespace detail {

/// Runs call(argument) on a worker and waits, when the caller is not on one.
void run_on_worker(void (*call)(void*), void* argument);

/// Joins the fork when the stack unwinds past it.
struct fork_guard {
  latent_fork& fork;
  fork_list& list;
  bool armed = true;

  ~fork_guard() {
    if (TREADLE_UNLIKELY(armed)) fork.finish_unwinding(list);
  }
};

} // namespace detail

/// Calls all functions, possibly in parallel, and returns when all have returned.
///
/// The first runs at once on the calling task; the others are latent: as long as all workers are busy each costs about
/// as much as a plain call, and only when a worker looks for work does the oldest of them become a task. All functions
/// run, also when one throws; then the exception of the first of them, in the order of the arguments, is rethrown. The
/// caller may be suspended when its functions block. From a foreign thread the work moves to the current runtime.
template <class F, class G>
void parallel_invoke(F&& f, G&& g) {
  detail::fork_list* forks = detail::this_fork_list();
  if (TREADLE_UNLIKELY(!forks)) {
    auto both = [&] { treadle::parallel_invoke(f, g); };
    return detail::run_on_worker([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
  }
  using pending_function = std::remove_reference_t<G>;
  detail::latent_fork pending(
      *forks, [](void* function) { (*static_cast<pending_function*>(function))(); },
      const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(g))));
  {
    detail::fork_guard guard{pending, *forks};
    f();
    guard.armed = false;
  }
  if (TREADLE_LIKELY(pending.take_back(*forks)))
    g();
  else
    pending.finish();
}

template <class F, class G>
  requires std::is_function_v<std::remove_reference_t<G>> // whose address is no void*
void parallel_invoke(F&& f, G&& g) {
  treadle::parallel_invoke(f, [&g] { g(); });
}

template <class F, class... Rest>
  requires(sizeof...(Rest) > 1)
void parallel_invoke(F&& f, Rest&&... rest) {
  treadle::parallel_invoke(std::forward<F>(f), [&] { treadle::parallel_invoke(rest...); });
}

} // namespace treadle

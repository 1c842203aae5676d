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

/// A function object as parallel_invoke may hold it: temporaries by value, others by reference. A temporary that never
/// has its address taken stays in registers, which is most of the cost of a fork.
template <class F>
using held = std::conditional_t<std::is_lvalue_reference_v<F>, F, std::remove_reference_t<F>>;

template <class F, class G>
[[gnu::cold, gnu::noinline]] void parallel_invoke_elsewhere(held<F> f, held<G> g);

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
    return detail::parallel_invoke_elsewhere<F, G>(std::forward<F>(f), std::forward<G>(g));
  }
  using pending_function = std::remove_reference_t<G>;
  // Other workers call the object that the record points to. The direct call uses a twin that nobody else can reach,
  // when it is a temporary whose copy is as good.
  constexpr bool has_twin = !std::is_lvalue_reference_v<G> && std::is_trivially_copyable_v<pending_function> &&
                            sizeof(pending_function) <= 4 * sizeof(void*);
  std::conditional_t<has_twin, pending_function, pending_function&> direct = g;
  detail::latent_fork pending(
      *forks, [](void* function) { (*static_cast<pending_function*>(function))(); },
      const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(g))));
  {
    detail::fork_guard guard{pending, *forks};
    f();
    guard.armed = false;
  }
  if (TREADLE_LIKELY(pending.take_back(*forks)))
    direct();
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

template <class F, class G>
void detail::parallel_invoke_elsewhere(held<F> f, held<G> g) {
  auto both = [&] { treadle::parallel_invoke(f, g); };
  run_on_worker([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
}

} // namespace treadle

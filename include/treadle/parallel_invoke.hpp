#pragma once

#include <treadle/detail/latent.hpp>

#include <new>
#include <type_traits>
#include <utility>

namespace treadle {

namespace detail {

/// Runs call(argument) on a worker and waits, when the caller is not on one.
void run_on_worker(void (*call)(void*), void* argument);

template <class F>
using result_of = std::decay_t<decltype(std::declval<std::remove_reference_t<F>&>()())>;

/// What parallel_invoke(f, g) returns: both results, or nothing when either has none.
template <class F, class G, bool Any = !std::is_void_v<result_of<F>> && !std::is_void_v<result_of<G>>>
struct both_results {
  using type = void;
};
template <class F, class G>
struct both_results<F, G, true> {
  using type = std::pair<result_of<F>, result_of<G>>;
};

/// A fork of `g`, in the frame of parallel_invoke(), with room for the result that another worker may bring.
template <class G, bool Keep>
struct fork_of final : latent_fork {
  using function_type = std::remove_reference_t<G>;
  using result_type = std::conditional_t<Keep, result_of<G>, char>;
  // The one that runs it calls what the record holds: a copy of a small temporary, which then need not be kept in
  // registers across the first call and makes no other stores; anything else by reference.
  static constexpr bool copies = !std::is_lvalue_reference_v<G> && std::is_trivially_copyable_v<function_type> &&
                                 sizeof(function_type) <= 8 * sizeof(void*);

  explicit fork_of(function_type& g) noexcept : latent_fork(kind), function(g) {
    if constexpr (!std::is_trivially_destructible_v<result_type>) has_result = false;
  }
  ~fork_of() {
    if constexpr (!std::is_trivially_destructible_v<result_type>) {
      if (has_result) result.~result_type();
    }
  }

  static void run(promoted_task& task) {
    auto& fork = static_cast<fork_of&>(latent_fork::of(task));
    if constexpr (Keep) {
      ::new (static_cast<void*>(&fork.result)) result_type(fork.function());
      fork.has_result = true;
    } else {
      fork.function();
    }
  }
  static constexpr latent_kind kind{&latent_fork::promote, &fork_of::run, type_name<function_type>()};

  std::conditional_t<copies, function_type, function_type&> function;
  union {
    result_type result;
  };
  bool has_result; // written and read only where it matters: every store of the fast path counts
};

/// Joins the fork when the stack unwinds past it. Apart from the record, whose address is known elsewhere, so that all
/// this stays in registers.
struct fork_guard {
  latent_fork& fork;
  task_stack& current;
  latent_work* older;
  bool armed = true;

  ~fork_guard() {
    if (TREADLE_UNLIKELY(armed)) fork.finish_unwinding(current, older);
  }
};

/// A function object as parallel_invoke may hold it: temporaries by value, others by reference.
template <class F>
using held = std::conditional_t<std::is_lvalue_reference_v<F>, F, std::remove_reference_t<F>>;

template <class F, class G>
[[gnu::cold, gnu::noinline]] auto parallel_invoke_elsewhere(held<F>& f, held<G>& g) ->
    typename both_results<F, G>::type;

} // namespace detail

/// Calls all functions, possibly in parallel, and returns when all have returned. With two functions that both return a
/// value the result is the std::pair of the values: `auto [left, right] = parallel_invoke(f, g)`.
///
/// The first runs at once on the calling task; the others are latent: as long as all workers are busy each costs about
/// as much as a plain call, and only when a worker looks for work does the oldest of them become a task. All functions
/// run, also when one throws; then the exception of the first of them, in the order of the arguments, is rethrown. The
/// caller may be suspended when its functions block. From a foreign thread the work moves to the current runtime.
///
/// Function objects that are temporaries are the fastest: one of up to eight words that can be copied by bytes is
/// copied into the record of the fork, others are referred to.
template <class F, class G>
auto parallel_invoke(F&& f, G&& g) -> typename detail::both_results<F, G>::type {
  using results = typename detail::both_results<F, G>::type;
  constexpr bool keep = !std::is_void_v<results>;
  detail::task_stack* current = detail::this_task_stack();
  if (TREADLE_UNLIKELY(!current)) {
    // Copies: temporaries that never have their address taken need not be in memory on the fast path.
    detail::held<F> first(std::forward<F>(f));
    detail::held<G> second(std::forward<G>(g));
    return detail::parallel_invoke_elsewhere<F, G>(first, second);
  }
  detail::fork_of<G, keep> pending(g);
  detail::latent_work* const older = pending.link(*current);
  detail::fork_guard guard{pending, *current, older};
  if constexpr (keep) {
    auto first = f();
    guard.armed = false;
    if (TREADLE_LIKELY(pending.unlink(*current, older))) return results(std::move(first), pending.function());
    pending.finish();
    return results(std::move(first), std::move(pending.result));
  } else {
    f();
    guard.armed = false;
    if (TREADLE_LIKELY(pending.unlink(*current, older)))
      pending.function();
    else
      pending.finish();
  }
}

template <class F, class G>
  requires std::is_function_v<std::remove_reference_t<G>> // which cannot be copied into a record
auto parallel_invoke(F&& f, G&& g) {
  return treadle::parallel_invoke(f, [&g] { return g(); });
}

template <class F, class... Rest>
  requires(sizeof...(Rest) > 1)
void parallel_invoke(F&& f, Rest&&... rest) {
  treadle::parallel_invoke(std::forward<F>(f), [&] { treadle::parallel_invoke(rest...); });
}

template <class F, class G>
auto detail::parallel_invoke_elsewhere(held<F>& f, held<G>& g) -> typename both_results<F, G>::type {
  using results = typename both_results<F, G>::type;
  if constexpr (std::is_void_v<results>) {
    auto both = [&] { treadle::parallel_invoke(f, g); };
    run_on_worker([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
  } else {
    struct frame {
      explicit frame(held<F>& first, held<G>& second) : f(first), g(second) {}
      ~frame() {
        if (place) place->~results();
      }
      held<F>& f;
      held<G>& g;
      results* place = nullptr;
      alignas(results) unsigned char storage[sizeof(results)];
    } both(f, g);
    run_on_worker(
        [](void* b) {
          auto& here = *static_cast<frame*>(b);
          here.place = ::new (static_cast<void*>(here.storage)) results(treadle::parallel_invoke(here.f, here.g));
        },
        &both);
    return std::move(*both.place);
  }
}

} // namespace treadle

#pragma once

#include <treadle/algorithm/execution.hpp>
#include <treadle/async.hpp>
#include <treadle/stopped.hpp>

#include <new>
#include <vector>

namespace treadle::detail {

template <class F>
struct function_reference {
  F* function;
  decltype(auto) operator()(auto&&... args) const { return (*function)(static_cast<decltype(args)>(args)...); }
};

/// What an inner loop that writes should call: a small function object by value, because through a reference the
/// compiler has to expect that each write changes what the function has captured; any other by reference.
template <class... Args, class F>
constexpr auto loop_function(F& function) noexcept {
  if constexpr (std::is_function_v<F>)
    return &function;
  else if constexpr (std::is_trivially_copyable_v<F> && sizeof(F) <= 8 * sizeof(void*) &&
                     std::is_invocable_v<const F&, Args...>)
    return function;
  else
    return function_reference<F>{&function};
}

/// How a chunk holds the lambda that runs it, for the same reason.
template <class Run>
using chunk_local = std::conditional_t<std::is_trivially_copyable_v<Run>, const Run, Run&>;

template <any_execution_policy Policy>
bool runs_serially(const Policy& policy, const loop_site& site, std::uint64_t n) noexcept {
  if constexpr (!Policy::is_parallel) return true;
  if constexpr (Policy::has_stop_token) {
    if (policy.cut().stops()) return false;
  }
  return policy.cut().how == loop_cut::kind::on_demand && runs_serially(site, n);
}

/// In order, with a look at the token every few microseconds.
template <class Run>
void run_in_pieces(const loop_cut& cut, std::uint64_t n, Run run) {
  loop_pieces pieces;
  for (std::uint64_t begin = 0, end = 0; begin < n; begin = end) {
    if (cut.stops()) throw stopped();
    end = pieces.next(begin, n);
    if constexpr (std::is_void_v<decltype(run(begin, end))>)
      run(begin, end);
    else if (!run(begin, end))
      return;
  }
}

/// Into how many tasks of a program's own executor a loop is cut; none where it has no iterations.
inline std::uint64_t bulk_tasks(const loop_cut& cut, std::uint64_t n) noexcept {
  constexpr std::uint64_t k_most = 64;
  const std::uint64_t wanted = cut.how != loop_cut::kind::on_demand && cut.chunk > 1 ? (n - 1) / cut.chunk + 1 : k_most;
  return wanted < n ? wanted : n;
}

/// Calls part(k, begin, end) for `tasks` ranges that together are [0, n), in tasks of the policy's executor. The first
/// exception in their order.
template <any_execution_policy Policy, class Part>
void run_in_bulk(const Policy& policy, std::uint64_t n, std::uint64_t tasks, Part part) {
  struct tasks_of_loop : std::vector<future<void>> {
    ~tasks_of_loop() { // they refer to what the loop has, also when one of them could not be made
      for (const future<void>& one : *this)
        if (one.valid()) one.wait();
    }
  } all;
  all.reserve(static_cast<std::size_t>(tasks));
  std::uint64_t begin = 0;
  const auto next_part = [&](std::uint64_t k) {
    const std::uint64_t first = begin, end = first + (n - first) / (tasks - k);
    begin = end;
    return [&part, k, first, end] { part(k, first, end); };
  };
  start_all_on(policy.executor(), tasks, next_part, all);
  for (const future<void>& one : all) one.wait();
  for (future<void>& one : all) one.get();
}

template <class Run>
[[gnu::cold, gnu::noinline]] void share_ranges(const loop_cut& cut, std::uint64_t n, Run& run, loop_site& site) {
  static constexpr loop_body body{[](void* context, void*, std::uint64_t begin, std::uint64_t end) {
    chunk_local<Run> function = *static_cast<Run*>(context);
    if constexpr (std::is_void_v<decltype(function(begin, end))>) {
      function(begin, end);
      return true;
    } else {
      return function(begin, end);
    }
  }};
  run_loop(body, &run, nullptr, n, cut, site);
}

/// Calls run(begin, end) for ranges that together are [0, n), possibly in parallel and in any order; `run` is a lambda,
/// and small. It may return bool: false says that nothing after the range is needed.
template <any_execution_policy Policy, class Run>
void for_ranges(const Policy& policy, std::uint64_t n, Run run) {
  if constexpr (Policy::has_executor) {
    run_in_bulk(policy, n, bulk_tasks(policy.cut(), n), [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
      for_ranges(policy.in_place(), last - first,
                 [&](std::uint64_t begin, std::uint64_t end) { return run(first + begin, first + end); });
    });
    return;
  }
  loop_site& site = loop_site_of<Run>;
  if constexpr (!Policy::is_parallel && Policy::has_stop_token) {
    run_in_pieces(policy.cut(), n, [&](std::uint64_t begin, std::uint64_t end) { return run(begin, end); });
  } else if (runs_serially(policy, site, n)) {
    run(std::uint64_t{0}, n);
  } else {
    Run shared = run; // so that the one above never has its address taken and stays in registers
    share_ranges(policy.cut(), n, shared, site);
  }
}

template <class State, class Run, class Make, class Append>
[[gnu::cold, gnu::noinline]] void share_fold(const loop_cut& cut, std::uint64_t n, State& state, Run& run, Make& make,
                                             Append& append, loop_site& site) {
  struct context_type {
    Run& run;
    Make& make;
    Append& append;
  } context{run, make, append};
  static constexpr loop_body body{[](void* c, void* s, std::uint64_t begin, std::uint64_t end) {
                                    chunk_local<Run> function = static_cast<context_type*>(c)->run;
                                    auto& part = *static_cast<State*>(s);
                                    if constexpr (std::is_void_v<decltype(function(part, begin, end))>) {
                                      function(part, begin, end);
                                      return true;
                                    } else {
                                      return function(part, begin, end);
                                    }
                                  },
                                  [](void* c) -> void* { return new State(static_cast<context_type*>(c)->make()); },
                                  [](void* c, void* left, void* right) {
                                    static_cast<context_type*>(c)->append(*static_cast<State*>(left),
                                                                          *static_cast<State*>(right));
                                  },
                                  [](void* s) noexcept { delete static_cast<State*>(s); }};
  run_loop(body, &context, &state, n, cut, site);
}

/// The same with something that accumulates: run(state, begin, end) adds a range to a state, make() gives a fresh one,
/// and append(left, right) merges that of the iterations which follow left's. In order of the iterations, so append
/// need not commute. `state` is that of the first range.
template <any_execution_policy Policy, class State, class Run, class Make, class Append>
void fold_ranges(const Policy& policy, std::uint64_t n, State& state, Run run, Make make, Append append) {
  if constexpr (Policy::has_executor) {
    const std::uint64_t tasks = bulk_tasks(policy.cut(), n);
    std::vector<State> parts;
    parts.reserve(static_cast<std::size_t>(tasks));
    for (std::uint64_t k = 0; k < tasks; ++k) parts.push_back(make());
    run_in_bulk(policy, n, tasks, [&](std::uint64_t k, std::uint64_t first, std::uint64_t last) {
      const auto shifted = [&](State& s, std::uint64_t begin, std::uint64_t end) {
        return run(s, first + begin, first + end);
      };
      fold_ranges(policy.in_place(), last - first, parts[static_cast<std::size_t>(k)], shifted, make, append);
    });
    for (State& part : parts) append(state, part);
    return;
  }
  loop_site& site = loop_site_of<Run>;
  if constexpr (!Policy::is_parallel && Policy::has_stop_token) {
    run_in_pieces(policy.cut(), n, [&](std::uint64_t begin, std::uint64_t end) { return run(state, begin, end); });
  } else if (runs_serially(policy, site, n)) {
    run(state, std::uint64_t{0}, n);
  } else {
    Run shared = run;
    share_fold(policy.cut(), n, state, shared, make, append, site);
  }
}

/// Whether a task of the executor would run where the caller does.
template <class Executor>
bool is_here(const Executor& executor) noexcept {
  if constexpr (requires { executor.is_here(); })
    return executor.is_here();
  else if constexpr (requires { executor.inner; })
    return is_here(executor.inner);
  else
    return false;
}

/// A loop whose parts are to be tasks of a program's own executor.
template <class Policy, class Algorithm>
inline constexpr bool makes_tasks = false;
template <class Policy, class Algorithm>
  requires(Policy::is_parallel && Policy::has_executor && Algorithm::makes_tasks_of_executor)
inline constexpr bool makes_tasks<Policy, Algorithm> =
    is_own_executor<std::remove_cvref_t<decltype(std::declval<const Policy&>().executor())>>();

/// Runs an algorithm, a function object without state that takes the synchronous policy and the arguments: at once, or
/// as a task when the policy says so, and then with copies of the arguments.
template <any_execution_policy Policy, class Algorithm, class... Args>
auto run_algorithm(const Policy& policy, Algorithm algorithm, Args&&... args) {
  if constexpr (Policy::has_stop_token && !Policy::is_asynchronous) {
    if (policy.cut().stops()) throw stopped();
  }
  if constexpr (Policy::is_asynchronous) {
    auto call = [policy = policy.in_place(), algorithm,
                 ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      return run_algorithm(policy, algorithm, args...);
    };
    if constexpr (Policy::has_executor)
      return async(policy.executor(), std::move(call));
    else
      return async(std::move(call));
  } else if constexpr (makes_tasks<Policy, Algorithm>) {
    return algorithm(policy, args...);
  } else if constexpr (Policy::has_executor) {
    if (is_here(policy.executor())) return algorithm(policy.in_place(), args...);
    return async(policy.executor(), [&] { return algorithm(policy.in_place(), args...); }).get();
  } else {
    return algorithm(policy, args...);
  }
}

} // namespace treadle::detail

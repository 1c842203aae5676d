#pragma once

#include <treadle/async.hpp>
#include <treadle/execution.hpp>

#include <new>

namespace treadle::detail {

/// Calls run(begin, end) for ranges that together are [0, n), possibly in parallel and in any order. run may return
/// bool: false says that what follows this range is not needed.
template <any_execution_policy Policy, class Run>
void for_ranges(const Policy& policy, std::uint64_t n, Run&& run) {
  using body_type = std::remove_reference_t<Run>;
  loop_site& site = loop_site_of<body_type>;
  if (!Policy::is_parallel || (policy.cut().how == loop_cut::kind::on_demand && runs_serially(site, n))) {
    run(std::uint64_t{0}, n);
    return;
  }
  static constexpr loop_body body{[](void* context, void*, std::uint64_t begin, std::uint64_t end) {
    auto& function = *static_cast<body_type*>(context);
    if constexpr (std::is_void_v<decltype(function(begin, end))>) {
      function(begin, end);
      return true;
    } else {
      return function(begin, end);
    }
  }};
  run_loop(body, const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(run))), nullptr, n,
           policy.cut(), site);
}

/// The same with something that accumulates: run(state, begin, end) adds a range to a state, make() gives a fresh one,
/// and append(left, right) merges that of the iterations which follow left's. In order of the iterations, so append
/// need not commute. `state` is that of the first range.
template <any_execution_policy Policy, class State, class Run, class Make, class Append>
void fold_ranges(const Policy& policy, std::uint64_t n, State& state, Run&& run, Make&& make, Append&& append) {
  struct context_type {
    std::remove_reference_t<Run>& run;
    std::remove_reference_t<Make>& make;
    std::remove_reference_t<Append>& append;
  } context{run, make, append};
  loop_site& site = loop_site_of<context_type>;
  if (!Policy::is_parallel || (policy.cut().how == loop_cut::kind::on_demand && runs_serially(site, n))) {
    run(state, std::uint64_t{0}, n);
    return;
  }
  static constexpr loop_body body{
      [](void* c, void* s, std::uint64_t begin, std::uint64_t end) {
        auto& given = *static_cast<context_type*>(c);
        if constexpr (std::is_void_v<decltype(given.run(*static_cast<State*>(s), begin, end))>) {
          given.run(*static_cast<State*>(s), begin, end);
          return true;
        } else {
          return given.run(*static_cast<State*>(s), begin, end);
        }
      },
      [](void* c) -> void* { return new State(static_cast<context_type*>(c)->make()); },
      [](void* c, void* left, void* right) {
        static_cast<context_type*>(c)->append(*static_cast<State*>(left), *static_cast<State*>(right));
      },
      [](void* s) noexcept { delete static_cast<State*>(s); }};
  run_loop(body, &context, &state, n, policy.cut(), site);
}

/// Runs an algorithm, a function object without state that takes the synchronous policy and the arguments: at once, or
/// as a task when the policy says so, and then with copies of the arguments.
template <any_execution_policy Policy, class Algorithm, class... Args>
auto run_algorithm(const Policy& policy, Algorithm algorithm, Args&&... args) {
  if constexpr (Policy::is_asynchronous) {
    auto call = [policy = policy.in_place(), algorithm,
                 ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable {
      return algorithm(policy, args...);
    };
    if constexpr (Policy::has_executor)
      return async(policy.executor(), std::move(call));
    else
      return async(std::move(call));
  } else if constexpr (Policy::has_executor) {
    if (policy.executor().is_here()) return algorithm(policy.in_place(), args...);
    return async(policy.executor(), [&] { return algorithm(policy.in_place(), args...); }).get();
  } else {
    return algorithm(policy, args...);
  }
}

} // namespace treadle::detail

#pragma once

#include <treadle/detail/loop.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/launch.hpp>

#include <type_traits>
#include <utility>

namespace treadle {

/// Chunk parameters, for `policy.with(...)`. Without one a loop is split on demand: it runs as one piece while all
/// workers are busy, and gives the upper half of what is left to workers that become idle, as long as that is worth it
/// by measurement. There is nothing to choose then; these are for programs that know better.

/// One part per worker at once, each a multiple of `chunk` iterations: equal iterations, data that stays where it is.
struct static_chunk_size {
  std::uint64_t chunk = 1;
};
/// `chunk` iterations are never split; more than that on demand.
struct dynamic_chunk_size {
  std::uint64_t chunk = 1;
};
/// Large chunks first, then smaller ones (what is left by twice the workers) down to `chunk_min` iterations.
struct guided_chunk_size {
  std::uint64_t chunk_min = 1;
};
/// Chunks that are never split, of a size that is searched while the program runs this loop again and again: by its
/// speed, in iterations per second, over windows of 20 ms (grain_tuner.hpp). For loops whose iterations go through much
/// memory, where the size of a piece decides what stays in a cache.
struct adaptive_chunk_size {};
/// The default, by name.
struct auto_chunk_size {};
/// At most this many workers at a time.
struct num_cores {
  unsigned count;
};

/// The tag that makes an algorithm asynchronous: `for_each(par(task), ...)` returns a future.
struct task_tag {};
inline constexpr task_tag task{};

namespace detail {

enum class execution { sequenced, parallel };

struct no_executor {};
struct no_stop_token {};

extern const chunk_tuner adaptive_chunks;

} // namespace detail

/// How an algorithm runs: `seq`, `par`, `par_unseq`, possibly with `(task)`, `.with(chunk parameter)`,
/// `.with(stop token)` and `.on(executor)`. A value; each of these returns a changed copy.
template <detail::execution Execution, bool Asynchronous = false, class Executor = detail::no_executor,
          class StopToken = detail::no_stop_token>
class execution_policy {
 public:
  static constexpr bool is_parallel = Execution == detail::execution::parallel;
  static constexpr bool is_asynchronous = Asynchronous;
  static constexpr bool has_executor = !std::is_same_v<Executor, detail::no_executor>;
  static constexpr bool has_stop_token = !std::is_same_v<StopToken, detail::no_stop_token>;

  constexpr execution_policy() noexcept = default;
  constexpr explicit execution_policy(const detail::loop_cut& cut, const Executor& executor = {},
                                      const StopToken& token = {}) noexcept
      : m_cut(cut), m_executor(executor), m_token(token) {}

  constexpr auto operator()(task_tag) const noexcept {
    return execution_policy<Execution, true, Executor, StopToken>(m_cut, m_executor, m_token);
  }
  /// The whole algorithm runs as a task of this executor (executors.hpp), and its parts in the same pool. On a
  /// sequenced_executor it runs in order, as with seq. With a program's own executor or a limiting_executor, for_loop
  /// and for_each make tasks of it, up to 64 of about the same number of iterations or as many as the chunk size says,
  /// wait for them, and append reductions on the calling thread; whatever else, and loops with (task), run in order
  /// as one task.
  template <any_executor E>
  constexpr auto on(const E& executor) const noexcept {
    return execution_policy<Execution, Asynchronous, E, StopToken>(m_cut, executor, m_token);
  }
  /// What is left for the task that does it.
  constexpr auto in_place() const noexcept {
    constexpr bool sequenced = requires { Executor::keeps_order; } || detail::is_own_executor<Executor>();
    return execution_policy<sequenced ? detail::execution::sequenced : Execution, false, detail::no_executor,
                            StopToken>(m_cut, {}, m_token);
  }
  constexpr const Executor& executor() const noexcept { return m_executor; }

  constexpr execution_policy with(static_chunk_size size) const noexcept {
    return with_cut(detail::loop_cut::kind::spread, size.chunk);
  }
  constexpr execution_policy with(dynamic_chunk_size size) const noexcept {
    return with_cut(detail::loop_cut::kind::fixed, size.chunk);
  }
  constexpr execution_policy with(guided_chunk_size size) const noexcept {
    return with_cut(detail::loop_cut::kind::guided, size.chunk_min);
  }
  constexpr execution_policy with(adaptive_chunk_size) const noexcept {
    execution_policy changed = with_cut(detail::loop_cut::kind::fixed, 1);
    changed.m_cut.tuner = &detail::adaptive_chunks;
    return changed;
  }
  constexpr execution_policy with(auto_chunk_size) const noexcept {
    return with_cut(detail::loop_cut::kind::on_demand, 1);
  }
  constexpr execution_policy with(num_cores cores) const noexcept {
    execution_policy changed = *this;
    changed.m_cut.parts_max = cores.count;
    return changed;
  }

  /// Throws treadle::stopped when a stop is requested (treadle/stop.hpp). It is looked for at the beginning, by loops
  /// every few microseconds, whatever their chunks, and by what sorts and merges before each comparison.
  template <detail::stop_token_like Token>
  constexpr auto with(const Token& token) const noexcept {
    return execution_policy<Execution, Asynchronous, Executor, Token>(m_cut, m_executor, token);
  }

  constexpr const StopToken& stop_token() const noexcept { return m_token; }

  constexpr detail::loop_cut cut() const noexcept {
    detail::loop_cut cut = m_cut;
    if constexpr (has_stop_token) {
      cut.token = &m_token;
      cut.is_stopped = [](const void* t) noexcept { return static_cast<const StopToken*>(t)->stop_requested(); };
    }
    return cut;
  }

 private:
  constexpr execution_policy with_cut(detail::loop_cut::kind how, std::uint64_t chunk) const noexcept {
    execution_policy changed = *this;
    changed.m_cut.how = how;
    changed.m_cut.chunk = chunk == 0 ? 1 : chunk;
    changed.m_cut.tuner = nullptr;
    return changed;
  }

  detail::loop_cut m_cut;
  [[no_unique_address]] Executor m_executor;
  [[no_unique_address]] StopToken m_token;
};

/// In order, on the calling task.
inline constexpr execution_policy<detail::execution::sequenced> seq{};
/// Iterations may run at the same time on several workers. They may block and use other tasks.
inline constexpr execution_policy<detail::execution::parallel> par{};
/// The same; the compiler may also interleave iterations. Loop bodies are plain code in both cases, so there is no
/// difference in how they are compiled.
inline constexpr execution_policy<detail::execution::parallel> par_unseq{};

template <class T>
inline constexpr bool is_execution_policy = false;
template <detail::execution Execution, bool Asynchronous, class Executor, class StopToken>
inline constexpr bool is_execution_policy<execution_policy<Execution, Asynchronous, Executor, StopToken>> = true;

template <class T>
concept any_execution_policy = is_execution_policy<std::remove_cvref_t<T>>;

} // namespace treadle

#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/task_name.hpp>

#include <utility>

namespace treadle::detail {

struct tuned_site;

/// One place in the code that creates tasks, for launch::adaptive. What every call reads and writes; relaxed, because
/// an update that is lost to a race costs accuracy and nothing else. The rest lies in a tuned_site (control/site.cpp).
class site {
 public:
  bool prefers_inline() const noexcept { return m_inline.load(order::relaxed) != 0; }
  /// The first executions are all measured, then one in 64: a place may change its behaviour.
  bool wants_sample() noexcept {
    const std::uint32_t left = m_until_sample.load(order::relaxed);
    if (left != 0) m_until_sample.store(left - 1, order::relaxed);
    return left == 0;
  }
  /// Before an execution that is measured: decides anew how this and the next ones run.
  void begin_sample(task_name name) noexcept;
  void record(double ns, bool blocked) noexcept;
  double expected_ns() const noexcept; ///< of an execution

 private:
  atomic<std::uint32_t> m_until_sample{0};
  atomic<unsigned char> m_inline{0};
  atomic<tuned_site*> m_tuned{nullptr};
};

/// One site per callable type: each lambda expression in the source is a type of its own.
template <class F>
inline constinit site site_of{};

/// Measures from construction to destruction, and whether the task suspended in between.
class site_timer {
 public:
  explicit site_timer(site& where) noexcept;
  ~site_timer();
  site_timer(const site_timer&) = delete;
  site_timer& operator=(const site_timer&) = delete;

 private:
  site& m_site;
  std::int64_t m_start_ticks;
  std::int64_t m_start_cpu_ns; // of the thread; 0: not asked for
  std::uint64_t m_suspensions;
};

/// A callable that reports to its site.
template <class F>
struct sampled {
  site* where;
  F function;

  decltype(auto) operator()() {
    site_timer timer(*where);
    return std::move(function)();
  }
};

} // namespace treadle::detail

#pragma once

#include <treadle/detail/atomic.hpp>

#include <utility>

namespace treadle::detail {

/// What is known about one place in the code that creates tasks, for launch::adaptive. 16 bytes, updated by relaxed
/// operations from any thread: an update lost to a race costs accuracy, nothing else.
class site {
 public:
  /// Measured often enough, short, and never seen to block: running it in place is cheaper than making it a task.
  bool prefers_inline() const noexcept {
    return m_samples.load(order::relaxed) >= k_samples_min && !m_blocks.load(order::relaxed) &&
           m_mean_ns.load(order::relaxed) < k_inline_below_ns;
  }
  /// The first executions are all measured, then one in 64: a place may change its behaviour.
  bool wants_sample() noexcept {
    const std::uint32_t n = m_calls.load(order::relaxed);
    m_calls.store(n + 1, order::relaxed);
    return n < 2 * k_samples_min || n % 64 == 0;
  }
  void record(std::int64_t ns, bool blocked) noexcept;

 private:
  static constexpr std::uint32_t k_samples_min = 5;
  static constexpr std::uint32_t k_inline_below_ns = 1000; // about 20 unstolen async+get

  atomic<std::uint32_t> m_calls{0};
  atomic<std::uint32_t> m_samples{0};
  atomic<std::uint32_t> m_mean_ns{0};
  atomic<bool> m_blocks{false};
};

/// One site per callable type: each lambda expression in the source is a type of its own.
template <class F>
inline constinit site site_of{};

/// Measures from construction to destruction and whether the task suspended in between.
class site_timer {
 public:
  explicit site_timer(site& where) noexcept;
  ~site_timer();
  site_timer(const site_timer&) = delete;
  site_timer& operator=(const site_timer&) = delete;

 private:
  site& m_site;
  std::int64_t m_start_ticks;
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

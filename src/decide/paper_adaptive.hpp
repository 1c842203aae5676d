#pragma once

#include "decide/inlining.hpp"
#include "search/strategy.hpp"

#include <treadle/tune/inlining.hpp>

#include <algorithm>
#include <cmath>

namespace treadle::decide {

/// Wagle et al., "Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime Systems", ICPP 2019, Algorithm 2,
/// for one instance. Like paper_baseline with a threshold of 425 +- 75 us; an instance that is executed often gets a
/// search. Each time it has been executed `window` times, until the search has converged, the search is told the mean
/// time and gives the next threshold, and the counters start again: until 5 more executions nothing is decided. The
/// mean of the first window is told to nobody, for it was measured with a threshold that need not be in the space;
/// Active Harmony, too, ignores a cost that is reported for a point which it has not given out.
class paper_adaptive {
 public:
  static constexpr execution k_initial = execution::spawned;
  static constexpr std::uint64_t k_threshold_ns = 425'000, k_hysteresis_ns = 75'000;
  static constexpr std::uint64_t k_registered_from = 5; // executions; Algorithm 2's count_threshold_1

  struct outcome {
    inlining_decision decision;
    bool reset = false; ///< the counters: a new window begins
  };

  explicit paper_adaptive(const threshold_search& how = {}) : m_how(how) {}

  /// `sample` is of the evaluations since the last reset.
  outcome decide(const inlining_sample& sample, execution previous) {
    if (sample.count < k_registered_from) return {{previous, false}};
    m_mean_ns = static_cast<double>(sample.total_ns) / static_cast<double>(sample.count);
    if (!m_search) m_search = tune::make_strategy({.how = m_how.how}, thresholds(), 0);
    if (!m_search->converged() && sample.count >= m_how.window) {
      if (m_windows++ != 0) m_search->report(m_search->next(), std::log(std::max(m_mean_ns, 1.0)));
      m_threshold_ns = m_how.first_ns + m_how.step_ns * m_search->next();
      return {{previous, false}, true};
    }
    return {paper_baseline{k_registered_from, lower_ns(), upper_ns()}.decide(sample, previous)};
  }

  const threshold_search& how() const noexcept { return m_how; }
  bool is_registered() const noexcept { return m_search != nullptr; }
  bool converged() const { return m_search && m_search->converged(); }
  double threshold_ns() const noexcept { return static_cast<double>(m_threshold_ns); }
  std::uint64_t lower_ns() const noexcept { return m_threshold_ns - std::min(m_threshold_ns, k_hysteresis_ns); }
  std::uint64_t upper_ns() const noexcept { return m_threshold_ns + k_hysteresis_ns; }
  double mean_ns() const noexcept { return m_mean_ns; }   ///< that the latest decision went by
  unsigned windows() const noexcept { return m_windows; } ///< that have ended, each with a launch of the search

 private:
  tune::space thresholds() const {
    return tune::space(
        {tune::dimension{static_cast<std::uint32_t>((m_how.last_ns - m_how.first_ns) / m_how.step_ns) + 1}});
  }

  threshold_search m_how;
  std::uint64_t m_threshold_ns = k_threshold_ns;
  double m_mean_ns = 0;
  std::unique_ptr<tune::strategy> m_search; // null: not executed often enough
  unsigned m_windows = 0;
};

} // namespace treadle::decide

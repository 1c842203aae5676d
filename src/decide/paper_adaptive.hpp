#pragma once

#include "decide/inlining.hpp"
#include "search/strategy.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

/// Wagle et al., "Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime Systems", ICPP 2019, Algorithm 2,
/// for one instance. Like paper_baseline with a threshold of 425 +- 75 us; an instance that is executed often gets a
/// search, told the mean time of each window of 50 evaluations, that moves the threshold through 200, 300, ... 1000 us
/// until it has converged.
class paper_adaptive {
 public:
  static constexpr execution k_initial = execution::spawned;
  static constexpr std::uint64_t k_hysteresis_ns = 75'000;
  static constexpr std::uint64_t k_registered_above = 5, k_window = 50; // evaluations

  struct outcome {
    inlining_decision decision;
    bool reset = false; ///< the counters: a new window begins
  };

  /// `how`: exhaustive or parallel_rank_order.
  explicit paper_adaptive(search_strategy how = search_strategy::parallel_rank_order) : m_how(how) {}

  /// `sample` is of the evaluations since the last reset.
  outcome decide(const inlining_sample& sample, execution previous) {
    outcome result{{previous, false}};
    if (sample.count == 0) return result;
    const double mean = m_mean_ns = static_cast<double>(sample.total_ns) / static_cast<double>(sample.count);
    if (!m_search && sample.count > k_registered_above) {
      const tune::space thresholds({tune::dimension{9}});
      m_search = tune::make_strategy({.how = m_how}, thresholds, 0);
      m_threshold_ns = threshold_of(m_search->next());
    }
    if (m_search && !m_search->converged() && sample.count > k_window) {
      m_search->report(m_search->next(), std::log(std::max(mean, 1.0)));
      ++m_windows;
      m_threshold_ns = threshold_of(m_search->next());
      result.reset = true;
    }
    const paper_baseline rule{k_registered_above, lower_ns(), upper_ns()};
    result.decision = rule.decide(sample, previous);
    return result;
  }

  bool is_registered() const noexcept { return m_search != nullptr; }
  bool converged() const { return m_search && m_search->converged(); }
  double threshold_ns() const noexcept { return static_cast<double>(m_threshold_ns); }
  std::uint64_t lower_ns() const noexcept { return m_threshold_ns - k_hysteresis_ns; }
  std::uint64_t upper_ns() const noexcept { return m_threshold_ns + k_hysteresis_ns; }
  double mean_ns() const noexcept { return m_mean_ns; } ///< that the latest decision went by
  unsigned windows() const noexcept { return m_windows; }

 private:
  static std::uint64_t threshold_of(tune::arm at) noexcept { return 200'000 + 100'000 * at; }

  search_strategy m_how;
  std::uint64_t m_threshold_ns = 425'000;
  double m_mean_ns = 0;
  std::unique_ptr<tune::strategy> m_search; // null: not executed often enough
  unsigned m_windows = 0;
};

} // namespace treadle::decide

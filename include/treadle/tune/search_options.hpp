#pragma once

#include <cstdint>
#include <string_view>

namespace treadle {

/// How a session searches. All minimise, and compare ratios of costs only, so the unit of a cost does not matter. The
/// first is better than the others on all that was recorded (docs/design/search.md), which are there for comparison.
enum class search_strategy : std::uint8_t {
  local_ucb,            ///< a bandit that plays around the best, for ever (Combes, Proutiere, 2014)
  exhaustive,           ///< every point once
  random,               ///< 100 to 500 points drawn at random
  nelder_mead,          ///< a simplex that moves downhill (1965)
  parallel_rank_order,  ///< the same for the whole simplex at a time: the search of Active Harmony (SC 2005)
  published_rank_order, ///< that search as its authors' code has it, slips included, which noise leads astray
};

/// "local-ucb", "exhaustive", "random", "nelder-mead", "parallel-rank-order", "published-rank-order".
std::string_view to_string(search_strategy strategy) noexcept;
/// Throws std::invalid_argument that lists the names.
search_strategy search_strategy_from_name(std::string_view name);

struct search_options {
  search_strategy how = search_strategy::local_ucb;
  double window_ns = 2e6; ///< a window, the mean of samples that is compared, is at least so long
  unsigned repeats = 1;   ///< and has at least this many samples
  unsigned settling = 0;  ///< samples after a change that tell nothing yet
  /// Share of the time that tries may lose against the best known point, at any moment. Negative: what the process
  /// allows all decisions together, 1 %. 0: no limit.
  double budget = -1;
  bool drift = true;      ///< search again when costs have changed for good; false: a frozen search
  std::uint64_t seed = 1; ///< the same seed and reports give the same choices
};

} // namespace treadle

#pragma once

#include "decide/adaptive_inlining.hpp"
#include "decide/paper_adaptive.hpp"
#include "sim/graph.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace treadle::sim {

/// Which tasks run where they are made, decided for each site in the course of simulated time by what its executions
/// took until then. The decisions are those of the runtime (src/decide).
class inlining_sites {
 public:
  /// Throws std::invalid_argument that lists what there is. schedule::inlining has the meaning of each.
  inlining_sites(std::string_view policy, std::size_t sites, const cost_table& costs, unsigned workers);

  bool decides() const noexcept { return !std::holds_alternative<std::monostate>(m_policy); }

  struct execution {
    double until_ready_ns; ///< since somebody began to evaluate it, or its first input
    double working_ns;     ///< time of a worker
    bool blocked;          ///< suspended in between
  };
  bool inlines(int site);
  void executed(int site, const execution& one);

 private:
  struct always {
    bool inlined;
  };
  struct by_cost {
    decide::spawn_cost task;
  };
  struct site {
    decide::inlining_sample sample;
    decide::execution previous = decide::execution::spawned;
    decide::execution_cost cost;
    decide::inlining_verdict verdict;
    decide::paper_adaptive search;
  };
  struct by_search {};

  std::variant<std::monostate, always, decide::paper_baseline, by_search, by_cost> m_policy;
  std::vector<site> m_sites;
};

} // namespace treadle::sim

// A program that repeats itself in simulated time while the decision of pool_tuner chooses its pools: what that costs,
// the search included, against the best choice there is.
#pragma once

#include <treadle/sim/prediction.hpp>
#include <treadle/tune/pool_tuner.hpp>

#include "base/rng.hpp"
#include "control/pool_decision.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace treadle::predict {

/// What is run, where, and with what costs of the runtime.
struct repeated_case {
  std::string program;  ///< of a generator
  std::string critical; ///< part of the name of the sites whose tasks are sent to the pool "critical"
  unsigned workers;
  std::string machine; ///< in the syntax of hwloc
  std::string costs;
};

/// How the tuner of the configuration `auto` decides. A run is a window, however short: nothing disturbs it here.
inline detail::pool_decision::options auto_options(std::uint64_t seed) {
  const pool_tuner::options wanted = pool_tuner::options::for_repetitions();
  return {.name = "pools", .window_ns = 0, .budget = wanted.budget, .advance = wanted.advance, .seed = seed};
}

class repeated_program {
 public:
  explicit repeated_program(const repeated_case& what, scheduling policy = scheduling::critical_path)
      : m_program(sim::workload::generated(what.program)),
        m_critical(what.critical),
        m_workers(what.workers),
        m_costs(sim::costs_from_name(what.costs)),
        m_policy(policy) {
    m_machine.shape = topology::from_description(what.machine);
  }

  /// "scatter" first: workers that are not bound begin each on a core of its own, too.
  static std::vector<std::string> bindings() { return {"scatter", "numa-balanced-mtp", "packed"}; }
  decide::pool_layouts layouts() const { return {{{"critical", true}, {"default"}}, m_workers, bindings(), true}; }

  /// One run: ns. The same for the same seed; the others differ by what thieves happen to look at.
  double run(unsigned critical, std::string_view binding, std::uint64_t seed, bool exclusive = false,
             bool is_ordered = true) {
    sim::schedule how;
    how.critical = {m_critical};
    how.mapping = mapping_from_name(binding);
    how.seed = seed;
    const scheduling policy = is_ordered ? m_policy : scheduling::work_stealing;
    if (critical > 0)
      how.pools.push_back({.name = "critical", .workers = critical, .policy = policy, .exclusive = exclusive});
    how.pools.push_back({.name = "default", .workers = m_workers - critical, .policy = policy, .exclusive = exclusive});
    return sim::predict(m_program, m_machine, how, m_costs).makespan_ns;
  }
  /// The mean of some runs.
  double mean(unsigned critical, std::string_view binding, unsigned seeds, bool exclusive = false,
              bool is_ordered = true) {
    double sum = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) sum += run(critical, binding, seed, exclusive, is_ordered);
    return sum / seeds;
  }

  struct best_choice {
    double ns = 0;
    unsigned critical = 0;
    std::string binding;
    bool is_ordered = true;
  };
  /// Of all sizes, and not only those that the decision tries, and of all bindings, by paths and without an order.
  best_choice best(unsigned seeds, bool exclusive = false) {
    best_choice found;
    for (unsigned critical = 0; critical < m_workers; ++critical) {
      for (const std::string& binding : bindings()) {
        for (const bool is_ordered : {true, false}) {
          if (!is_ordered && m_policy != scheduling::critical_path) continue; // the policy orders in its own way
          const double ns = mean(critical, binding, seeds, exclusive, is_ordered);
          if (found.ns == 0 || ns < found.ns) found = {ns, critical, binding, is_ordered};
        }
      }
    }
    return found;
  }

  struct outcome {
    double ns = 0; ///< of all repetitions, those of the search included
    std::string last;
  };
  /// Runs the program `repetitions` times, each time with one of `seeds` seeds at random.
  outcome repeat(unsigned repetitions, unsigned seeds, const detail::pool_decision::options& options) {
    detail::pool_decision choice(layouts(), options);
    choice.begin(
        m_workers, [&] { return choice.places.closest({0}, bindings().front()); },
        [](const auto&) { return std::vector<tuned_point>{}; });
    detail::xorshift random(options.seed * 7919 + 1);
    outcome all;
    std::int64_t now_ns = 1;
    for (unsigned i = 0; i < repetitions; ++i) {
      const double ns = cached(choice.at(), choice.places, 1 + random.below(seeds));
      all.ns += ns;
      now_ns += static_cast<std::int64_t>(ns);
      choice.done(1, ns, now_ns);
    }
    all.last = choice.places.text(choice.known().search.best());
    return all;
  }

 private:
  double cached(tune::arm at, const decide::pool_layouts& places, std::uint64_t seed) {
    const auto [found, is_new] = m_runs.try_emplace({at, seed}, 0.0);
    if (is_new) found->second = run(places.sizes(at).front(), places.binding(at), seed, false, places.is_ordered(at));
    return found->second;
  }

  const sim::workload m_program;
  const std::string m_critical;
  const unsigned m_workers;
  const sim::cost_table m_costs;
  const scheduling m_policy;
  sim::machine m_machine;
  std::map<std::pair<tune::arm, std::uint64_t>, double> m_runs;
};

} // namespace treadle::predict

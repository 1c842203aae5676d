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
  static std::vector<const char*> bindings() { return {"scatter", "numa-balanced-mtp", "packed"}; }
  decide::pool_layouts layouts() const {
    const auto all = bindings();
    return {{{"critical", true}, {"default"}}, m_workers, {all.begin(), all.end()}, true};
  }

  struct layout {
    unsigned critical = 0;
    std::string_view binding;
    bool is_ordered = true; ///< otherwise work-stealing
    bool is_exclusive = false;
  };
  /// One run: ns. The same for the same seed; the others differ by what thieves happen to look at.
  double run(const layout& of, std::uint64_t seed) {
    sim::schedule how;
    how.critical = {m_critical};
    how.mapping = mapping_from_name(of.binding);
    how.seed = seed;
    const auto add = [&](const char* name, unsigned workers) {
      how.pools.push_back({.name = name,
                           .workers = workers,
                           .policy = of.is_ordered ? m_policy : scheduling::work_stealing,
                           .exclusive = of.is_exclusive});
    };
    if (of.critical > 0) add("critical", of.critical);
    add("default", m_workers - of.critical);
    return sim::predict(m_program, m_machine, how, m_costs).makespan_ns;
  }
  /// The mean of some runs.
  double mean(const layout& of, unsigned seeds) {
    double sum = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) sum += run(of, seed);
    return sum / seeds;
  }

  struct best_choice {
    double ns = 0;
    layout which;
  };
  /// Of all sizes, and not only those that the decision tries, and of all bindings, by paths and without an order.
  best_choice best(unsigned seeds, bool is_exclusive = false) {
    best_choice found;
    for (unsigned critical = 0; critical < m_workers; ++critical) {
      for (const char* binding : bindings()) {
        for (const bool is_ordered : {true, false}) {
          if (!is_ordered && m_policy != scheduling::critical_path) continue; // the policy orders in its own way
          const layout which{critical, binding, is_ordered, is_exclusive};
          const double ns = mean(which, seeds);
          if (found.ns == 0 || ns < found.ns) found = {ns, which};
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
    if (is_new) found->second = run({places.sizes(at).front(), places.binding(at), places.is_ordered(at)}, seed);
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

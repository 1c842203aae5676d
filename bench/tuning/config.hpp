// Sessions on recorded surfaces. A run has three parts, in each of which another situation was recorded; the program's
// windows cost what the samples of the recording say, in their order.
#pragma once

#include "measure.hpp"

#include <treadle/tune/session.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tuning_bench {

class surface {
 public:
  explicit surface(const std::string& name) {
    const std::string path = SURFACES "/" + name + ".csv";
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::size_t situation = 0, point = 0;
      char comma = 0;
      if (!(fields >> situation >> comma >> point) || situation >= k_situations) continue; // head, and disturbed
      m_samples.resize(std::max(m_samples.size(), situation + 1));
      m_samples[situation].resize(std::max(m_samples[situation].size(), point + 1));
      for (double us = 0; fields >> comma >> us;) m_samples[situation][point].push_back(std::max(us, 1.0));
    }
    if (m_samples.size() != k_situations) throw std::runtime_error("no recording in " + path);
    m_next.assign(m_samples.size(), std::vector<std::size_t>(points()));
  }

  std::size_t points() const { return m_samples[0].size(); }
  double cost(std::size_t situation, std::size_t point) {
    const auto& samples = m_samples[situation][point];
    return samples[m_next[situation][point]++ % samples.size()] * 1e-6;
  }
  double mean(std::size_t situation, std::size_t point) const {
    const auto& samples = m_samples[situation][point];
    return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size()) * 1e-6;
  }
  double best_mean(std::size_t situation) const {
    double best = mean(situation, 0);
    for (std::size_t p = 1; p < points(); ++p) best = std::min(best, mean(situation, p));
    return best;
  }

 private:
  static constexpr std::size_t k_situations = 3;

  std::vector<std::vector<std::vector<double>>> m_samples;
  std::vector<std::vector<std::size_t>> m_next;
};

constexpr int k_windows = 6000;

/// choose(situation) gives the point of the next window, learn(cost) takes what it cost. The value printed is the sum
/// of what the points chosen cost in the mean, without luck, each in units of what the best of its situation costs.
template <class Choose, class Learn>
void replay(const char* name, surface& costs, Choose choose, Learn learn) {
  double total = 0;
  for (int window = 0; window < k_windows; ++window) {
    const auto situation = static_cast<std::size_t>(window) * 3 / k_windows;
    const std::size_t point = choose(situation);
    learn(costs.cost(situation, point));
    total += costs.mean(situation, point) / costs.best_mean(situation);
  }
  bench::print_record(name, total, "x best", k_windows, total >= k_windows * 0.999999);
}

/// A session with these options on each surface. What a window costs is in the recording, and takes no time here.
inline void replay_session(treadle::search_options options) {
  options.window_ns = 0;
  options.budget = 0;
  {
    surface costs("session_tasks");
    treadle::knob<int> point("point", treadle::steps(0, 15), 8);
    treadle::session tuning("replay", options, point);
    treadle::trial trial;
    replay(
        "tuning_grain", costs,
        [&](std::size_t) {
          trial = tuning.next();
          return static_cast<std::size_t>(point.get());
        },
        [&](double cost) { trial.report(cost); });
  }
  surface costs("session_blocks");
  treadle::knob<int> rows("rows", treadle::steps(0, 7), 4), columns("columns", treadle::steps(0, 7), 4);
  treadle::session tuning("replay", options, rows, columns);
  treadle::trial trial;
  replay(
      "tuning_blocks", costs,
      [&](std::size_t) {
        trial = tuning.next();
        return static_cast<std::size_t>(rows + 8 * columns);
      },
      [&](double cost) { trial.report(cost); });
  // What a session costs: 16 points.
  treadle::knob<int> knob("knob", treadle::steps(0, 15), 8);
  treadle::session timed("timed", options, knob);
  constexpr long k_calls = 10'000;
  bench::report_repeated("tuning_next_report", k_calls, [&] {
    for (long i = 0; i < k_calls; ++i) {
      auto one = timed.next();
      one.report(1.0 + 0.01 * knob.get());
    }
    return timed.look().windows > 0;
  });
}

/// The same point all the time, chosen by a rule.
template <class Rule>
void replay_rule(Rule rule) {
  for (const auto& [workload, name] :
       {std::pair("tuning_grain", "session_tasks"), {"tuning_blocks", "session_blocks"}}) {
    surface costs(name);
    replay(workload, costs, [&](std::size_t situation) { return rule(costs, situation); }, [](double) {});
  }
}

} // namespace tuning_bench

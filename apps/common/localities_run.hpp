// What programs of several localities measure and print alike.
#pragma once

#include <treadle/localities/collectives.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/tune/explain.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace apps {

/// Of one phase, all localities together.
struct phase {
  double seconds = 0;
  double parcels = 0, messages = 0; ///< sent
  double overhead = 0;              ///< network overhead, percent; the mean over localities
  std::string chosen = {};          ///< what was found out for parcels of locality 0 that are named so
};

/// The counters of one phase after the other.
class phases {
 public:
  /// `action`: a part of the name of what sends most.
  phases(treadle::communicator& all, std::string action) : m_all(all), m_action(std::move(action)) {}

  void begin() {
    treadle::barrier(m_all).get();
    for (treadle::counters::counter* one : {&m_parcels, &m_messages, &m_overhead}) one->reset();
    treadle::barrier(m_all).get(); // nobody begins before
    m_start = std::chrono::steady_clock::now();
  }
  /// For all localities alike.
  void end() {
    treadle::barrier(m_all).get();
    phase mine;
    mine.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    const double overhead = m_overhead.value(); // NaN where no worker was awake
    const std::vector<double> own{m_parcels.value(), m_messages.value(), overhead >= 0 ? overhead : 0};
    const std::vector<double> sums = treadle::all_reduce(m_all, own, [](std::vector<double> a, const auto& b) {
                                       for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
                                       return a;
                                     }).get();
    mine.parcels = sums[0];
    mine.messages = sums[1];
    mine.overhead = sums[2] / m_all.size();
    for (const treadle::decision_report& one : treadle::explain())
      if (one.kind == "coalescing" && one.present && one.instance.find(m_action) != std::string::npos)
        mine.chosen = one.chosen;
    m_done.push_back(std::move(mine));
  }

  void print(bool json) const {
    double seconds = 0, parcels = 0, messages = 0, overhead = 0;
    for (const phase& one : m_done) {
      seconds += one.seconds;
      parcels += one.parcels;
      messages += one.messages;
      overhead += one.overhead * one.seconds;
    }
    if (seconds > 0) overhead /= seconds;
    if (!json) {
      std::printf("%.6f s, %.0f parcels in %.0f messages, network overhead %.2f %%\n", seconds, parcels, messages,
                  overhead);
      if (!m_done.empty() && !m_done.back().chosen.empty())
        std::printf("coalescing: %s\n", m_done.back().chosen.c_str());
      return;
    }
    std::printf("\"seconds\": %.9f, \"parcels\": %.0f, \"messages\": %.0f, \"overhead\": %.6g, \"phases\": [", seconds,
                parcels, messages, overhead);
    const char* separator = "";
    for (const phase& one : m_done) {
      std::printf(
          "%s{\"seconds\": %.9f, \"parcels\": %.0f, \"messages\": %.0f, \"overhead\": %.6g, \"chosen\": \"%s\"}",
          separator, one.seconds, one.parcels, one.messages, one.overhead, one.chosen.c_str());
      separator = ", ";
    }
    std::printf("]");
  }

 private:
  treadle::communicator& m_all;
  std::string m_action;
  treadle::counters::counter m_parcels{"/parcels/count/sent"}, m_messages{"/messages/count/sent"};
  treadle::counters::counter m_overhead{"/threads/background-overhead"};
  std::chrono::steady_clock::time_point m_start;
  std::vector<phase> m_done;
};

} // namespace apps

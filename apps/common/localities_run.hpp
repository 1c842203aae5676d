// What programs of several localities measure and print alike.
#pragma once

#include <treadle/localities/collectives.hpp>
#include <treadle/observe/counters.hpp>
#include <treadle/tune/explain.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
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

/// f() in a task. What it throws ends this process at once, and thereby the others, which wait for what it would have
/// sent them; what concerns all of them alike is no exception.
template <class F>
auto run_together(const char* program, F f) {
  try {
    return treadle::async(std::move(f)).get();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: locality %u: %s\n", program, treadle::find_here().number(), e.what());
    std::_Exit(1);
  }
}
inline bool all_are(treadle::communicator& all, bool right) {
  return treadle::all_reduce(all, right, [](bool x, bool y) { return x && y; }).get();
}

/// What all localities have found about their results.
struct verdict {
  bool is_right = true;
  bool is_checked = true;
  const char* right = "verified: the bits of one thread";
  const char* wrong = "WRONG: not what one thread computes";
};
/// The end of main(): prints `fields` of a JSON object or a line of `text`, the phases, and the verdict; by locality 0.
/// Returns the exit code.
inline int report(const treadle::communicator& all, const phases& measured, bool json, const std::string& fields,
                  const std::string& text, const verdict& found) {
  const int code = found.is_right ? 0 : 1;
  if (all.rank() != 0) return code;
  if (json) {
    std::printf("{\"localities\": %u, %s, ", all.size(), fields.c_str());
    measured.print(true);
    std::printf(", \"verified\": %s}\n", !found.is_checked ? "null" : found.is_right ? "true" : "false");
  } else {
    std::printf("%u localities, %s\n", all.size(), text.c_str());
    measured.print(false);
    if (found.is_checked) std::puts(found.is_right ? found.right : found.wrong);
  }
  return code;
}

} // namespace apps

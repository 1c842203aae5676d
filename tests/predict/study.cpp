// How well the simulator predicts runs of real programs: records each with one number of workers and compares what is
// predicted for others with what they take. Prints a table; nothing is asserted, because times depend on the machine.
#include <treadle/observe/trace.hpp>
#include <treadle/sim/prediction.hpp>
#include <treadle/treadle.hpp>

#include "base/clock.hpp"
#include "observe/trace/recorded_graph.hpp"
#include "predict/programs.hpp"
#include "sim/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using predicted_programs::program;
using treadle::detail::steady_now_ns;

std::int64_t timed(const program& what) {
  const std::int64_t before = steady_now_ns();
  treadle::async([&] { what.run(); }).get();
  return steady_now_ns() - before;
}

/// What runs in a pool took, and the recording of the one that was least disturbed.
struct observation {
  treadle::pool pool;
  std::vector<std::int64_t> all;
  std::int64_t least_recorded = INT64_MAX;
  std::string recording;
};

/// Recorded and other runs by turns, so that what slows the machine down meets both.
void observe(const program& what, observation& into) {
  treadle::pools pools;
  pools.add(into.pool);
  treadle::runtime runtime({.pools = pools});
  static_cast<void>(timed(what));
  for (int i = 0; i < 30; ++i) {
    into.all.push_back(timed(what));
    runtime.wait_idle();
    treadle::trace trace(treadle::trace::default_records, true);
    const std::int64_t took = timed(what);
    runtime.wait_idle();
    if (took > into.least_recorded) continue;
    into.least_recorded = took;
    into.recording = trace.text("tasks");
  }
}

std::vector<observation> observe_all(const program& what, const std::vector<treadle::pool>& pools) {
  std::vector<observation> seen;
  for (const treadle::pool& one : pools) seen.push_back({.pool = one, .all = {}, .recording = {}});
  for (int turn = 0; turn < 4; ++turn)
    for (observation& one : seen) observe(what, one);
  for (observation& one : seen) std::sort(one.all.begin(), one.all.end());
  return seen;
}

double predicted(const program& what, const observation& recorded, const treadle::pool& pool) {
  const treadle::sim::workload graph(std::make_shared<const treadle::sim::graph>(
      treadle::detail::parse_graph(recorded.recording, what.name), what.name));
  treadle::sim::machine machine;
  machine.shape = treadle::topology::from_description("core:2 pu:1");
  treadle::sim::schedule how;
  how.pools = {pool};
  return predict(graph, machine, how, treadle::sim::costs_from_name("treadle")).makespan_ns;
}

using errors = std::vector<double>;

void print(const program& what, unsigned recorded, const std::string& run, double found_ns, const observation& took,
           errors& into) {
  const auto least = static_cast<double>(took.all.front());
  const double error = found_ns / least - 1;
  into.push_back(std::abs(error));
  std::printf("%-32s %9u %20s %8.3f ms %8.3f ms %8.3f ms %+7.1f%%\n", what.name.c_str(), recorded, run.c_str(),
              found_ns / 1e6, least / 1e6, static_cast<double>(took.all[took.all.size() / 2]) / 1e6, 100 * error);
}

void print(const char* of, errors all) {
  std::sort(all.begin(), all.end());
  std::printf("%s: error against the least time: median %.1f %%, 90 of 100 below %.1f %%\n", of,
              100 * all[all.size() / 2], 100 * all[all.size() * 9 / 10]);
}

/// Of what is predicted for configurations and what was measured.
struct orders {
  int pairs = 0; // that were measured to differ by a fiftieth at least
  int agreeing = 0, contrary = 0;

  void compare(std::span<const double> found, std::span<const double> measured) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (std::abs(measured[i] / measured[j] - 1) < 0.02) continue;
        ++pairs;
        if (found[i] == found[j]) continue;
        ++((found[i] < found[j]) == (measured[i] < measured[j]) ? agreeing : contrary);
      }
    }
  }
};

/// Kendall's rank correlation, but that equal predictions count as half right.
void print(const program& what, const char* which, const orders& of) {
  if (of.pairs == 0)
    std::printf("%-32s order of %s: no two differ\n", what.name.c_str(), which);
  else
    std::printf("%-32s order of %s: %.2f (%d pairs, %d agree, %d do not)\n", what.name.c_str(), which,
                static_cast<double>(of.agreeing - of.contrary) / of.pairs, of.pairs, of.agreeing, of.contrary);
}

} // namespace

/// With an argument only programs with that in their name.
int main(int argc, char** argv) {
  std::vector<program> programs = predicted_programs::all();
  if (argc > 1) std::erase_if(programs, [&](const program& one) { return one.name.find(argv[1]) == one.name.npos; });
  if (programs.empty()) {
    std::fprintf(stderr, "%s: there is no program with '%s' in its name\n", argv[0], argv[1]);
    return 2;
  }
  std::printf("%-32s %9s %20s %11s %11s %11s %8s\n", "program", "recorded", "run", "predicted", "least", "median",
              "error");
  errors from_one, from_two, of_policies;
  for (const program& what : programs) {
    const auto seen = observe_all(what, {{.name = "default", .workers = 1}, {.name = "default", .workers = 2}});
    for (const observation& recorded : seen) {
      for (const observation& took : seen)
        print(what, recorded.pool.workers, std::to_string(took.pool.workers) + " workers",
              predicted(what, recorded, took.pool), took, recorded.pool.workers == 1 ? from_one : from_two);
    }
  }
  print("recorded with one worker", from_one);
  print("recorded with two workers", from_two);
  std::printf("\n");

  using treadle::scheduling;
  for (const program& what : programs) {
    std::vector<treadle::pool> pools;
    for (const unsigned workers : {1u, 2u})
      for (const scheduling policy :
           {scheduling::work_stealing, scheduling::local_priority_fifo, scheduling::local_priority_lifo,
            scheduling::static_placement, scheduling::shared_priority})
        pools.push_back({.name = "default", .workers = workers, .policy = policy});
    const auto seen = observe_all(what, pools);
    std::vector<double> found, measured;
    for (const observation& took : seen) {
      found.push_back(predicted(what, seen.front(), took.pool));
      measured.push_back(static_cast<double>(took.all.front()));
      print(what, 1, std::to_string(took.pool.workers) + ' ' + std::string(to_string(took.pool.policy)), found.back(),
            took, of_policies);
    }
    const std::span f(found), m(measured);
    orders all, alike;
    all.compare(f, m);
    for (const std::size_t first : {std::size_t{0}, f.size() / 2}) // those with as many workers
      alike.compare(f.subspan(first, f.size() / 2), m.subspan(first, f.size() / 2));
    print(what, "the configurations", all);
    print(what, "those with as many workers", alike);
  }
  print("policies", of_policies);
}

#pragma once

#include "measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

/// A node of a graph with three inputs, in three workloads. A rival takes part in those that it can express.
///   ready3            a chain of nodes, each of the last three values, all ready; its own is waited for
///   metg_ring         how short tasks may be: a ring of 64, each of its three closest of the round before
///   metg_ring_vector  the same, the inputs in a sequence whose length is not known when it is compiled
///
/// METG is the minimum effective task granularity of Slaughter et al. ("Task Bench", SC 2020): the wall-clock time of a
/// task and worker, seconds * workers / tasks, where the program is half as fast as the same work without tasks on as
/// many cores. Half of that is work.
namespace dataflow_bench {

constexpr long k_nodes = 100'000;
constexpr std::size_t k_width = 64;

inline double combine(double left, double middle, double right) { return (left + middle + right) / 3; }
inline double initial_value(std::size_t i) { return static_cast<double>(i * i % 7); }

/// What a task does: this many multiplications, one after the other.
inline double work(double value, long iterations) {
  for (; iterations > 0; --iterations) value = value * 0.999'999 + 1e-6;
  return value;
}

/// Rounds of a ring, each task with this many iterations.
struct ring {
  std::size_t rounds;
  long iterations;
};
constexpr std::size_t before(std::size_t i) { return i == 0 ? k_width - 1 : i - 1; }
constexpr std::size_t after(std::size_t i) { return i + 1 == k_width ? 0 : i + 1; }

/// The last round, without tasks.
inline std::vector<double> run_serially(const ring& r) {
  std::vector<double> now(k_width), next(k_width);
  for (std::size_t i = 0; i < k_width; ++i) now[i] = initial_value(i);
  for (std::size_t round = 0; round < r.rounds; ++round) {
    for (std::size_t i = 0; i < k_width; ++i)
      next[i] = work(combine(now[before(i)], now[i], now[after(i)]), r.iterations);
    now.swap(next);
  }
  return now;
}

/// The chain's last value after this many nodes.
inline double run_chain_serially(long nodes) {
  double a = 1, b = 2, c = 3;
  for (; nodes > 0; --nodes) {
    const double next = combine(a, b, c);
    a = b;
    b = c;
    c = next;
  }
  return c;
}

/// One length of tasks: the time of a task and worker, and the share of it that is work.
struct point {
  double granularity_s, efficiency;
};

/// The better of some tries of each, in turn; the first one is not timed.
template <class Run>
point measure(const ring& r, unsigned workers, const Run& run, bool& verified) {
  constexpr int k_tries = 9;
  double serial_s = 1e9, tasks_s = 1e9;
  verified &= run(r) == run_serially(r);
  for (int i = 0; i < k_tries; ++i) {
    const bench::stopwatch alone;
    const std::vector<double> expected = run_serially(r);
    serial_s = std::min(serial_s, alone.seconds());
    const bench::stopwatch together;
    const std::vector<double> found = run(r);
    tasks_s = std::min(tasks_s, together.seconds());
    verified &= found == expected;
  }
  const double all_s = tasks_s * workers;
  return {all_s / static_cast<double>(r.rounds * k_width), serial_s / all_s};
}

/// Tries tasks of 16 us and of halves of that, until little of the time is work, twice; if even the first is too short,
/// those that are twice as long, and so on. Interpolates at the shortest of them of whose time half is work, so that a
/// longer one which was disturbed changes nothing. `run(ring)` returns the last round.
template <class Run>
void report_metg(const char* workload, unsigned workers, const Run& run) {
  constexpr double k_first_s = 16e-6, k_half = 0.5, k_little = 0.2, k_work_s = 0.004;
  constexpr long k_longest = 64; // times as long as the first
  constexpr ring k_probe = {50, 1000};
  run_serially(k_probe);
  const bench::stopwatch watch;
  bool verified = run_serially(k_probe).size() == k_width;
  const double iteration_s = watch.seconds() / static_cast<double>(k_probe.rounds * k_width * k_probe.iterations);
  const auto point_of = [&](long iterations) {
    const double round_s = static_cast<double>(iterations) * iteration_s * static_cast<double>(k_width);
    const auto rounds = static_cast<std::size_t>(std::clamp(k_work_s / round_s, 8.0, 2000.0));
    return measure({rounds, iterations}, workers, run, verified);
  };
  const auto is_long = [](const point& p) { return p.efficiency >= k_half; };

  const auto first = static_cast<long>(k_first_s / iteration_s);
  std::vector<point> points; // ever shorter ones
  int short_ones = 0;        // in a row
  for (long i = first; i > 0 && short_ones < 2; i /= 2) {
    points.push_back(point_of(i));
    short_ones = points.back().efficiency < k_little ? short_ones + 1 : 0;
  }
  for (long i = 2 * first; std::none_of(points.begin(), points.end(), is_long) && i <= k_longest * first; i *= 2)
    points.insert(points.begin(), point_of(i));

  const auto found = std::find_if(points.rbegin(), points.rend(), is_long);
  double metg_s = points.front().granularity_s; // none is long enough
  if (found == points.rbegin())
    metg_s = found->granularity_s; // none is too short
  else if (found != points.rend()) {
    const point longer = *found, shorter = *std::prev(found);
    const double share = (k_half - shorter.efficiency) / (longer.efficiency - shorter.efficiency);
    metg_s = shorter.granularity_s * std::pow(longer.granularity_s / shorter.granularity_s, share);
  }
  bench::print_record(workload, metg_s, "s", 0, verified);
}

} // namespace dataflow_bench

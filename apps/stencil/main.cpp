// The program `stencil`: one run of one version, timed, perhaps verified.
#include "common/arguments.hpp"
#include "common/measure.hpp"
#include "stencil/faithful.hpp"
#include "stencil/flow.hpp"
#include "stencil/heat_ring.hpp"
#include "stencil/kernel.hpp"
#include "stencil/partitions.hpp"
#include "stencil/plain.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/observe/machine.hpp>
#include <treadle/treadle.hpp>
#include <treadle/tune/grain_tuner.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace stencil;
using apps::timing;

struct settings {
  std::size_t points = 10'000'000;
  std::size_t steps = 50;
  std::size_t partition = 32'768;
  std::size_t tile_steps = 50;
  std::string kernel = "best";
  std::string grain = "fixed";
  double idle_rate = treadle::grain_tuner::options{}.idle_rate;
  std::size_t repeat = 1;
  std::size_t warm_up = 0;
  unsigned workers = 0;
  std::vector<std::string> counters;
  bool verify = false;
  bool json = false;
};

struct outcome {
  timing fastest;
  std::size_t partitions;
  std::size_t tile_steps;
  std::size_t partition;      // the last
  std::vector<double> values; // only when they are to be verified
};

constexpr const char* k_about =
    R"(Heat in a ring of points: u'[i] = u[i] + c (u[i-1] - 2 u[i] + u[i+1]), computed as many small tasks.

The program of "The Performance Implication of Task Size for Applications on the HPX Runtime
System" (CLUSTER 2015): how long do the same points and steps take when a task gets more of them?)";

constexpr const char* k_more = R"(
Example: the same work in small and in large tasks, then with time steps in the cache, checked:
  stencil --kernel faithful --points 100000000 --partition 1000
  stencil --kernel faithful --points 100000000 --partition 500000
  stencil --kernel best --points 100000000 --partition 32768 --tile-steps 50 --verify

The kernels:
  faithful  as in the paper: a future per partition and step, every task allocates what it returns
  best      two arrays; a task advances a tile by --tile-steps steps in its core's cache
  loop      two arrays, a parallel loop per step: what the memory allows without tiles
  serial    the same loop on one thread, without tasks: the reference for --verify

The numbers: points/s counts every point once per step and stays comparable between grids. Seconds are
those of the steps, without filling the ring; the first steps of `faithful` also get its memory from
the system, use --warm-up or --repeat to leave them out. A point of `loop` moves 24 bytes of memory per step, one of
`best` 24 bytes per --tile-steps steps. Options of the runtime are taken too: --treadle:nudge=0.)";

timing timed(const settings& s, const auto& run) {
  return apps::measure({s.repeat}, s.counters, [] {}, run);
}

std::vector<double> copy_if(bool wanted, std::span<const double> values) {
  return wanted ? std::vector<double>(values.begin(), values.end()) : std::vector<double>();
}

/// All steps with the partition that was asked for, or `at_once` with that which a tuner takes: run(steps, partition).
/// One step is enough to see what a point costs.
void run_steps(const settings& s, std::optional<treadle::grain_tuner>& tuner, std::size_t at_once, const auto& run) {
  if (!tuner) return run(s.steps, s.partition);
  tuner->resume();
  for (std::size_t done = 0; done < s.steps;) {
    const std::size_t steps = std::min(tuner->windows() == 0 ? 1 : at_once, s.steps - done);
    run(steps, static_cast<std::size_t>(tuner->grain()));
    tuner->done(static_cast<double>(s.points) * static_cast<double>(steps), tuner->grain());
    done += steps;
  }
}

std::optional<treadle::grain_tuner> make_tuner(const settings& s) {
  if (s.grain == "fixed") return std::nullopt;
  constexpr double k_smallest = 160; // as in the paper
  const auto points = static_cast<double>(s.points);
  // What the model knows of a task: a point of `best` is as much work as the steps of its tile.
  constexpr double k_node_ns = 500;
  const double steps_each = s.kernel == "best" ? static_cast<double>(s.tile_steps) : 1;
  const double overlapping = s.kernel == "faithful" ? static_cast<double>(flow<void>::k_rounds_ahead) : 1;
  return treadle::grain_tuner({.smallest = std::min(k_smallest, points),
                               .largest = points,
                               .start = static_cast<double>(s.partition),
                               .step = points * overlapping,
                               .overhead_ns = k_node_ns / steps_each,
                               .policy = s.grain,
                               .idle_rate = s.idle_rate});
}

outcome run_kernel(const settings& s) {
  auto tuner = make_tuner(s);
  std::size_t partition = s.partition;
  const auto count = [&](std::size_t unit = 1) { return partitions(s.points, partition, unit).count(); };
  if (s.kernel == "faithful") {
    faithful_ring ring(s.points, partition);
    ring.run_steps(s.warm_up);
    timing fastest = timed(s, [&] { ring.run_steps(s.steps, tuner ? &*tuner : nullptr); });
    partition = ring.partition_asked();
    return {std::move(fastest), count(), 1, partition, s.verify ? ring.values() : std::vector<double>()};
  }
  if (s.kernel == "best") {
    heat_ring ring(s.points);
    ring.run_steps(s.warm_up, {partition, s.tile_steps});
    timing fastest = timed(s, [&] {
      run_steps(s, tuner, s.tile_steps, [&](std::size_t steps, std::size_t wanted) {
        ring.run_steps(steps, {partition = wanted, s.tile_steps});
      });
    });
    return {std::move(fastest), count(k_line), ring.tile_steps({partition, s.tile_steps}), partition,
            copy_if(s.verify, ring.values())};
  }
  plain_ring ring(s.points);
  ring.run_steps(s.warm_up);
  if (s.kernel == "loop") {
    timing fastest = timed(s, [&] {
      run_steps(s, tuner, 1,
                [&](std::size_t steps, std::size_t wanted) { ring.run_steps_in_parallel(steps, partition = wanted); });
    });
    return {std::move(fastest), count(), 1, partition, copy_if(s.verify, ring.values())};
  }
  timing fastest = timed(s, [&] { ring.run_steps(s.steps); });
  return {std::move(fastest), 1, 1, s.points, copy_if(s.verify, ring.values())};
}

bool is_right(const settings& s, const std::vector<double>& values) {
  plain_ring reference(s.points);
  reference.run_steps(s.warm_up);
  for (std::size_t i = 0; i < s.repeat; ++i) reference.run_steps(s.steps);
  return std::memcmp(values.data(), reference.values().data(), s.points * sizeof(double)) == 0;
}

/// An upper bound of what a run needs, near enough to refuse what cannot be.
double bytes_needed(const settings& s, unsigned workers) {
  constexpr double k_bytes_per_task = 512;
  const std::size_t tile = std::min(s.partition, s.points), height = std::min({s.tile_steps, tile, s.steps});
  const double tasks = static_cast<double>(partitions(s.points, s.partition, s.kernel == "best" ? k_line : 1).count()) *
                       static_cast<double>(std::min(std::max(s.steps, s.warm_up), flow<void>::k_rounds_ahead) + 1);
  double values = 2 * static_cast<double>(s.points), bytes = 0;
  if (s.kernel == "faithful") values *= 1.5; // two steps, and between them the partitions that somebody still reads
  if (s.kernel == "best") values += workers * (3 * static_cast<double>(tile) + 4 * static_cast<double>(height));
  if (s.kernel == "best" || s.kernel == "faithful") bytes = k_bytes_per_task * tasks;
  if (s.verify) values += 2 * static_cast<double>(s.points);
  return bytes + sizeof(double) * values;
}

void check_memory(const settings& s, unsigned workers) {
  apps::check_memory("--points " + std::to_string(s.points) + " --partition " + std::to_string(s.partition),
                     bytes_needed(s, workers));
}

void print(const settings& s, const outcome& o, unsigned workers, bool right) {
  const double rate = static_cast<double>(s.points) * static_cast<double>(s.steps) / std::max(o.fastest.seconds, 1e-9);
  if (s.json) {
    const char* const verified = !s.verify ? "null" : right ? "true" : "false";
    std::printf("{\"kernel\": \"%s\", \"points\": %zu, \"steps\": %zu, \"partition\": %zu, \"partitions\": %zu, "
                "\"tile_steps\": %zu, \"workers\": %u, \"instructions\": \"%s\", \"seconds\": %.9f, "
                "\"points_per_s\": %.6e, \"verified\": %s, \"counters\": {",
                s.kernel.c_str(), s.points, s.steps, o.partition, o.partitions, o.tile_steps, workers,
                instruction_set(), o.fastest.seconds, rate, verified);
    apps::print_json(o.fastest.counters);
    std::puts("}}");
    return;
  }
  std::printf("%s: %zu points, %zu steps; partitions: %zu of %zu points, steps per task: %zu; workers: %u (%s)\n",
              s.kernel.c_str(), s.points, s.steps, o.partitions, o.partition, o.tile_steps, workers, instruction_set());
  std::printf("%.6f s, %.3f Gpoints/s\n", o.fastest.seconds, rate / 1e9);
  apps::print_lines(o.fastest.counters);
  if (s.verify)
    std::puts(right ? "verified: equal to the serial run, bit by bit" : "WRONG: not the serial run's values");
}

/// The points whose two arrays take half of a core's second cache; the rest is for the next task's.
std::size_t partition_in_cache(std::size_t otherwise) {
  const std::size_t bytes = treadle::describe_machine().l2_bytes;
  return bytes == 0 ? otherwise : bytes / 2 / (2 * sizeof(double));
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  settings s;
  CLI::App app(k_about, "stencil");
  app.footer(k_more);
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = std::size_t{1} << 40;
  const auto add_number = [&](const char* name, auto& value, std::size_t min, std::size_t max, const char* what) {
    return apps::add_number(app, name, value, min, max, what);
  };
  add_number("--points", s.points, 1, k_most, "points of the ring");
  add_number("--steps", s.steps, 0, k_most, "time steps");
  const CLI::Option* const partition =
      add_number("--partition", s.partition, 1, k_most,
                 "points per task; sizes differ by one at most (best: by a cache line of 8)");
  add_number("--tile-steps", s.tile_steps, 1, k_most, "best: time steps per task, at most the points of a tile");
  add_number("--repeat", s.repeat, 1, k_most,
             "number of runs, each of which goes on from the one before; the time is that of the fastest");
  add_number("--warm-up", s.warm_up, 0, k_most, "number of steps before the time is taken");
  add_number("--workers", s.workers, 0, 1024, "threads; 0: one per core");
  app.add_option("--kernel", s.kernel, "which version")->check(CLI::IsMember({"faithful", "best", "serial", "loop"}));
  app.add_option(
         "--grain", s.grain,
         "auto: find the points per task while it runs, from --partition on, or from what fits a core's cache; the "
         "others by the paper's rules, from 160 points on")
      ->check(CLI::IsMember({"fixed", "auto", "paper-idle-rate", "paper-pending", "paper-costs"}));
  app.add_option("--idle-rate", s.idle_rate, "the most that paper-idle-rate tolerates, in percent")
      ->check(CLI::Range(0.0, 100.0));
  app.add_flag("--verify", s.verify, "compare with the serial run, bit by bit");
  apps::add_outputs(app, s.counters, s.json);
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  if (s.grain == "auto" && partition->empty()) s.partition = partition_in_cache(s.partition);
  if (s.grain == "paper-costs" && s.kernel == "loop")
    throw std::invalid_argument("--grain paper-costs: counts tasks, and the parts of --kernel loop are none");
  if (s.workers != 0) options.workers = s.workers;
  const treadle::runtime runtime(options);
  check_memory(s, runtime.workers());
  const outcome o = treadle::async([&] { return run_kernel(s); }).get();
  const bool right = !s.verify || is_right(s, o.values);
  print(s, o, s.kernel == "serial" ? 1 : runtime.workers(), right);
  return right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("stencil", argc, argv, run); }

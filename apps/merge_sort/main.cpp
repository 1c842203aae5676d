// The program `merge_sort`: sorts random numbers under one configuration, timed, perhaps checked.
#include "common/configuration_options.hpp"
#include "common/measure.hpp"
#include "merge_sort/merge_sort.hpp"
#include "merge_sort/numbers.hpp"

#include <treadle/treadle.hpp>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace merge_sort;

struct arguments {
  std::size_t n = 100'000;
  std::size_t cut_off = 2;
  std::uint64_t seed = 1;
  apps::runs runs;
  apps::configuration_options configuration;
  std::vector<std::string> counters;
  bool check = false;
  bool json = false;
};

constexpr const char* k_about =
    R"(Recursive merge sort of random numbers: a future for each half, and one for the merge of both.

The program of "Task Priority Control for the HPX Runtime System" (IPDPSW 2020): how long does it take
when the merges get workers of their own, or go first?)";

std::string more() {
  return "\nExample: as HPX does it, and with a worker for the merges:\n"
         "  merge_sort --n 10000 --configuration paper-default\n"
         "  merge_sort --n 10000 --configuration paper-pools --critical 1 --check\n"
         "and with pools that are found out while it repeats:\n"
         "  merge_sort --n 10000 --configuration auto --repeat 200\n\n" +
         apps::configuration_options::list() +
         "\nSeconds are those of sorting, without making the numbers.\n"
         "Options of the runtime are taken too: --treadle:bind=scatter.";
}

struct outcome {
  apps::timing fastest;
  bool right;
};

outcome sort_random(const arguments& a, const settings& how, treadle::pool_tuner* tuner) {
  const std::vector<int> numbers = random_numbers(a.n, a.seed);
  std::vector<int> given, sorted;
  apps::timing fastest =
      apps::measure(a.runs, a.counters, [&] { given = numbers; }, [&] { sorted = sort(std::move(given), how); }, tuner);
  return {std::move(fastest), !a.check || sorted == serial_sort(numbers)};
}

void check_memory(const arguments& a) {
  constexpr double k_bytes_per_number = 512; // vectors of all levels, tasks
  apps::check_memory("--n " + std::to_string(a.n), k_bytes_per_number * static_cast<double>(a.n));
}

void print(const arguments& a, const outcome& o, unsigned workers) {
  if (a.json) {
    std::printf("{\"n\": %zu, \"cut_off\": %zu, \"seed\": %ju, \"configuration\": \"%s\", \"workers\": %u, "
                "\"seconds\": %.9f, ",
                a.n, a.cut_off, std::uintmax_t{a.seed}, a.configuration.name.c_str(), workers, o.fastest.seconds);
    apps::print_json(o.fastest.pools);
    std::printf("\"verified\": %s, \"counters\": {", !a.check ? "null" : o.right ? "true" : "false");
    apps::print_json(o.fastest.counters);
    std::puts("}}");
    return;
  }
  std::printf("%zu numbers, cut-off %zu; %s, workers: %u\n", a.n, a.cut_off, a.configuration.name.c_str(), workers);
  std::printf("%.6f s, %.3f Mnumbers/s\n", o.fastest.seconds, static_cast<double>(a.n) / o.fastest.seconds / 1e6);
  if (!o.fastest.pools.empty()) std::printf("pools: %s\n", o.fastest.pools.c_str());
  apps::print_lines(o.fastest.counters);
  if (a.check) std::puts(o.right ? "verified: as std::stable_sort" : "WRONG: not what std::stable_sort makes of it");
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "merge_sort");
  app.footer(more());
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = std::size_t{1} << 40;
  apps::add_number(app, "--n", a.n, 0, k_most, "numbers to sort");
  apps::add_number(app, "--cut-off", a.cut_off, 1, k_most,
                   "parts of this many numbers, or fewer, are sorted without more tasks");
  apps::add_number(app, "--seed", a.seed, 0, k_most, "of the numbers");
  apps::add_number(app, "--repeat", a.runs.counted, 1, k_most, "number of runs; the time is that of the fastest");
  apps::add_number(app, "--warm-up", a.runs.before, 0, k_most, "number of runs before, which do not count");
  a.configuration.add_to(app);
  app.add_flag("--check", a.check, "compare with std::stable_sort");
  apps::add_outputs(app, a.counters, a.json);
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  const apps::configuration& how = a.configuration.apply_to(options);
  check_memory(a);
  settings sorting{.cut_off = a.cut_off}; // outlives all tasks
  treadle::runtime runtime(options);
  auto tuner = apps::tuner_of(how, a.configuration.sizes, runtime);
  sorting.launch = launchers_of(how);
  const outcome o = treadle::async([&] { return sort_random(a, sorting, tuner ? &*tuner : nullptr); }).get();
  print(a, o, runtime.max_concurrency());
  return o.right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("merge_sort", argc, argv, run); }

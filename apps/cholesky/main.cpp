// The program `cholesky`: factorises a random matrix under one configuration, timed, perhaps checked.
#include "cholesky/blas.hpp"
#include "cholesky/factorise.hpp"
#include "cholesky/problem.hpp"
#include "cholesky/tiled_matrix.hpp"
#include "common/configuration_options.hpp"
#include "common/measure.hpp"

#include <treadle/treadle.hpp>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace cholesky;

struct arguments {
  std::size_t n = 2048;
  std::size_t tile = 128;
  unsigned slow_potrf = 1;
  std::uint64_t seed = 1;
  apps::runs runs;
  std::optional<std::size_t> spoil;
  apps::configuration_options configuration;
  std::vector<std::string> counters;
  bool check = false;
  bool json = false;
};

constexpr const char* k_about =
    R"(Cholesky factorisation of a random symmetric positive definite matrix, in tiles, by a task for each update.

The program of "Task Priority Control for the HPX Runtime System" (IPDPSW 2020): how long does it take
when the tasks on the diagonal, potrf, get workers of their own, or go first?)";

std::string more() {
  return "\nExample: as HPX does it, and with a worker for the critical tasks, which take ten times as long:\n"
         "  cholesky --n 2048 --tile 64 --slow-potrf 10 --configuration paper-default\n"
         "  cholesky --n 2048 --tile 64 --slow-potrf 10 --configuration paper-pools --critical 1 --check\n"
         "and with pools that are found out while it repeats:\n"
         "  cholesky --n 2048 --tile 64 --slow-potrf 10 --configuration auto --repeat 200\n\n" +
         apps::configuration_options::list() +
         "\nSeconds are those of the factorisation, without making the matrix; BLAS runs on one thread in each task.\n"
         "Options of the runtime are taken too: --treadle:bind=scatter.";
}

struct outcome {
  apps::timing fastest;
  std::optional<double> residual;
};

outcome factorise_random(const arguments& a, const launchers& launch, treadle::pool_tuner* tuner) {
  const tiling shape(a.n, a.tile);
  tiled_matrix original = random_matrix(shape, a.seed);
  if (a.spoil) {
    original.for_each_element([&](double& value, std::size_t row, std::size_t column) {
      if (row == *a.spoil && column == row) value = -1;
    });
  }
  tiled_matrix factor = original;
  outcome result{apps::measure(
                     a.runs, a.counters, [&] { factor = original; },
                     [&] { factorise(factor, {.launch = launch, .slow_potrf = a.slow_potrf}); }, tuner),
                 {}};
  if (a.check) result.residual = residual(original, factor);
  return result;
}

void check_spoilt(const arguments& a) {
  if (a.spoil && *a.spoil >= a.n)
    throw std::invalid_argument("--spoil " + std::to_string(*a.spoil) + ": the last element of the diagonal is " +
                                std::to_string(a.n - 1));
}

void check_memory(const arguments& a) {
  constexpr double k_bytes_per_task = 512;
  const tiling shape(a.n, a.tile);
  const auto tiles = static_cast<double>(shape.count()), side = static_cast<double>(shape.tile());
  apps::check_memory("--n " + std::to_string(a.n) + " --tile " + std::to_string(a.tile),
                     2 * sizeof(double) * side * side * tiles * (tiles + 1) / 2 + k_bytes_per_task * tasks(tiles));
}

void print(const arguments& a, const outcome& o, unsigned workers, bool right) {
  const double rate = operations(static_cast<double>(a.n)) / o.fastest.seconds / 1e9;
  const tiling shape(a.n, a.tile);
  if (a.json) {
    std::printf("{\"n\": %zu, \"tile\": %zu, \"tiles\": %zu, \"tasks\": %.0f, \"slow_potrf\": %u, "
                "\"configuration\": \"%s\", \"workers\": %u, \"kernels\": \"%s\", \"seconds\": %.9f, "
                "\"gflop_per_s\": %.6e, ",
                a.n, shape.tile(), shape.count(), tasks(static_cast<double>(shape.count())), a.slow_potrf,
                a.configuration.name.c_str(), workers, blas_kernels(), o.fastest.seconds, rate);
    apps::print_json(o.fastest.pools);
    if (o.residual)
      std::printf("\"residual\": %.3e, \"verified\": %s, \"counters\": {", *o.residual, right ? "true" : "false");
    else
      std::printf("\"residual\": null, \"verified\": null, \"counters\": {");
    apps::print_json(o.fastest.counters);
    std::puts("}}");
    return;
  }
  std::printf("%zu rows, %zu x %zu tiles of %zu, %.0f tasks; %s, workers: %u (%s)\n", a.n, shape.count(), shape.count(),
              shape.tile(), tasks(static_cast<double>(shape.count())), a.configuration.name.c_str(), workers,
              blas_kernels());
  std::printf("%.6f s, %.3f Gflop/s\n", o.fastest.seconds, rate);
  if (!o.fastest.pools.empty()) std::printf("pools: %s\n", o.fastest.pools.c_str());
  apps::print_lines(o.fastest.counters);
  if (o.residual) std::printf("%s: ||A - LL^T|| is %.1e of ||A||\n", right ? "verified" : "WRONG", *o.residual);
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "cholesky");
  app.footer(more());
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = 1'000'000;
  apps::add_number(app, "--n", a.n, 1, k_most, "rows and columns of the matrix");
  apps::add_number(app, "--tile", a.tile, 1, k_most, "rows and columns of a tile; those at the end may be smaller");
  apps::add_number(app, "--slow-potrf", a.slow_potrf, 1, k_most,
                   "how many times as long potrf takes: it is computed again and again");
  apps::add_number(app, "--seed", a.seed, 0, k_most, "of the matrix");
  apps::add_number(app, "--repeat", a.runs.counted, 1, k_most, "number of runs; the time is that of the fastest");
  apps::add_number(app, "--warm-up", a.runs.before, 0, k_most, "number of runs before, which do not count");
  apps::add_number(app, "--spoil", a.spoil, 0, k_most,
                   "make this element of the diagonal negative, to see what is said");
  a.configuration.add_to(app);
  app.add_flag("--check", a.check, "compute ||A - LL^T||, the error of the factor");
  apps::add_outputs(app, a.counters, a.json);
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  const apps::configuration& how = a.configuration.apply_to(options);
  check_memory(a);
  check_spoilt(a);
  use_blas_threads(1);
  treadle::runtime runtime(options);
  auto tuner = apps::tuner_of(how, a.configuration.sizes, runtime);
  const outcome o =
      treadle::async([&] { return factorise_random(a, launchers_of(how), tuner ? &*tuner : nullptr); }).get();
  const bool right = !o.residual || *o.residual <= residual_limit(a.n);
  print(a, o, runtime.max_concurrency(), right);
  return right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("cholesky", argc, argv, run); }

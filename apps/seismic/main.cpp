// The program `seismic`: on futures.
#include "seismic/program.hpp"
#include "seismic/wave_tasks.hpp"

#include <treadle/async.hpp>
#include <treadle/future.hpp>
#include <treadle/runtime.hpp>

#include <chrono>

namespace {

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  seismic::settings s;
  std::size_t workers = 0;
  CLI::App app(seismic::k_about, "seismic");
  app.footer(seismic::k_more);
  s.add_to(app);
  apps::add_number(app, "--workers", workers, 0, 1024, "threads; 0: one per core");
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  s.check();
  if (workers != 0) options.workers = static_cast<unsigned>(workers);
  const treadle::runtime runtime(options);
  const auto start = std::chrono::steady_clock::now();
  const double sum = treadle::async([&] { return seismic::run_tasks(s.of); }).get();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return seismic::say(s, "seismic", runtime.workers(), seconds, sum);
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("seismic", argc, argv, run); }

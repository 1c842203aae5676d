// Localities send each other many small parcels, phase after phase: the program with which Wagle, Kellar, Serio and
// Kaiser (2018) look at coalescing.
#include "common/arguments.hpp"
#include "common/localities_run.hpp"

#include <treadle/runtime.hpp>

#include <chrono>
#include <complex>

namespace {

using value = std::complex<double>;

struct arguments {
  std::size_t parcels = 10'000;
  std::size_t phases = 20;
  std::size_t work_ns = 0;
  bool makes_tasks = false;
  bool json = false;
};

constexpr const char* k_about =
    R"(Each locality calls a function in the next one again and again, with a complex number,
and waits for all results of a phase before the next one begins.

  treadle run -n 2 -- message_rate --parcels 20000 --phases 50
  TREADLE_COALESCING=paper-adaptive treadle run -n 2 -- message_rate --phases 200 --json)";

void spin_for(std::uint64_t ns) {
  if (ns == 0) return;
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (std::chrono::steady_clock::now() < end) {
  }
}

value turned(value of, std::uint64_t work_ns) {
  spin_for(work_ns);
  return {-of.imag(), of.real()};
}

/// The values of a phase are known, so their sum is.
bool send_phase(treadle::locality next, const arguments& a) {
  std::vector<treadle::future<value>> results;
  results.reserve(a.parcels);
  for (std::size_t i = 0; i < a.parcels; ++i) {
    const value one(static_cast<double>(i), 1);
    results.push_back(a.makes_tasks ? treadle::async<turned>(next, one, std::uint64_t{a.work_ns})
                                    : treadle::async<treadle::direct<turned>>(next, one, std::uint64_t{a.work_ns}));
  }
  value sum;
  for (auto& result : results) sum += result.get();
  const auto n = static_cast<double>(a.parcels);
  return sum == value(-n, n * (n - 1) / 2);
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  arguments a;
  CLI::App app(k_about, "message_rate");
  app.option_defaults()->always_capture_default();
  constexpr std::size_t k_most = 100'000'000;
  apps::add_number(app, "--parcels", a.parcels, 1, k_most, "of each locality in each phase");
  apps::add_number(app, "--phases", a.phases, 1, k_most, "one after the other");
  apps::add_number(app, "--work", a.work_ns, 0, k_most, "nanoseconds that a call computes");
  app.add_flag("--tasks", a.makes_tasks, "each call is a task; otherwise it runs where the message is read");
  app.add_flag("--json", a.json, "print one JSON object");
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  treadle::runtime runtime(options);
  const treadle::localities here;
  treadle::communicator all("message_rate");
  apps::phases measured(all, "turned");
  const treadle::locality next((all.rank() + 1) % all.size());
  const bool is_right = apps::run_together("message_rate", [&] {
    bool right = true;
    for (std::size_t i = 0; i < a.phases; ++i) {
      measured.begin();
      right = send_phase(next, a) && right;
      measured.end();
      treadle::coalescing_event<turned>(); // for those who search by events
      treadle::coalescing_event<treadle::direct<turned>>();
    }
    return apps::all_are(all, right);
  });
  const std::string phases = std::to_string(a.phases), parcels = std::to_string(a.parcels);
  return apps::report(all, measured, a.json, "\"calls\": " + parcels,
                      phases + " phases of " + parcels + " calls of each",
                      {is_right, true, "verified: each call has returned what it should",
                       "WRONG: results are not what they should be"});
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("message_rate", argc, argv, run); }

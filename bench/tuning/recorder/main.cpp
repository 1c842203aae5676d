// Records what choices cost in programs of this repository, for tests/replay to replay:
// bench_record_surfaces FOLDER [NAME...] writes FOLDER/NAME.csv, all that there are when none is named. In each round
// of a situation all points are measured once, in random order, so that slow phases of the machine fall on all of them.
// The last situation is the first one again while other threads compute in bursts of all lengths.
#include "tuning/recorder/recording.hpp"

#include <treadle/treadle.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>

namespace {

using recorder::program;

/// Threads that are busy now and then, mostly briefly, at times for long.
class disturbance {
 public:
  disturbance() {
    for (unsigned seed = 1; seed <= 2; ++seed) m_threads.emplace_back([this, seed] { compute_in_bursts(seed); });
  }
  ~disturbance() {
    m_ended = true;
    for (auto& one : m_threads) one.join();
  }
  disturbance(const disturbance&) = delete;
  disturbance& operator=(const disturbance&) = delete;

 private:
  void compute_in_bursts(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    while (!m_ended) {
      const double burst_us = std::min(200 * std::pow(1 - uniform(random), -1 / 1.2), 60'000.0); // Pareto
      for (double us = 0; us < burst_us;
           us += recorder::microseconds([] { recorder::sink = recorder::work(10'000); })) {
      }
      std::this_thread::sleep_for(
          std::chrono::microseconds(static_cast<long>(-12'000 * std::log(1 - uniform(random)))));
    }
  }

  std::atomic<bool> m_ended{false};
  std::vector<std::thread> m_threads;
};

/// The first line: what it is. Then one for each situation and point: their numbers, and the samples in microseconds,
/// in the order of the rounds.
void record(const std::string& path, const program& p) {
  const auto points = std::accumulate(p.dimensions.begin(), p.dimensions.end(), 1u,
                                      [](unsigned product, const auto& d) { return product * d.size; });
  const unsigned rounds = points > 32 || p.kind == "grain" ? 60 : 120,
                 situations = static_cast<unsigned>(p.starts.size()) + 1;
  std::ofstream file(path);
  file << p.kind << (p.held_out ? ",held out," : ",,");
  for (const auto& d : p.dimensions) file << ' ' << d.size << (d.ordered ? "" : "u");
  for (const auto start : p.starts) file << ',' << start;
  file << '\n';
  std::mt19937 random(1);
  std::vector<std::uint32_t> order(points);
  std::iota(order.begin(), order.end(), 0u);
  for (unsigned s = 0; s < situations; ++s) {
    const bool disturbed = s + 1 == situations;
    const auto noise = disturbed ? std::make_unique<disturbance>() : nullptr;
    std::vector<std::string> lines(points);
    for (unsigned round = 0; round <= rounds; ++round) {
      std::fprintf(stderr, "\r%s: situation %u of %u, round %u of %u ", path.c_str(), s + 1, situations, round, rounds);
      std::shuffle(order.begin(), order.end(), random);
      for (const auto point : order) {
        const double us = p.run(disturbed ? 0 : s, point);
        if (round > 0) lines[point] += ',' + std::to_string(std::max(std::lround(us), 1L)); // the first warms up
      }
    }
    for (unsigned point = 0; point < points; ++point) file << s << ',' << point << lines[point] << '\n';
  }
  std::fputc('\n', stderr);
}

} // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  const treadle::runtime runtime;
  const auto record_all = [&](const std::vector<program>& programs) {
    for (const program& p : programs)
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), p.name) != wanted.end())
        record(folder / (p.name + ".csv"), p);
  };
  record_all(recorder::inlining_programs());
  record_all(recorder::chunk_programs());
  record_all(recorder::splitting_programs(PHYSL_SOURCES));
  record_all(recorder::session_programs());
  record_all(recorder::grain_programs(STENCIL_PROGRAM));
}

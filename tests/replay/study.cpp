// Every strategy on every recorded surface: search_study SURFACES RESULT.csv [SEEDS]. A line for each surface and
// strategy; means over the seeds, in percent of the time of the best choice at each moment.
#include "replay/replay.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <limits>
#include <thread>

namespace {

using namespace treadle;
using namespace treadle::replay;

struct variant {
  std::string strategy; ///< "model": no search
  bool drift = true;
  double share = 0.01; ///< of the time, that tries may lose; 0: no limit
};

std::vector<variant> variants() {
  std::vector<variant> result{{"model"}};
  for (int i = 0; i <= static_cast<int>(search_strategy::parallel_rank_order); ++i) {
    const std::string name(to_string(static_cast<search_strategy>(i)));
    for (const variant& v : {variant{name}, variant{name, false}, variant{name, true, 0}}) result.push_back(v);
  }
  return result;
}

double median(std::vector<double> of) {
  if (of.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::nth_element(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2), of.end());
  return of[of.size() / 2];
}

std::string line_for(const recording& of, character how, const variant& v, unsigned seeds) {
  const surface on(of, how);
  double fixed = 0, moment = 0, squares = 0, explored = 0, epochs = 0;
  std::vector<double> first, later, told;
  if (v.strategy == "model") seeds = 1;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    search_options options;
    result r;
    if (v.strategy == "model") {
      r = replay_model(on);
    } else {
      options.how = search_strategy_from_name(v.strategy);
      options.drift = v.drift;
      r = replay::replay(on, options, v.share, seed);
    }
    const double lost = 100 * (r.spent / k_windows - 1);
    fixed += 100 * (r.spent / r.best_fixed - 1) / seeds;
    moment += lost / seeds;
    squares += lost * lost / seeds;
    explored += 100 * r.explored / k_windows / seeds;
    epochs += static_cast<double>(r.epochs) / seeds;
    first.push_back(r.found_after.front());
    later.insert(later.end(), r.found_after.begin() + 1, r.found_after.end());
    told.insert(told.end(), r.told_after.begin(), r.told_after.end());
  }
  const double error = seeds < 2 ? 0 : 1.96 * std::sqrt(std::max(0.0, squares - moment * moment) / (seeds - 1));
  char text[400];
  std::snprintf(text, sizeof text, "%s,%s,%d,%s,%s,%d,%g,%.2f,%.2f,%.2f,%.2f,%.0f,%.0f,%.2f,%.0f\n", of.name.c_str(),
                of.kind.c_str(), of.held_out, replay::to_string(how), v.strategy.c_str(), v.drift, v.share, fixed,
                moment, error, explored, median(first), median(later), epochs, median(told));
  return text;
}

int study(const char* folder, const char* to, unsigned seeds) {
  const auto recordings = load_all(folder);
  std::vector<std::function<std::string()>> jobs;
  for (const recording& of : recordings)
    for (const character how : k_characters)
      for (const variant& v : variants()) jobs.push_back([&of, how, v, seeds] { return line_for(of, how, v, seeds); });
  std::vector<std::string> lines(jobs.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(std::thread::hardware_concurrency(), 1u); ++i)
    threads.emplace_back([&] {
      for (std::size_t job; (job = next++) < jobs.size();) lines[job] = jobs[job]();
    });
  for (auto& one : threads) one.join();
  std::FILE* const file = std::fopen(to, "w");
  if (!file) throw std::runtime_error(std::string("cannot write ") + to);
  std::fputs("surface,kind,held_out,character,strategy,drift,budget,over_best_fixed,over_best_at_each_moment,error,"
             "explored,windows_until_close,windows_until_close_again,restarts,windows_until_told\n",
             file);
  for (const auto& line : lines) std::fputs(line.c_str(), file);
  return std::fclose(file);
}

} // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fputs("search_study SURFACES RESULT.csv [SEEDS]\n", stderr);
    return 2;
  }
  return study(argv[1], argv[2], argc > 3 ? static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10)) : 100);
} catch (const std::exception& error) {
  std::fprintf(stderr, "search_study: %s\n", error.what());
  return 1;
}

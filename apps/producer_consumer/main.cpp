// The program `producer_consumer`: on futures.
#include "producer_consumer/program.hpp"

#include <treadle/async.hpp>
#include <treadle/future.hpp>
#include <treadle/observe/agent.hpp>
#include <treadle/observe/programs.hpp>
#include <treadle/runtime.hpp>

#include <atomic>
#include <cstdlib>
#include <vector>

namespace {

using namespace items;

/// The numbers of an item, from a task each; each tells how much of it is done.
std::vector<std::uint64_t> run_tasks(const settings& s, std::size_t iteration, const auto& seed) {
  const char* const stream = s.is_producer ? "produced" : "consumed";
  std::atomic<std::size_t> done{0};
  std::vector<treadle::future<std::uint64_t>> tasks;
  tasks.reserve(s.of.tasks);
  for (std::size_t k = 0; k < s.of.tasks; ++k) {
    tasks.push_back(treadle::async([&, k] {
      const std::uint64_t number = compute(seed(k), s.of.steps(iteration));
      const auto n = static_cast<double>(done.fetch_add(1, std::memory_order_relaxed) + 1);
      treadle::report_progress(static_cast<double>(iteration) + n / static_cast<double>(s.of.tasks), stream);
      return number;
    }));
  }
  std::vector<std::uint64_t> numbers;
  for (auto& task : tasks) numbers.push_back(task.get());
  return numbers;
}

std::uint64_t run_all(const settings& s, timeline& times) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < s.of.iterations; ++i) {
    std::vector<std::uint64_t> numbers;
    if (s.is_producer) {
      numbers = run_tasks(s, i, [&](std::size_t k) { return seed_of(i, k); });
      write_item(s.folder, i, numbers);
      treadle::report_progress(static_cast<double>(i + 1), "produced");
    } else {
      const auto item = take_item(s.folder, i, s.of.tasks, std::chrono::duration<double>(s.patience_s));
      numbers = run_tasks(s, i, [&](std::size_t k) { return item[k]; });
    }
    for (const std::uint64_t number : numbers) sum += number;
    times.note();
  }
  return sum;
}

int run(int argc, char** argv) {
  auto options = treadle::runtime_options::from_arguments(argc, argv);
  settings s;
  CLI::App app(k_about, "producer_consumer");
  app.footer(k_more);
  s.add_to(app);
  if (const auto said = apps::parse(app, argc, argv)) return *said;
  s.check();
  if (!std::getenv("TREADLE_AGENT_WISH")) {
    treadle::core_wish wish;
    wish.group = std::filesystem::absolute(s.folder).filename().string();
    wish.role = s.is_producer ? "producer" : "consumer";
    treadle::wish_for_cores(wish);
  }
  const treadle::runtime runtime(options);
  if (s.is_producer) treadle::report_progress(static_cast<double>(s.of.iterations), "total");
  treadle::report_progress(0, s.is_producer ? "produced" : "consumed");
  timeline times;
  const std::uint64_t sum =
      run_all(s, times); // on this thread, which waits for files: a blocked program lends its cores
  return say(s, "producer_consumer", runtime.workers(), times, sum);
}

} // namespace

int main(int argc, char** argv) { return apps::run_program("producer_consumer", argc, argv, run); }

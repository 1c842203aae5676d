#include "ocr/config.hpp"

#include <treadle/treadle.hpp>

#include <vector>

using namespace ocr_bench;

namespace {

/// An untimed round first. run(): how many tasks have run.
template <class Run>
void report(const char* name, Run run) {
  run();
  const bench::stopwatch watch;
  const bool correct = run() == k_tasks;
  bench::print_record(name, watch.seconds(), "s", k_tasks, correct, watch.faults());
}

} // namespace

int main(int argc, char** argv) {
  treadle::runtime rt({.workers = bench::workers_from(argc, argv)});
  treadle::async([] {
    report("ocr/create_run", [] {
      tasks_run = 0;
      std::vector<treadle::future<void>> all;
      all.reserve(k_tasks);
      for (long i = 0; i < k_tasks; ++i) all.push_back(treadle::async([] { count_one_more(); }));
      for (auto& one : all) one.get();
      return tasks_run.load();
    });
    report("ocr/satisfy_run", [] {
      tasks_run = 0;
      std::vector<treadle::future<void>> all;
      all.reserve(k_tasks);
      for (long i = 0; i < k_tasks; ++i) {
        treadle::promise<void> event;
        all.push_back(event.get_future().then([](treadle::future<void>) { count_one_more(); }));
        event.set_value();
      }
      for (auto& one : all) one.get();
      return tasks_run.load();
    });
    report("ocr/chain", [] {
      treadle::future<long> last = treadle::make_ready_future(0L);
      for (long i = 0; i < k_tasks; ++i)
        last = last.then([](treadle::future<long> before) { return before.get() + 1; });
      return last.get();
    });
  }).get();
}

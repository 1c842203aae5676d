#include "spawn_flat/config.hpp"

#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

using namespace spawn_flat_bench;

namespace {

void spawn(long count, long* results) {
  treadle::task_group tasks;
  for (long i = 0; i < count; ++i) tasks.run([=] { results[i] = i; });
  tasks.wait();
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_tasks, spawn); }).get();
}

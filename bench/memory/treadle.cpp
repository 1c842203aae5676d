#include "memory/config.hpp"

#include <treadle/treadle.hpp>
#include <vector>

using namespace memory_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto left = treadle::async(fib, n - 1);
  const long right = fib(n - 2);
  return left.get() + right;
}

long keep_alive(unsigned others, long count, gate& busy) {
  std::vector<treadle::future<void>> occupied;
  for (unsigned i = 0; i < others; ++i) occupied.push_back(treadle::async([&] { busy.pass(); }));
  busy.await(others);
  std::vector<treadle::future<long>> tasks;
  tasks.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) tasks.push_back(treadle::async([] { return 1L; }));
  busy.open.store(true, std::memory_order_relaxed);
  long sum = 0;
  for (auto& task : tasks) sum += task.get();
  treadle::wait_all(occupied);
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] {
    report(fib, [=](long count, gate& busy) { return keep_alive(workers - 1, count, busy); });
  }).get();
}

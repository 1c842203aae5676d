#include "in_tbb.hpp"
#include "memory/config.hpp"

#include <tbb/task_group.h>
#include <vector>

using namespace memory_bench;

namespace {

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  tbb::task_group group;
  group.run([&left, n] { left = fib(n - 1); });
  const long right = fib(n - 2);
  group.wait();
  return left + right;
}

long keep_alive(unsigned others, long count, gate& busy) {
  tbb::task_group occupied;
  for (unsigned i = 0; i < others; ++i) occupied.run([&] { busy.pass(); });
  busy.await(others);
  std::vector<long> results(static_cast<std::size_t>(count));
  tbb::task_group tasks;
  for (long& result : results) tasks.run([&result] { result = 1; });
  busy.open.store(true, std::memory_order_relaxed);
  tasks.wait();
  occupied.wait();
  long sum = 0;
  for (const long result : results) sum += result;
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers,
                [&] { report(fib, [=](long count, gate& busy) { return keep_alive(workers - 1, count, busy); }); });
}

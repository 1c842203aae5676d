#include "in_tbb.hpp"
#include "nqueens/config.hpp"

#include <tbb/task_group.h>

using namespace nqueens_bench;

namespace {

long solutions(board b) {
  if (b.full()) return 1;
  unsigned free = b.free();
  if (free == 0) return 0;
  long sums[32];
  int count = 0;
  tbb::task_group queens;
  for (; (free & (free - 1)) != 0; free &= free - 1) {
    queens.run([next = b.with(first_of(free)), &result = sums[count++]] { result = solutions(next); });
  }
  sums[count++] = solutions(b.with(free));
  queens.wait();
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += sums[i];
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_tbb(workers, [&] { report(k_small, solutions); });
}

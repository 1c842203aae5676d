#include "in_omp.hpp"
#include "nqueens/config.hpp"

using namespace nqueens_bench;

namespace {

long solutions(board b) {
  if (b.full()) return 1;
  long sums[32];
  int count = 0;
  unsigned free = b.free();
  if (free == 0) return 0;
  for (; (free & (free - 1)) != 0; free &= free - 1) {
    const board next = b.with(first_of(free));
    long* result = &sums[count++];
#pragma omp task firstprivate(next, result)
    *result = solutions(next);
  }
  sums[count++] = solutions(b.with(free));
#pragma omp taskwait
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += sums[i];
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  bench::in_omp(workers, [&] { report(k_small, solutions); });
}

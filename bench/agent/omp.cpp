#include "agent/config.hpp"

#include <omp.h>

#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace agent_bench;

namespace {

/// Whether the sum of all regions is right.
bool run_regions() {
  double sum = 0;
  for (int r = 0; r < k_regions; ++r) {
    double part = 0;
#pragma omp parallel for reduction(+ : part) schedule(static)
    for (int i = 0; i < k_iterations; ++i) part += (i ^ r) & 1;
    sum += part;
  }
  return sum == static_cast<double>(k_regions) * k_iterations / 2;
}

} // namespace

/// bench_agent_omp regions: one of the pair, for others to start. The exit code says whether its result is right.
int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "regions") == 0) return run_regions() ? 0 : 1;
  const bench::stopwatch watch;
  pid_t pair[2];
  for (pid_t& one : pair) {
    one = fork();
    if (one == 0) execl("/proc/self/exe", argv[0], "regions", static_cast<char*>(nullptr));
  }
  bool verified = true;
  for (const pid_t one : pair) {
    int status = 1;
    verified &= waitpid(one, &status, 0) == one && status == 0;
  }
  bench::print_record(k_pair, watch.seconds(), "s", 0, verified);
}

// What the configuration `auto` costs: programs that repeat 200 times in simulated time while the decision chooses
// sizes, bindings and the order of their pools, over 200 runs of the best choice, which took a run of every one of them
// to find. pools_study [REPETITIONS [SEEDS [TRIALS [ANY]]]] prints a table; the last line says what is above 3 %. ANY
// of 0: not what other policies and exclusive pools would bring, which takes most of the time.
#include "predict/repeated_program.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace treadle;
using namespace treadle::predict;

std::vector<repeated_case> cases() {
  std::vector<repeated_case> all;
  for (const char* costs : {"treadle", "hpx"}) {
    for (const unsigned workers : {8u, 28u, 56u}) {
      for (const unsigned threads : {1u, 2u}) { // of a core: with two, half of the places are left
        const std::string machine = "numa:2 core:" + std::to_string(workers / 2) + " pu:" + std::to_string(threads);
        for (const unsigned tiles : {16u, 32u})
          for (const unsigned r : {1u, 3u, 10u})
            all.push_back(
                {"cholesky:t=" + std::to_string(tiles) + ",r=" + std::to_string(r), "potrf", workers, machine, costs});
        all.push_back({"merge-sort:n=100000,cutoff=64", "merge", workers, machine, costs});
      }
    }
  }
  return all;
}

unsigned number(int argc, char** argv, int at, unsigned otherwise) {
  return argc > at ? static_cast<unsigned>(std::max(std::atoi(argv[at]), 1)) : otherwise;
}

} // namespace

int main(int argc, char** argv) {
  constexpr double k_promised = 0.03;
  const unsigned repetitions = number(argc, argv, 1, 200), seeds = number(argc, argv, 2, 8);
  const unsigned trials = number(argc, argv, 3, 10);
  const bool asks_any = argc <= 4 || std::string(argv[4]) != "0";
  std::printf("%u repetitions; %u seeds; mean and worst of %u searches\n", repetitions, seeds, trials);
  std::printf("%-30s %7s %-20s %-8s %9s  %-28s %8s %8s %8s %8s  %s\n", "program", "workers", "machine", "costs", "best",
              "of all choices", "one pool", "mean", "worst", "any", "last search ends with");
  double worst = 0, sum = 0;
  unsigned above = 0, count = 0;
  for (const repeated_case& what : cases()) {
    repeated_program program(what);
    const auto best = program.best(seeds);
    const double one_pool = program.mean({0, repeated_program::bindings().front()}, seeds);
    // Also of what the decision does not range over: other policies, and pools that do not lend.
    double any_ns = best.ns;
    for (const scheduling policy : {scheduling::critical_path, scheduling::local_priority_fifo}) {
      if (!asks_any) break;
      repeated_program other(what, policy);
      for (const bool exclusive : {false, true})
        any_ns = std::min(any_ns, other.best(std::min(seeds, 3u), exclusive).ns);
    }
    double mean = 0, most = 0;
    std::string last;
    for (unsigned trial = 1; trial <= trials; ++trial) {
      const auto found = program.repeat(repetitions, seeds, auto_options(trial));
      const double over = found.ns / (repetitions * best.ns) - 1;
      mean += over / trials;
      most = std::max(most, over);
      last = found.last;
    }
    std::printf("%-30s %7u %-20s %-8s %6.3f ms  critical:%-2u %-17s %c %+7.1f%% %+7.2f%% %+7.2f%% %+7.1f%%  %s\n",
                what.program.c_str(), what.workers, what.machine.c_str(), what.costs.c_str(), best.ns / 1e6,
                best.which.critical, std::string(best.which.binding).c_str(), best.which.is_ordered ? 'o' : '-',
                100 * (one_pool / best.ns - 1), 100 * mean, 100 * most, 100 * (any_ns / best.ns - 1), last.c_str());
    std::fflush(stdout);
    worst = std::max(worst, mean);
    sum += mean;
    ++count;
    above += mean > k_promised ? 1 : 0;
  }
  std::printf("over the best choice: mean %.2f %%, worst case %.2f %%; %u of %u cases above 3 %%\n", 100 * sum / count,
              100 * worst, above, count);
}

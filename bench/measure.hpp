#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// What every rival needs: the number of workers from `--workers N`, a stopwatch, and the line that bench/run.py reads.
namespace bench {

inline unsigned workers_from(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--workers") == 0) return static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  return 1;
}

/// Runs `body`, which returns whether its result is right, and reports it as `operations` operations.
template <class Body>
void report(const char* workload, const char* rival, unsigned workers, long operations, Body body) {
  const auto start = std::chrono::steady_clock::now();
  const bool verified = body();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("{\"workload\": \"%s\", \"rival\": \"%s\", \"workers\": %u, \"seconds\": %.9f, \"operations\": %ld, "
              "\"verified\": %s}\n",
              workload, rival, workers, seconds, operations, verified ? "true" : "false");
  std::fflush(stdout);
}

} // namespace bench

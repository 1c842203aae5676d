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

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }

 private:
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// One measured value in `unit`; `operations` of 0 means that the value is not to be divided by anything.
inline void print_record(const char* workload, double value, const char* unit, long operations, bool verified) {
  std::printf("{\"workload\": \"%s\", \"value\": %.9f, \"unit\": \"%s\", \"operations\": %ld, \"verified\": %s}\n",
              workload, value, unit, operations, verified ? "true" : "false");
  std::fflush(stdout);
}

/// Times `body` as `operations` operations; `check`, which is not timed, tells whether the result is right.
template <class Body, class Check>
void report(const char* workload, long operations, Body body, Check check) {
  const stopwatch watch;
  body();
  const double seconds = watch.seconds();
  print_record(workload, seconds, "s", operations, check());
}

/// The same for a `body` that returns whether its result is right.
template <class Body>
void report(const char* workload, long operations, Body body) {
  bool verified = false;
  report(workload, operations, [&] { verified = body(); }, [&] { return verified; });
}

/// Calls `body` again and again for about a tenth of a second; `operations` are those of one call. For what takes
/// microseconds in one rival and milliseconds in another.
template <class Body, class Check>
void report_repeated(const char* workload, long operations, Body body, Check check) {
  constexpr double k_enough_s = 0.07;
  for (long calls = 1;; calls *= 2) {
    const stopwatch watch;
    for (long i = 0; i < calls; ++i) body();
    if (const double seconds = watch.seconds(); seconds > k_enough_s) {
      return print_record(workload, seconds, "s", calls * operations, check());
    }
  }
}

template <class Body>
void report_repeated(const char* workload, long operations, Body body) {
  bool verified = true;
  report_repeated(workload, operations, [&] { verified &= body(); }, [&] { return verified; });
}

} // namespace bench

#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/resource.h>

/// What every rival needs: the number of workers from `--workers N`, a stopwatch, and the line that bench/run.py reads.
/// Whatever is timed has been called once before, untimed: threads run, memory has been touched, caches are filled.
namespace bench {

inline unsigned workers_from(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--workers") == 0) return static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
  }
  return 1;
}

/// The time, and the pages of memory that the system had to provide, since it was made.
class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }
  long faults() const { return faults_so_far() - m_faults; }

 private:
  static long faults_so_far() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  }

  long m_faults = faults_so_far();
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// One measured value in `unit`; `operations` of 0 means that the value is not to be divided by anything, and negative
/// `faults` that nobody counted them.
inline void print_record(const char* workload, double value, const char* unit, long operations, bool verified,
                         long faults = -1) {
  std::printf("{\"workload\": \"%s\", \"value\": %.9f, \"unit\": \"%s\", \"operations\": %ld, \"verified\": %s",
              workload, value, unit, operations, verified ? "true" : "false");
  if (faults >= 0) std::printf(", \"faults\": %ld", faults);
  std::printf("}\n");
  std::fflush(stdout);
}

/// Times the second call of `body` as `operations` operations. `prepare` makes the problem anew before each call;
/// `check` tells whether the result is right. Neither is timed.
template <class Prepare, class Body, class Check>
void report(const char* workload, long operations, Prepare prepare, Body body, Check check) {
  prepare();
  body();
  prepare();
  const stopwatch watch;
  body();
  const double seconds = watch.seconds();
  const long faults = watch.faults();
  print_record(workload, seconds, "s", operations, check(), faults);
}

/// The same for a `body` that needs no preparation and returns whether its result is right.
template <class Body>
void report(const char* workload, long operations, Body body) {
  bool verified = true;
  report(workload, operations, [] {}, [&] { verified &= body(); }, [&] { return verified; });
}

/// After an untimed call, calls `body` again and again for about a tenth of a second; `operations` are those of one
/// call. For what takes microseconds in one rival and milliseconds in another.
template <class Body, class Check>
void report_repeated(const char* workload, long operations, Body body, Check check) {
  constexpr double k_enough_s = 0.07;
  body();
  for (long calls = 1;; calls *= 2) {
    const stopwatch watch;
    for (long i = 0; i < calls; ++i) body();
    const double seconds = watch.seconds();
    const long faults = watch.faults();
    if (seconds > k_enough_s) return print_record(workload, seconds, "s", calls * operations, check(), faults);
  }
}

template <class Body>
void report_repeated(const char* workload, long operations, Body body) {
  bool verified = true;
  report_repeated(workload, operations, [&] { verified &= body(); }, [&] { return verified; });
}

} // namespace bench

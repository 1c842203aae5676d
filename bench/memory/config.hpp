#pragma once

#include "measure.hpp"

#include <atomic>
#include <fstream>
#include <sched.h>
#include <string>

/// How much the resident memory of the process grows.
///   memory_fib     fib(30) with a task per call, at most a branch of which is alive at a time; not per operation
///   memory_alive   a million tasks that have been created and have not run; an operation is a task
namespace memory_bench {

constexpr int k_fib = 30;
constexpr long k_fib_result = 832'040;
constexpr long k_alive = 1'000'000;

/// VmRSS or VmHWM, the largest VmRSS so far.
inline double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return 1024 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

template <class Body>
void report_growth(const char* workload, long operations, Body body) {
  std::ofstream("/proc/self/clear_refs") << 5; // VmHWM starts again from VmRSS
  const double before = status_bytes("VmRSS");
  const bool verified = body();
  bench::print_record(workload, status_bytes("VmHWM") - before, "B", operations, verified);
}

/// Keeps workers busy while tasks are created that are to stay alive.
struct gate {
  std::atomic<unsigned> waiting = 0;
  std::atomic<bool> open = false;

  void pass() {
    waiting.fetch_add(1, std::memory_order_relaxed);
    while (!open.load(std::memory_order_relaxed)) sched_yield();
  }
  void await(unsigned count) const {
    while (waiting.load(std::memory_order_relaxed) < count) sched_yield();
  }
};

/// `fib(n)` makes a task per call; `keep_alive(count, gate)` occupies all other workers, creates `count` tasks that
/// count themselves, opens the gate, waits for them and returns their number.
template <class Fib, class KeepAlive>
void report(Fib fib, KeepAlive keep_alive) {
  report_growth("memory_fib", 0, [&] { return fib(k_fib) == k_fib_result; });
  report_growth("memory_alive", k_alive, [&] {
    gate busy;
    return keep_alive(k_alive, busy) == k_alive;
  });
}

} // namespace memory_bench

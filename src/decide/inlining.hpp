// Policies that decide whether a primitive instance runs inline or is spawned as a task. Pure functions of what was
// measured: no threads, no clock, no I/O.
#pragma once

#include <cstdint>

namespace treadle::decide {

enum class execution : std::uint8_t { spawned, inlined };

// What is known of one primitive instance: evaluations so far and their times from start until the value was ready.
struct inlining_sample {
  std::uint64_t count = 0;
  std::uint64_t total_ns = 0;
};

struct inlining_decision {
  execution mode = execution::spawned;
  bool decided = false; // false: the policy has no opinion, `mode` is the previous one
  friend bool operator==(const inlining_decision&, const inlining_decision&) = default;
};

// Wagle et al., "Runtime Adaptive Task Inlining on Asynchronous Multitasking Runtime Systems", ICPP 2019, Algorithm 1:
// after count_threshold evaluations, spawn when the mean time is >= upper, inline when it is <= lower, and between the
// two, as before them, go on as last time. The first time is spawned.
struct paper_baseline {
  static constexpr execution k_initial = execution::spawned;

  std::uint64_t count_threshold = 5;
  std::uint64_t lower_ns = 350'000;
  std::uint64_t upper_ns = 500'000;

  constexpr inlining_decision decide(const inlining_sample& sample, execution previous) const noexcept {
    if (sample.count < count_threshold || sample.count == 0) return {previous, false};
    const auto mean = sample.total_ns / sample.count; // rounded down: exact for >=, and for <= with the remainder
    if (mean >= upper_ns) return {execution::spawned, true};
    if (mean < lower_ns || (mean == lower_ns && sample.total_ns % sample.count == 0)) return {execution::inlined, true};
    return {previous, false};
  }
};

} // namespace treadle::decide

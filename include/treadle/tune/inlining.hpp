#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// How it is decided whether a potential task runs inline, as a call of whoever makes it, or as a task.
enum class inlining_policy : std::uint8_t {
  adaptive,       ///< by what a task costs against what making one costs, and by trying where that does not tell
  always_async,   ///< every one is a task
  always_inline,  ///< none is
  paper_baseline, ///< Wagle et al., ICPP 2019, Algorithm 1: mean time against 350 and 500 us
  paper_adaptive, ///< Algorithm 2: the same with thresholds that a search moves, for each instance
};

/// "adaptive", "always-async", "always-inline", "paper-baseline", "paper-adaptive".
std::string_view to_string(inlining_policy policy) noexcept;
/// Throws std::invalid_argument that lists the names.
inlining_policy inlining_policy_from_name(std::string_view name);

/// For all places in the program that use launch::adaptive: another policy than the default, or what
/// runtime_options::inlining names. Forgets what was decided before. Any thread.
void use_inlining_policy(inlining_policy policy);

/// What is known of a place that uses launch::adaptive, and what was decided for it.
struct site_report {
  std::string name;        ///< the type of its function, or its annotation
  std::uint64_t calls = 0; ///< about
  double mean_ns = 0;      ///< processor time of an execution
  bool inlined = false;
  std::string why;           ///< "short: 80 ns, and a task costs 25"
  std::uint64_t windows = 0; ///< in which both ways were tried
  std::uint64_t epoch = 0;   ///< how often that began again
  double tuner_ns = 0;       ///< time spent to decide
};

/// All places that have been used, most calls first.
std::vector<site_report> explain_sites();

} // namespace treadle

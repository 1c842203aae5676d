#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <string_view>

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

} // namespace treadle

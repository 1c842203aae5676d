#pragma once

#include <treadle/detail/config.hpp>
#include <treadle/tune/search_options.hpp>

#include <cstdint>
#include <string_view>

namespace treadle {

/// How it is decided whether a potential task runs inline, as a call where it is made, or as a task.
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

/// How paper_adaptive looks for the threshold of an instance: through first_ns, first_ns + step_ns, ... up to last_ns.
/// The paper tells neither these numbers nor the window; they, and the strategy, are those of Phylanx's source.
struct threshold_search {
  search_strategy how = search_strategy::parallel_rank_order; ///< one that ends, so any but local_ucb
  std::uint64_t first_ns = 200'000, last_ns = 1'000'000, step_ns = 100'000;
  std::uint32_t window = 50; ///< evaluations that are measured with one threshold; more than 5

  friend bool operator==(const threshold_search&, const threshold_search&) = default;
};
/// Throws std::invalid_argument that says what is wrong with it, if something is.
void check(const threshold_search& search);

/// For all places in the program that use launch::adaptive: another policy than the default, or what
/// runtime_options::inlining names. Forgets what was decided before. Any thread. `search` is for paper_adaptive; throws
/// as check() does.
void use_inlining_policy(inlining_policy policy, const threshold_search& search = {});

} // namespace treadle

#pragma once

#include <treadle/tune/inlining.hpp>

namespace treadle::detail {

/// What places that use launch::adaptive go by.
struct inlining_choice {
  inlining_policy policy;
  std::uint32_t generation; ///< how often it was chosen
};
inlining_choice present_inlining_choice() noexcept;

/// What paper_adaptive goes by.
threshold_search present_threshold_search() noexcept;

/// Of a runtime's options; what the program itself has chosen stays.
void choose_inlining(inlining_policy policy) noexcept;

} // namespace treadle::detail

#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/tune/inlining.hpp>

#include <string>

namespace treadle::detail {

/// What places that use launch::adaptive go by.
struct inlining_choice {
  inlining_policy policy;
  std::uint32_t generation; ///< how often it was chosen
};
inlining_choice present_inlining_choice() noexcept;

/// Of a runtime's options; what the program itself has chosen stays.
void choose_inlining(inlining_policy policy) noexcept;

/// A table of all these places, for people. Null until there is one.
inline constinit atomic<std::string (*)()> g_site_table{nullptr};

} // namespace treadle::detail

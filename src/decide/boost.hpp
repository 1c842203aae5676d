// How many threads a program gets so that it uses the cores that it was given. Pure.
#pragma once

#include "decide/core_use.hpp"

namespace treadle::decide {

/// The paper's: this many more, or this many times as many threads as cores (Dokulil and Benkner, section III). Nothing
/// for programs that are given none.
unsigned constant_boost(unsigned cores, unsigned more, unsigned most) noexcept;
unsigned linear_boost(unsigned cores, double factor, unsigned most) noexcept;

/// The paper's adaptive one: the least number of threads with which the program was seen to use the cores that it is
/// given, and all where no number was. What a number uses that was not seen the paper leaves open; see core_use.
unsigned adaptive_boost(const core_use& seen, unsigned cores, unsigned most) noexcept;

} // namespace treadle::decide

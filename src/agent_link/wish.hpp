#pragma once

#include <treadle/observe/agent.hpp>

#include <string>

namespace treadle::detail {

/// Throws std::invalid_argument that begins with `source`.
void check(const core_wish& wish, const std::string& source);
/// What parse_core_wish() makes the same of.
std::string to_text(const core_wish& wish);

} // namespace treadle::detail

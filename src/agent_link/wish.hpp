#pragma once

#include <treadle/observe/agent.hpp>

#include <string>

namespace treadle::detail {

/// Throws std::invalid_argument that begins with `source`.
void check(const core_wish& wish, const std::string& source);

} // namespace treadle::detail

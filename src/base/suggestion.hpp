#pragma once

#include <set>
#include <string>
#include <string_view>

namespace treadle::detail {

/// ": did you mean 'x'?" for the candidate that is closest in spelling, or nothing when none is close.
std::string suggestion(std::string_view name, const std::set<std::string_view>& candidates);

} // namespace treadle::detail

#pragma once

#include <treadle/localities/coalescing.hpp>

#include <string_view>

namespace treadle::detail {

/// "off", "paper", "paper:50,100" (parcels, microseconds) or "adaptive". Throws std::invalid_argument, which says so.
coalescing parse_coalescing(std::string_view text);

} // namespace treadle::detail

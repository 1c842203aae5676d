#pragma once

#include <treadle/localities/coalescing.hpp>

#include <string_view>

namespace treadle::detail {

/// As docs/guide/localities.md says it: "paper:50,100". Throws std::invalid_argument that lists what there is.
coalescing parse_coalescing(std::string_view text);

} // namespace treadle::detail

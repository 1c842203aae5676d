// |i|, also of the least integer, whose magnitude only an unsigned one holds.
#pragma once

#include <cstdint>

namespace treadle::detail {

constexpr std::uint64_t magnitude(std::int64_t i) noexcept {
  return i < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(i) : static_cast<std::uint64_t>(i);
}

} // namespace treadle::detail

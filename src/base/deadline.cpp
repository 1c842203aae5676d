#include <treadle/detail/deadline.hpp>

#include "base/clock.hpp"

#include <limits>

namespace treadle::detail {

std::int64_t deadline_in_ns(double ns) noexcept {
  const std::int64_t now = steady_now_ns();
  constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max();
  if (ns >= static_cast<double>(k_max - now)) return k_max;
  return now + static_cast<std::int64_t>(ns > 0 ? ns : 0);
}

} // namespace treadle::detail

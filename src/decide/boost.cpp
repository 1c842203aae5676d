#include "decide/boost.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::decide {

unsigned constant_boost(unsigned cores, unsigned more, unsigned most) noexcept {
  return cores == 0 ? 0 : std::min(most, cores + std::min(more, most));
}

unsigned linear_boost(unsigned cores, double factor, unsigned most) noexcept {
  const double wanted = std::ceil(cores * std::max(factor, 1.0));
  return wanted < most ? static_cast<unsigned>(wanted) : most;
}

unsigned adaptive_boost(const core_use& seen, unsigned cores, unsigned most) noexcept {
  if (cores == 0) return 0;
  for (unsigned n = std::min(cores, most); n < most; ++n)
    if (seen.expected(n) >= cores - 1e-9) return n;
  return most;
}

} // namespace treadle::decide

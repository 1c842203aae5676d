#include "decide/pool_sizes.hpp"

#include <algorithm>

namespace treadle::decide {

pool_sizes::pool_sizes(std::size_t pools, unsigned workers) : m_workers(workers) {
  constexpr unsigned k_all_up_to = 16;
  const unsigned most = workers - static_cast<unsigned>(pools - 1);
  for (unsigned n = 1; n <= std::min(most, k_all_up_to); ++n) m_choices.push_back(n);
  for (unsigned n = k_all_up_to; n < most; n += n % 3 == 0 ? n / 3 : n / 2) { // 16, 24, 32, 48, ...
    m_choices.push_back(n);
    m_choices.push_back(workers - n);
  }
  for (unsigned n = 1; n < std::min(most, k_all_up_to); ++n) m_choices.push_back(workers - n);
  std::erase_if(m_choices, [most](unsigned n) { return n > most; });
  std::sort(m_choices.begin(), m_choices.end());
  m_choices.erase(std::unique(m_choices.begin(), m_choices.end()), m_choices.end());
}

std::uint32_t pool_sizes::closest(unsigned workers) const noexcept {
  const auto distance = [workers](unsigned n) { return n < workers ? workers - n : n - workers; };
  const auto found = std::min_element(m_choices.begin(), m_choices.end(),
                                      [&](unsigned a, unsigned b) { return distance(a) < distance(b); });
  return static_cast<std::uint32_t>(found - m_choices.begin());
}

std::vector<unsigned> pool_sizes::sizes(const std::vector<unsigned>& wanted) const {
  std::vector<unsigned> result;
  unsigned left = m_workers, kept = static_cast<unsigned>(wanted.size()) + 1; // one for each
  for (const unsigned n : wanted) {
    if (n != 0) --kept;
    result.push_back(n == 0 ? 0 : std::min(n, left - kept));
    left -= result.back();
  }
  result.push_back(left);
  return result;
}

} // namespace treadle::decide

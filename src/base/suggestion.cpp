#include "base/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

// Levenshtein distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string suggestion(std::string_view name, const std::set<std::string_view>& candidates) {
  if (name.size() > 100) return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string_view closest;
  for (auto candidate : candidates) {
    if (candidate.size() > name.size() + best) continue;
    if (const auto d = distance(name, candidate); d < best) {
      best = d;
      closest = candidate;
    }
  }
  return closest.empty() ? std::string() : ": did you mean '" + std::string(closest) + "'?";
}

} // namespace treadle::detail

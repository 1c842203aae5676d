#include "topology/steal_order.hpp"

#include <algorithm>
#include <utility>

namespace treadle::detail {

namespace {

/// Comparable, the smaller the nearer.
std::pair<int, double> distance_between(const topology& machine, const processing_unit& a, const processing_unit& b) {
  if (a.cache == b.cache) return {0, 0};
  if (a.domain == b.domain) return {1, 0};
  const double domains = machine.distances.empty() ? 0 : machine.distance(a.domain, b.domain);
  return {a.package == b.package ? 2 : 3, domains};
}

} // namespace

std::vector<steal_order> steal_orders(const topology& machine, std::span<const unsigned> places) {
  std::vector<steal_order> result(places.size());
  for (unsigned me = 0; me < places.size(); ++me) {
    std::vector<std::pair<std::pair<int, double>, unsigned>> others;
    for (unsigned other = 0; other < places.size(); ++other)
      if (other != me)
        others.emplace_back(distance_between(machine, machine.units[places[me]], machine.units[places[other]]), other);
    std::sort(others.begin(), others.end());
    if (others.empty() || others.front().first == others.back().first) continue;
    for (std::size_t i = 0; i < others.size(); ++i) {
      result[me].workers.push_back(others[i].second);
      if (i + 1 == others.size() || others[i].first != others[i + 1].first)
        result[me].ends.push_back(static_cast<unsigned>(i + 1));
    }
  }
  return result;
}

} // namespace treadle::detail

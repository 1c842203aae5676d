#include "sim/levels.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace treadle::sim {

void levels::find(graph& g, const std::string& name) {
  levels found(g);
  found.tie_points();
  found.sort_points(name);
  found.measure();
  found.learn();
}

levels::levels(graph& g) : m_graph(g) {
  std::size_t points = 0;
  for (int n = 0; n < static_cast<int>(g.nodes().size()); ++n) {
    m_first.push_back(points);
    points += g.actions(n).size() + 2;
  }
  m_first.push_back(points);
}

void levels::tie_points() {
  const int nodes = static_cast<int>(m_graph.nodes().size());
  for (int n = 0; n < nodes; ++n) {
    const graph::node& node = m_graph.nodes()[static_cast<std::size_t>(n)];
    std::size_t point = begin_of(n);
    std::int64_t done_ns = 0;
    for (const graph::action& one : m_graph.actions(n)) {
      const auto passed = static_cast<double>(one.at_ns - done_ns);
      done_ns = one.at_ns;
      const graph::node& other = m_graph.nodes()[static_cast<std::size_t>(one.node)];
      if (one.what == graph::action::sort::wait) {
        m_ties.push_back({end_of(one.node), point + 1, 0, true});
        m_ties.push_back({point, point + 1, passed, false});
      } else {
        m_ties.push_back({point, begin_of(one.node), passed, true});
        m_ties.push_back({point, point + 1, passed, false});
        if (other.how == node_sort::call && other.inputs == 0)
          m_ties.push_back({end_of(one.node), point + 1, 0, false});
      }
      ++point;
    }
    m_ties.push_back({point, point + 1, static_cast<double>(node.own_ns - done_ns), false});
    for (const int successor : m_graph.successors(n)) m_ties.push_back({end_of(n), begin_of(successor), 0, true});
  }
  std::stable_sort(m_ties.begin(), m_ties.end(), [](const tie& a, const tie& b) { return a.from < b.from; });
  m_first_tie.assign(m_first.back() + 1, 0);
  for (const tie& one : m_ties) ++m_first_tie[one.from + 1];
  for (std::size_t p = 1; p < m_first_tie.size(); ++p) m_first_tie[p] += m_first_tie[p - 1];
}

void levels::sort_points(const std::string& name) {
  const std::size_t points = m_first.back();
  std::vector<int> missing(points);
  for (const tie& one : m_ties) ++missing[one.to];
  for (std::size_t p = 0; p < points; ++p)
    if (missing[p] == 0) m_sorted.push_back(p);
  for (std::size_t i = 0; i < m_sorted.size(); ++i) {
    const std::size_t p = m_sorted[i];
    for (std::size_t t = m_first_tie[p]; t < m_first_tie[p + 1]; ++t)
      if (--missing[m_ties[t].to] == 0) m_sorted.push_back(m_ties[t].to);
  }
  if (m_sorted.size() == points) return;
  const auto stuck = static_cast<std::size_t>(
      std::find_if(missing.begin(), missing.end(), [](int n) { return n != 0; }) - missing.begin());
  const auto node = std::upper_bound(m_first.begin(), m_first.end(), stuck) - m_first.begin() - 1;
  throw std::invalid_argument(name + ": some nodes wait for each other in a circle, node " + std::to_string(node) +
                              " among them or behind them");
}

void levels::measure() {
  const std::size_t points = m_first.back();
  std::vector<double> earliest(points), rest(points);
  m_depth.assign(points, 0);
  for (int n = 0; n < static_cast<int>(m_graph.nodes().size()); ++n)
    earliest[begin_of(n)] = static_cast<double>(m_graph.nodes()[static_cast<std::size_t>(n)].release_ns);
  for (const std::size_t p : m_sorted) {
    for (std::size_t t = m_first_tie[p]; t < m_first_tie[p + 1]; ++t) {
      const tie& one = m_ties[t];
      earliest[one.to] = std::max(earliest[one.to], earliest[p] + one.ns);
      m_depth[one.to] = std::max(m_depth[one.to], m_depth[p] + one.deeper);
    }
    m_graph.critical_path_ns = std::max(m_graph.critical_path_ns, earliest[p]);
  }
  for (auto p = m_sorted.rbegin(); p != m_sorted.rend(); ++p)
    for (std::size_t t = m_first_tie[*p]; t < m_first_tie[*p + 1]; ++t)
      rest[*p] = std::max(rest[*p], rest[m_ties[t].to] + m_ties[t].ns);
  for (int n = 0; n < static_cast<int>(m_graph.nodes().size()); ++n)
    m_graph.m_nodes[static_cast<std::size_t>(n)].level_ns = rest[begin_of(n)];
}

void levels::learn() {
  struct sum {
    double ns = 0;
    double nodes = 0;
  };
  std::map<std::pair<int, int>, sum> by_place; // site and depth
  const auto place_of = [&](int n) {
    return std::pair(m_graph.nodes()[static_cast<std::size_t>(n)].site, m_depth[begin_of(n)]);
  };
  const int nodes = static_cast<int>(m_graph.nodes().size());
  for (int n = 0; n < nodes; ++n) {
    sum& one = by_place[place_of(n)];
    one.ns += m_graph.nodes()[static_cast<std::size_t>(n)].level_ns;
    ++one.nodes;
  }
  for (int n = 0; n < nodes; ++n) {
    const sum& one = by_place[place_of(n)];
    m_graph.m_nodes[static_cast<std::size_t>(n)].learned_ns = one.ns / one.nodes;
  }
}

} // namespace treadle::sim

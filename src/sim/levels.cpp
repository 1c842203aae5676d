#include "sim/levels.hpp"

#include "decide/bottom_levels.hpp"

#include <algorithm>
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
        m_ties.push_back({end_of(one.node), point + 1, 0});
        m_ties.push_back({point, point + 1, passed});
      } else {
        m_ties.push_back({point, begin_of(one.node), passed});
        m_ties.push_back({point, point + 1, passed});
        if (other.how == node_sort::call && other.inputs == 0) m_ties.push_back({end_of(one.node), point + 1, 0});
      }
      ++point;
    }
    m_ties.push_back({point, point + 1, static_cast<double>(node.own_ns - done_ns)});
    for (const int successor : m_graph.successors(n)) m_ties.push_back({end_of(n), begin_of(successor), 0});
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
  for (int n = 0; n < static_cast<int>(m_graph.nodes().size()); ++n)
    earliest[begin_of(n)] = static_cast<double>(m_graph.nodes()[static_cast<std::size_t>(n)].release_ns);
  for (const std::size_t p : m_sorted) {
    for (std::size_t t = m_first_tie[p]; t < m_first_tie[p + 1]; ++t) {
      const tie& one = m_ties[t];
      earliest[one.to] = std::max(earliest[one.to], earliest[p] + one.ns);
    }
    m_graph.critical_path_ns = std::max(m_graph.critical_path_ns, earliest[p]);
  }
  for (auto p = m_sorted.rbegin(); p != m_sorted.rend(); ++p)
    for (std::size_t t = m_first_tie[*p]; t < m_first_tie[*p + 1]; ++t)
      rest[*p] = std::max(rest[*p], rest[m_ties[t].to] + m_ties[t].ns);
  for (int n = 0; n < static_cast<int>(m_graph.nodes().size()); ++n)
    m_graph.m_nodes[static_cast<std::size_t>(n)].level_ns = rest[begin_of(n)];
}

/// As a runtime learns it that has run the program before.
void levels::learn() {
  decide::bottom_levels learned;
  const int nodes = static_cast<int>(m_graph.nodes().size());
  std::vector<decide::task_number> numbers(static_cast<std::size_t>(nodes));
  const auto site_of = [&](const graph::node& one) { return &m_graph.sites()[static_cast<std::size_t>(one.site)]; };
  const auto make = [&](decide::bottom_levels::creator& by, int n) {
    decide::task_number& made = numbers[static_cast<std::size_t>(n)];
    made = learned.make(by, site_of(m_graph.nodes()[static_cast<std::size_t>(n)]));
    for (const int input : m_graph.inputs(n)) learned.add_input(made, numbers[static_cast<std::size_t>(input)]);
  };
  // Once to see the times, once more for the levels, which are known when the next round begins.
  for (int times = 0; times < 3; ++times) {
    decide::bottom_levels::creator outside;
    outside.begin(0, nullptr);
    for (int n = 0; n < nodes; ++n) {
      const graph::node& one = m_graph.nodes()[static_cast<std::size_t>(n)];
      if (!one.has_maker) make(outside, n);
      decide::bottom_levels::creator here;
      here.begin(numbers[static_cast<std::size_t>(n)], site_of(one));
      for (const graph::action& what : m_graph.actions(n)) {
        if (what.what == graph::action::sort::make)
          make(here, what.node);
        else
          learned.wait(here, static_cast<float>(what.at_ns));
      }
      learned.end(here, static_cast<float>(one.own_ns));
    }
    learned.end(outside, 0);
  }
  for (int n = 0; n < nodes; ++n)
    m_graph.m_nodes[static_cast<std::size_t>(n)].learned_ns =
        static_cast<double>(learned.level(numbers[static_cast<std::size_t>(n)]));
}

} // namespace treadle::sim

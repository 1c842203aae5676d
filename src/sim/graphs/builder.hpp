#pragma once

#include "observe/trace/recorded_graph.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace treadle::sim {

/// Makes graphs node by node; what a node does comes in the order of the calls.
class builder {
 public:
  using sort = detail::recorded_graph::sort;

  /// `parent` makes it after `at_ns` of its own time; none: it is there from the beginning.
  int add(sort how, std::string_view site, std::int64_t own_ns, int parent = -1, std::int64_t at_ns = 0) {
    detail::recorded_graph::node one;
    one.how = how;
    one.site = m_graph.site(site);
    one.own_ns = own_ns;
    one.parent = parent;
    one.at_ns = at_ns;
    if (parent >= 0) one.nth = m_actions[static_cast<std::size_t>(parent)]++;
    m_graph.nodes.push_back(one);
    m_actions.push_back(0);
    return static_cast<int>(m_graph.nodes.size() - 1);
  }
  int task(std::string_view site, std::int64_t own_ns, int parent = -1, std::int64_t at_ns = 0) {
    return add(sort::task, site, own_ns, parent, at_ns);
  }
  void input(int node, int input) {
    if (input >= 0) m_graph.inputs.push_back({node, input});
  }
  void wait(int node, int waited, std::int64_t at_ns) {
    m_graph.waits.push_back({node, waited, m_actions[static_cast<std::size_t>(node)]++, at_ns});
  }
  detail::recorded_graph::node& operator[](int node) { return m_graph.nodes[static_cast<std::size_t>(node)]; }
  detail::recorded_graph take() && { return std::move(m_graph); }

 private:
  detail::recorded_graph m_graph;
  std::vector<int> m_actions; // of each node, so far
};

} // namespace treadle::sim

#include "sim/graph.hpp"

#include "sim/levels.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::sim {

using detail::recorded_graph;

namespace {

/// To make a task of a fork, which a recording does with all of them, and to run it in place. Measured with
/// tests/predict.
constexpr double k_recorded_fork_ns = 50;

bool runs_something(node_sort how) noexcept {
  return how == node_sort::task || how == node_sort::fork || how == node_sort::call;
}

} // namespace

graph::graph(const recorded_graph& recorded, const std::string& name)
    : recorded_ns(static_cast<double>(recorded.span_ns)), unknown(recorded.unknown), m_sites(recorded.sites) {
  std::int64_t first_ns = INT64_MAX; // when the program began, as far as it is recorded
  for (const recorded_graph::node& one : recorded.nodes) first_ns = std::min(first_ns, one.created_ns);
  for (const recorded_graph::node& one : recorded.nodes) {
    // A join is there from the beginning: what counts are its inputs.
    const bool made = one.parent != k_none && one.how != node_sort::join;
    const std::int64_t release_ns = made || one.how == node_sort::join ? 0 : one.created_ns - first_ns;
    const std::int64_t own_ns = one.how == node_sort::join ? 0 : one.own_ns;
    m_nodes.push_back({one.how, one.site, own_ns, release_ns, one.bytes, one.home, 0, made, 0, 0});
    tasks += runs_something(one.how);
  }
  order_actions(recorded);
  link(recorded);
  if (recorded.span_ns > 0) forget_costs(costs_from_name("treadle"));
  for (const node& one : m_nodes)
    if (runs_something(one.how)) work_ns += static_cast<double>(one.own_ns);
  levels::find(*this, name);
}

/// What a recorded run took to make tasks is in the time of those who made them, and what it took to run and end a task
/// partly in the time of that; the simulator adds what it takes in the simulated runtime.
void graph::forget_costs(const cost_table& paid) {
  for (std::size_t n = 0; n < m_nodes.size(); ++n) {
    double cost = 0;
    std::int64_t last_ns = 0;
    const auto left = [&](std::int64_t ns) {
      return last_ns = std::max<std::int64_t>(last_ns, ns - std::llround(cost));
    };
    for (std::size_t i = m_first_action[n]; i < m_first_action[n + 1]; ++i) {
      action& one = m_actions[i];
      one.at_ns = left(one.at_ns);
      const node& other = m_nodes[static_cast<std::size_t>(one.node)];
      if (one.what == action::sort::wait)
        cost += other.how == node_sort::fork ? 0 : paid.in_place_ns;
      else if (other.how == node_sort::fork)
        cost += k_recorded_fork_ns;
      else if (other.how == node_sort::task)
        cost += paid.create_ns + other.inputs * paid.input_ns;
    }
    cost += static_cast<double>(m_first_successor[n + 1] - m_first_successor[n]) * paid.continuation_ns;
    m_nodes[n].own_ns = left(m_nodes[n].own_ns);
  }
}

void graph::order_actions(const recorded_graph& recorded) {
  struct entry {
    int who, nth;
    action what;
  };
  std::vector<entry> all;
  for (int n = 0; n < static_cast<int>(recorded.nodes.size()); ++n) {
    const recorded_graph::node& one = recorded.nodes[static_cast<std::size_t>(n)];
    if (m_nodes[static_cast<std::size_t>(n)].has_maker)
      all.push_back({one.parent, one.nth, {action::sort::make, n, one.at_ns}});
  }
  for (const recorded_graph::wait& one : recorded.waits)
    all.push_back({one.node, one.nth, {action::sort::wait, one.waited, one.at_ns}});
  std::stable_sort(all.begin(), all.end(),
                   [](const entry& a, const entry& b) { return a.who != b.who ? a.who < b.who : a.nth < b.nth; });
  m_first_action.assign(m_nodes.size() + 1, 0);
  for (const entry& one : all) ++m_first_action[static_cast<std::size_t>(one.who) + 1];
  for (std::size_t n = 0; n < m_nodes.size(); ++n) m_first_action[n + 1] += m_first_action[n];
  int who = k_none;
  std::int64_t at_ns = 0; // stamps of two threads may disagree by a few ns: one after the other all the same
  for (entry& one : all) {
    at_ns = one.who == who ? std::max(at_ns, one.what.at_ns) : one.what.at_ns;
    who = one.who;
    one.what.at_ns = at_ns;
    m_actions.push_back(one.what);
  }
}

void graph::link(const recorded_graph& recorded) {
  m_first_successor.assign(m_nodes.size() + 1, 0);
  m_first_input.assign(m_nodes.size() + 1, 0);
  for (const recorded_graph::edge& one : recorded.inputs) {
    ++m_first_successor[static_cast<std::size_t>(one.input) + 1];
    ++m_first_input[static_cast<std::size_t>(one.node) + 1];
    ++m_nodes[static_cast<std::size_t>(one.node)].inputs;
  }
  for (std::size_t n = 0; n < m_nodes.size(); ++n) {
    m_first_successor[n + 1] += m_first_successor[n];
    m_first_input[n + 1] += m_first_input[n];
  }
  m_successors.resize(recorded.inputs.size());
  m_inputs.resize(recorded.inputs.size());
  std::vector<std::size_t> next_successor = m_first_successor, next_input = m_first_input;
  for (const recorded_graph::edge& one : recorded.inputs) {
    m_successors[next_successor[static_cast<std::size_t>(one.input)]++] = one.node;
    m_inputs[next_input[static_cast<std::size_t>(one.node)]++] = one.input;
  }
}

} // namespace treadle::sim

#pragma once

#include "observe/trace/recorded_graph.hpp"

#include <treadle/sim/prediction.hpp>

#include <span>

namespace treadle::sim {

using node_sort = detail::recorded_graph::sort;
inline constexpr int k_none = -1;

/// A recording as it is simulated: for each node what it does in the course of its own time, who depends on it, and how
/// long the chains behind it are.
class graph {
 public:
  /// Something that a node does after `at_ns` of its own time.
  struct action {
    enum class sort : unsigned char { make, wait } what;
    int node; ///< that it makes, or waits for
    std::int64_t at_ns;
  };
  struct node {
    node_sort how;
    int site;
    std::int64_t own_ns;
    std::int64_t release_ns; ///< of what no node of the graph has made
    std::int64_t bytes;
    int home;
    int inputs; ///< how many
    bool has_maker;
    double level_ns;   ///< the longest chain from its beginning to the end of all, itself included
    double learned_ns; ///< the same as the policy critical-path learns it
  };

  /// Throws std::invalid_argument when nodes wait for each other in a circle; `name` is that of the file or generator.
  graph(const detail::recorded_graph& recorded, const std::string& name);

  std::span<const node> nodes() const noexcept { return m_nodes; }
  std::span<const action> actions(int n) const noexcept { return part(m_actions, m_first_action, n); }
  std::span<const int> successors(int n) const noexcept { return part(m_successors, m_first_successor, n); }
  std::span<const int> inputs(int n) const noexcept { return part(m_inputs, m_first_input, n); }
  const std::vector<std::string>& sites() const noexcept { return m_sites; }

  std::size_t tasks = 0; ///< nodes that run
  double work_ns = 0;    ///< of tasks
  double critical_path_ns = 0;
  double recorded_ns = 0;
  std::uint64_t unknown = 0;

 private:
  friend class levels;

  template <class T>
  static std::span<const T> part(const std::vector<T>& all, const std::vector<std::size_t>& first, int n) noexcept {
    const auto i = static_cast<std::size_t>(n);
    return {all.data() + first[i], first[i + 1] - first[i]};
  }
  void order_actions(const detail::recorded_graph& recorded);
  void forget_costs(const cost_table& paid);
  void link(const detail::recorded_graph& recorded);

  std::vector<node> m_nodes;
  std::vector<action> m_actions;
  std::vector<int> m_successors, m_inputs;
  std::vector<std::size_t> m_first_action, m_first_successor, m_first_input; // and one more: the end
  std::vector<std::string> m_sites;
};

} // namespace treadle::sim

#pragma once

#include "sim/graph.hpp"

namespace treadle::sim {

/// Longest chains through a graph: with as many workers as can be used, when does each node begin and end, and how long
/// is it from there to the end of all?
///
/// A node has a point at its beginning, one behind each of its actions, and one at its end; between two points some of
/// its own time passes. Points of different nodes are tied by what is made, waited for, and depended on.
class levels {
 public:
  /// Fills in level_ns, learned_ns and critical_path_ns. Throws std::invalid_argument when there is a circle.
  static void find(graph& g, const std::string& name);

 private:
  struct tie {
    std::size_t from, to;
    double ns;
  };

  explicit levels(graph& g);
  std::size_t begin_of(int node) const { return m_first[static_cast<std::size_t>(node)]; }
  std::size_t end_of(int node) const { return m_first[static_cast<std::size_t>(node) + 1] - 1; }
  void tie_points();
  void sort_points(const std::string& name);
  void measure();
  void learn();

  graph& m_graph;
  std::vector<std::size_t> m_first; // point of each node
  std::vector<tie> m_ties;          // by `from`
  std::vector<std::size_t> m_first_tie;
  std::vector<std::size_t> m_sorted; // points, each behind those that it depends on
};

} // namespace treadle::sim

#include "sim/graph.hpp"
#include "sim/graphs/graphs.hpp"

#include <stdexcept>

namespace treadle::sim {

workload workload::from_file(const std::string& file) {
  const detail::recorded_graph recorded = detail::read_graph(file);
  if (recorded.dropped != 0)
    throw std::invalid_argument(file + ": " + std::to_string(recorded.dropped) +
                                " records had no room when it was recorded, so it is not whole; "
                                "--treadle:trace-records makes more room");
  if (recorded.nodes.empty()) throw std::invalid_argument(file + ": there are no tasks in it");
  return workload(std::make_shared<const graph>(recorded, file));
}

workload workload::generated(std::string_view description) {
  return workload(std::make_shared<const graph>(generate(description), std::string(description)));
}

bool workload::is_description(std::string_view text) noexcept { return is_generator(text); }

std::size_t workload::tasks() const noexcept { return m_graph->tasks; }
double workload::work_ns() const noexcept { return m_graph->work_ns; }
double workload::critical_path_ns() const noexcept { return m_graph->critical_path_ns; }
double workload::recorded_ns() const noexcept { return m_graph->recorded_ns; }
std::uint64_t workload::unknown() const noexcept { return m_graph->unknown; }
std::vector<std::string> workload::sites() const { return m_graph->sites(); }

} // namespace treadle::sim

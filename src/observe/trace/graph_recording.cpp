#include "base/clock.hpp"
#include "observe/trace/recorded_graph.hpp"
#include "observe/trace/trace_analysis.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace treadle::detail {
namespace {

using sort = recorded_graph::sort;

/// Makes a graph of what the replay of a trace has found. Tasks that did not end in the trace are left out.
class recording {
 public:
  recording(const trace_session& session, const trace_analysis& found) : m_session(session), m_found(found) {
    for (std::size_t i = 0; i < found.tasks.size(); ++i) add_task(static_cast<int>(i));
    for (std::size_t i = 0; i < found.others.size(); ++i) add_other(i);
    for (const trace_analysis::action& one : found.actions) act(one);
    for (const trace_analysis::dependence& one : found.dependences) {
      const int node = number_of(one.node), input = number_of(one.input);
      if (node != trace_analysis::k_none && input != trace_analysis::k_none) m_graph.inputs.push_back({node, input});
    }
    m_graph.dropped = session.dropped();
    m_graph.unknown = found.unknown_inputs;
  }
  recorded_graph take() && { return std::move(m_graph); }

 private:
  std::int64_t since_start(std::int64_t ticks) const {
    return std::max<std::int64_t>(ticks_to_ns(ticks - m_session.start_ticks()), 0);
  }
  int number_of(int node) const {
    const auto found = m_numbers.find(node);
    return found == m_numbers.end() ? trace_analysis::k_none : found->second;
  }
  void add(int node, const recorded_graph::node& one) {
    m_numbers.emplace(node, static_cast<int>(m_graph.nodes.size()));
    m_graph.nodes.push_back(one);
  }
  int site(std::string_view name) {
    const auto [known, is_new] = m_sites.try_emplace(name, static_cast<int>(m_graph.sites.size()));
    if (is_new) m_graph.sites.emplace_back(name);
    return known->second;
  }

  void add_task(int number) {
    const trace_analysis::task& task = m_found.tasks[static_cast<std::size_t>(number)];
    if (task.started_ticks == 0 || task.ended_ticks == 0) return;
    recorded_graph::node one;
    one.how = task.forked ? sort::fork : task.queued ? sort::task : sort::call;
    one.site = site(task.name);
    one.start_ns = since_start(task.started_ticks);
    one.end_ns = since_start(task.ended_ticks);
    one.created_ns = task.queued ? since_start(task.created_ticks) : one.start_ns;
    one.ready_ns = task.queued ? since_start(task.ready_ticks) : one.start_ns;
    one.own_ns = ticks_to_ns(m_found.undisturbed(task.self_ticks, task.told));
    one.worker = m_session.rings()[static_cast<std::size_t>(task.started_on)]->worker();
    one.bytes = task.bytes;
    one.home = task.home;
    add(number, one);
    m_first = std::min(m_first, one.created_ns);
    m_graph.span_ns = std::max(m_graph.span_ns, one.end_ns - m_first);
  }
  void add_other(std::size_t position) {
    const trace_analysis::other& other = m_found.others[position];
    if (!other.is_thread && !other.has_inputs) return; // a group without tasks
    recorded_graph::node one;
    one.how = other.is_thread ? sort::thread : sort::join;
    one.site = site(other.name);
    one.created_ns = one.start_ns = since_start(other.began_ticks);
    one.end_ns = since_start(other.ended_ticks);
    if (other.is_thread)
      one.own_ns = ticks_to_ns(m_found.undisturbed(other.self_ticks, other.told));
    else
      one.start_ns = one.end_ns;
    one.ready_ns = one.start_ns;
    add(trace_analysis::k_node_base - static_cast<int>(position), one);
  }
  void act(const trace_analysis::action& one) {
    const int who = number_of(one.who), whom = number_of(one.whom);
    if (who == trace_analysis::k_none || whom == trace_analysis::k_none) return;
    // Not before the last one: what telling takes is an estimate, and more of it has passed.
    auto& [nth_next, last_ns] = m_actions[who];
    const std::int64_t own_ns = m_graph.nodes[static_cast<std::size_t>(who)].own_ns;
    const std::int64_t at_ns = last_ns = std::min(std::max(ticks_to_ns(one.self_ticks), last_ns), own_ns);
    const int nth = nth_next++;
    if (one.what == trace_analysis::action::sort::waited) {
      m_graph.waits.push_back({who, whom, nth, at_ns});
      return;
    }
    recorded_graph::node& made = m_graph.nodes[static_cast<std::size_t>(whom)];
    made.parent = who;
    made.nth = nth;
    made.at_ns = at_ns;
  }

  const trace_session& m_session;
  const trace_analysis& m_found;
  recorded_graph m_graph;
  std::map<int, int> m_numbers; // in the graph, by that in the replay
  std::map<std::string_view, int> m_sites;
  std::map<int, std::pair<int, std::int64_t>> m_actions; // by number in the graph: how many so far, and when the last
  std::int64_t m_first = INT64_MAX;
};

} // namespace

std::string recorded_tasks(const trace_session& session, const trace_analysis& found) {
  return write_graph(recording(session, found).take());
}

} // namespace treadle::detail

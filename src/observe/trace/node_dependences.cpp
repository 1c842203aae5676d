#include "observe/trace/node_dependences.hpp"

#include <utility>

namespace treadle::detail {

using sort = trace_analysis::action::sort;

namespace {
constexpr int k_none = trace_analysis::k_none;
}

void node_dependences::go_on(int ring, int worker, std::int64_t ticks, position task) {
  m_ring = ring;
  m_worker = worker;
  m_ticks = ticks;
  m_task = task;
  thread& one = here();
  if (one.number != k_none && !one.waits && task.node == k_none) {
    auto& outside = m_found.others[trace_analysis::other_of(one.number)];
    outside.self_ticks += ticks - one.ticks;
    outside.ended_ticks = ticks;
    ++outside.told;
  }
  one.ticks = ticks;
}

/// A worker outside of all tasks is nobody; another thread is a node of its own from the first time on.
node_dependences::position node_dependences::running() {
  if (m_task.node != k_none || m_worker >= 0) return m_task;
  if (here().number == k_none) here().number = add_other("a thread outside", true);
  const auto& outside = m_found.others[trace_analysis::other_of(here().number)];
  return {here().number, m_found.undisturbed(outside.self_ticks, outside.told)};
}

int node_dependences::latest(std::uint64_t address) const {
  const auto found = m_latest.find(address);
  return found == m_latest.end() ? k_none : found->second;
}

int node_dependences::add_other(std::string_view name, bool is_thread) {
  m_found.others.push_back({name, is_thread, m_ring, m_ticks, m_ticks});
  return trace_analysis::k_node_base - static_cast<int>(m_found.others.size() - 1);
}

void node_dependences::depend(int node, int input) {
  m_found.dependences.push_back({node, input});
  if (!trace_analysis::is_task(node)) m_found.others[trace_analysis::other_of(node)].has_inputs = true;
}

void node_dependences::make(const event_record& what, int node) {
  if (const position maker = running(); maker.node != k_none)
    m_found.actions.push_back({sort::made, maker.node, node, maker.self_ticks});
  for (const told_input& one : std::exchange(here().inputs, {}))
    if (one.node == what.task) depend(node, one.input);
}

void node_dependences::attach_input(const event_record& what) {
  if (const int input = latest(what.other_task()); input != k_none)
    here().inputs.push_back({what.task, input});
  else
    ++m_found.unknown_inputs; // a promise, for example
}

void node_dependences::make_join(const event_record& what) {
  const int join = add_other(what.name, false), before = latest(what.task);
  for (const told_input& one : here().inputs)
    if (one.node == what.task && one.input == before) m_forwarded[before] = join; // it stands for its own state
  make(what, join);
  know(what.task, join);
}

void node_dependences::join_group(const event_record& what, int task) {
  if (task == k_none) return;
  const auto [group, is_new] = m_groups.try_emplace(what.task, k_none);
  if (is_new) group->second = add_other("task_group", false);
  depend(group->second, task);
}

void node_dependences::begin_wait(const event_record& what) {
  const position waiter = running();
  const bool is_ready = what.value != 0;
  if (!is_ready && m_task.node == k_none) here().waits = true;
  int waited = latest(what.task);
  // What is ready is no longer waited for: the address belongs to something else by now.
  const bool is_old =
      trace_analysis::is_task(waited) && m_found.tasks[static_cast<std::size_t>(waited)].ended_ticks != 0;
  if (!is_ready && (waited == k_none || is_old)) { // a group, until its tasks say otherwise
    const auto [group, is_new] = m_groups.try_emplace(what.task, k_none);
    if (is_new) group->second = add_other("task_group", false);
    waited = group->second;
  }
  if (waited == k_none) ++m_found.unknown_inputs;
  if (waiter.node == k_none || waited == k_none) return;
  m_found.actions.push_back({sort::waited, waiter.node, waited, waiter.self_ticks});
}

void node_dependences::end_wait(const event_record& what) {
  if (m_task.node == k_none) here().waits = false;
  const auto group = m_groups.find(what.task);
  if (group == m_groups.end()) return;
  if (!m_found.others[trace_analysis::other_of(group->second)].has_inputs) ++m_found.unknown_inputs;
  m_groups.erase(group); // the next one at that address is another
}

void node_dependences::end() {
  for (auto& [node, input] : m_found.dependences) {
    const auto forwarded = m_forwarded.find(input);
    if (forwarded != m_forwarded.end() && forwarded->second != node) input = forwarded->second;
  }
  for (trace_analysis::action& one : m_found.actions) {
    const auto forwarded = m_forwarded.find(one.whom);
    if (one.what == sort::waited && forwarded != m_forwarded.end()) one.whom = forwarded->second;
  }
}

} // namespace treadle::detail

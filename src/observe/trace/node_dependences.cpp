#include "observe/trace/node_dependences.hpp"

#include <utility>

namespace treadle::detail {

using action = trace_analysis::action::sort;

namespace {}

void node_dependences::go_on(int ring, int worker, std::int64_t ticks, position task) {
  m_ring = ring;
  m_worker = worker;
  m_ticks = ticks;
  m_task = task;
  thread& one = here();
  if (one.number != trace_analysis::k_none && !one.waits && task.node == trace_analysis::k_none) {
    auto& outside = m_found.others[trace_analysis::other_of(one.number)];
    outside.self_ticks += ticks - one.ticks;
    outside.ended_ticks = ticks;
    ++outside.told;
  }
  one.ticks = ticks;
}

/// A worker outside of all tasks is nobody; another thread is a node of its own from the first time on.
node_dependences::position node_dependences::running() {
  if (m_task.node != trace_analysis::k_none || m_worker >= 0) return m_task;
  if (here().number == trace_analysis::k_none) here().number = add_other("a thread outside", true);
  const auto& outside = m_found.others[trace_analysis::other_of(here().number)];
  return {here().number, m_found.undisturbed(outside.self_ticks, outside.told)};
}

int node_dependences::latest(std::uint64_t address) const {
  const auto found = m_latest.find(address);
  return found == m_latest.end() ? trace_analysis::k_none : found->second;
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
  if (const position maker = running(); maker.node != trace_analysis::k_none)
    m_found.actions.push_back({action::made, maker.node, node, maker.self_ticks});
  for (const told_input& one : std::exchange(here().inputs, {}))
    if (one.node == what.task) depend(node, one.input);
}

void node_dependences::attach_input(const event_record& what) {
  if (const int input = latest(what.other_task()); input != trace_analysis::k_none)
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
  if (task == trace_analysis::k_none) return;
  depend(group_at(what.task), task);
}

int node_dependences::group_at(std::uint64_t address) {
  const auto [group, is_new] = m_groups.try_emplace(address, trace_analysis::k_none);
  if (is_new) group->second = add_other("task_group", false);
  return group->second;
}

void node_dependences::begin_wait(const event_record& what) {
  const position waiter = running();
  const auto sort = static_cast<awaited>(what.value);
  if (sort != awaited::ready_state && m_task.node == trace_analysis::k_none) here().waits = true;
  const int waited = sort == awaited::group ? group_at(what.task) : latest(what.task);
  if (waited == trace_analysis::k_none) ++m_found.unknown_inputs;
  if (waiter.node == trace_analysis::k_none || waited == trace_analysis::k_none) return;
  m_found.actions.push_back({action::waited, waiter.node, waited, waiter.self_ticks});
}

void node_dependences::end_wait(const event_record& what) {
  if (m_task.node == trace_analysis::k_none) here().waits = false;
  m_groups.erase(what.task); // if it is a group, the next one at that address is another
}

void node_dependences::end() {
  for (auto& [node, input] : m_found.dependences) {
    const auto forwarded = m_forwarded.find(input);
    if (forwarded != m_forwarded.end() && forwarded->second != node) input = forwarded->second;
  }
  for (trace_analysis::action& one : m_found.actions) {
    const auto forwarded = m_forwarded.find(one.whom);
    if (one.what == action::waited && forwarded != m_forwarded.end()) one.whom = forwarded->second;
  }
  find_ready_times();
}

/// A task is ready when it has been made and its inputs have ended. Inputs come first in the order of the records,
/// joins of joins excepted, which need another round.
void node_dependences::find_ready_times() {
  const auto ready = [this](int node) -> std::int64_t& {
    return trace_analysis::is_task(node) ? m_found.tasks[static_cast<std::size_t>(node)].ready_ticks
                                         : m_found.others[trace_analysis::other_of(node)].ended_ticks;
  };
  for (trace_analysis::task& one : m_found.tasks) one.ready_ticks = one.created_ticks;
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [node, input] : m_found.dependences) {
      const std::int64_t end = trace_analysis::is_task(input)
                                   ? m_found.tasks[static_cast<std::size_t>(input)].ended_ticks
                                   : m_found.others[trace_analysis::other_of(input)].ended_ticks;
      if (ready(node) >= end) continue;
      ready(node) = end;
      changes = changes || !trace_analysis::is_task(node);
    }
  }
}

} // namespace treadle::detail

#pragma once

#include "observe/trace/trace_analysis.hpp"

#include <unordered_map>

namespace treadle::detail {

/// The part of a replay that finds out who depends on whom. It is given all records in the order of time.
///
/// States are known by their addresses, which are used again: an address stands for what was made there last.
class node_dependences {
 public:
  /// Who runs, and how much of its own time has passed.
  struct position {
    int node = trace_analysis::k_none;
    std::int64_t self_ticks = 0;
  };

  node_dependences(trace_analysis& into, std::size_t rings) : m_found(into), m_rings(rings) {}

  /// Before each record: `task` is what runs on the thread of the ring, if anything does.
  void go_on(int ring, int worker, std::int64_t ticks, position task);

  /// A task has an address from now on, or k_none: what is there is completed by no task.
  void know(std::uint64_t address, int node) { m_latest[address] = node; }
  /// It was made here, with the inputs that were told before.
  void make(const event_record& what, int node);

  void attach_input(const event_record& what);
  void make_join(const event_record& what);
  void join_group(const event_record& what, int task);
  void begin_wait(const event_record& what);
  void end_wait(const event_record& what);
  void end();

 private:
  struct told_input {
    std::uint64_t node; // address
    int input;
  };
  struct thread {
    std::vector<told_input> inputs; // of what is made next
    int number = trace_analysis::k_none;
    bool waits = false;
    std::int64_t ticks = 0; // of the last record
  };

  thread& here() { return m_rings[static_cast<std::size_t>(m_ring)]; }
  position running();
  int latest(std::uint64_t address) const;
  int add_other(std::string_view name, bool is_thread);
  int group_at(std::uint64_t address);
  void depend(int node, int input);
  void find_ready_times();

  trace_analysis& m_found;
  std::vector<thread> m_rings;
  std::unordered_map<std::uint64_t, int> m_latest; // by address
  std::unordered_map<std::uint64_t, int> m_groups; // by address, those that somebody waits for or takes part in
  std::unordered_map<int, int> m_forwarded;        // the join that has the result of a task
  int m_ring = 0, m_worker = 0;
  std::int64_t m_ticks = 0;
  position m_task;
};

} // namespace treadle::detail

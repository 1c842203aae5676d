#pragma once

#include "observe/trace/trace_session.hpp"

#include <treadle/observe/trace.hpp>

#include <algorithm>
#include <string_view>

namespace treadle::detail {

/// What can be read out of the records of a trace: which task was executed where and when, and who created it.
struct trace_analysis {
  static constexpr int k_none = -1;

  struct task {
    std::string_view name;
    bool forked = false;            // from latent work
    int creator = k_none;           // in `tasks`
    std::int64_t created_ticks = 0; // 0: before the trace, or its record was dropped
    int created_on = k_none;        // ring
    std::int64_t total_ticks = 0, self_ticks = 0;
    std::int64_t told = 0; // events that were told in its own time
    bool started = false;
    bool queued = false;                             // or made with inputs missing; else it ran where it was made
    std::int64_t started_ticks = 0, ended_ticks = 0; // 0: not in the trace
    int started_on = k_none;                         // ring
    std::int64_t ready_ticks = 0;                    // made, and all inputs there; of what was in a queue
    std::int64_t bytes = 0;                          // of memory that it used, as the program tells
    int home = k_none;                               // the domain of most of them
  };
  /// A stretch of one task on one thread, from its start or resumption to its end or suspension.
  struct slice {
    int task;
    int ring;
    std::int64_t begin_ticks, end_ticks;
    bool first; // with it the task started
  };
  /// A worker slept.
  struct pause {
    int ring;
    std::int64_t begin_ticks, end_ticks;
  };
  /// Something at one moment.
  struct moment {
    int ring;
    std::int64_t ticks;
    event_record what;
  };

  // Who depends on whom. A node has the number of its task, or k_node_base - position in `others`.
  static constexpr int k_node_base = -2;
  /// What is no task: a thread that is no worker and creates tasks or waits for them, or a join, which is ready when
  /// its inputs are.
  struct other {
    std::string_view name;
    bool is_thread;
    int ring;
    std::int64_t began_ticks, ended_ticks; // of a join: when it was made, and when all inputs were there
    std::int64_t self_ticks = 0;           // of a thread: while it does not wait
    std::int64_t told = 0;
    bool has_inputs = false;
  };
  /// What a node did when it had run for `self_ticks` of its own time: it made another one, or waited for it.
  struct action {
    enum class sort { made, waited } what;
    int who, whom;
    std::int64_t self_ticks; // of `who`
  };
  struct dependence {
    int node, input;
  };
  static bool is_task(int node) noexcept { return node >= 0; }
  static std::size_t other_of(int node) noexcept { return static_cast<std::size_t>(k_node_base - node); }

  explicit trace_analysis(const trace_session& session);

  std::vector<task> tasks;
  std::vector<slice> slices; // by their end
  std::vector<pause> pauses;
  std::vector<moment> moments;
  std::vector<other> others;
  std::vector<action> actions; // by time
  std::vector<dependence> dependences;
  std::uint64_t unknown_inputs = 0; // of nodes, or waited for: promises and the like

  std::vector<task_profile> profile() const;
  /// Own time without that of the `told` records that were written in it.
  std::int64_t undisturbed(std::int64_t self_ticks, std::int64_t told) const noexcept {
    const auto disturbed = static_cast<std::int64_t>(ticks_per_record * static_cast<double>(told));
    return std::max<std::int64_t>(self_ticks - disturbed, 0);
  }
  double ticks_per_record = 0;
};

/// Throws std::invalid_argument when there is no format for the file, or its folder cannot be written to.
void check_trace_file(const std::string& file);
/// Written while the program runs, by streamed_trace.
bool is_streamed_file(const std::string& file);

/// The formats of trace::save.
std::string chrome_trace(const trace_session& session, const trace_analysis& found);
std::string task_graph(const trace_analysis& found);
std::string task_tree(const trace_session& session, const trace_analysis& found);
std::string recorded_tasks(const trace_session& session, const trace_analysis& found);

} // namespace treadle::detail

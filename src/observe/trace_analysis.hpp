#pragma once

#include "observe/trace_session.hpp"

#include <treadle/observe/trace.hpp>

#include <string_view>

namespace treadle::detail {

/// What can be read out of the records of a trace: which task was executed where and when, and who created it.
struct trace_analysis {
  static constexpr int k_none = -1;

  struct task {
    std::string_view name;
    int creator = k_none;           // in `tasks`
    std::int64_t created_ticks = 0; // 0: before the trace, or its record was dropped
    int created_on = k_none;        // ring
    std::int64_t total_ticks = 0, self_ticks = 0;
    bool started = false;
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

  explicit trace_analysis(const trace_session& session);

  std::vector<task> tasks;
  std::vector<slice> slices; // by their end
  std::vector<pause> pauses;
  std::vector<moment> moments;

  std::vector<task_profile> profile() const;
};

/// Throws std::invalid_argument when there is no format for the file, or its folder cannot be written to.
void check_trace_file(const std::string& file);

/// The formats of trace::save.
std::string chrome_trace(const trace_session& session, const trace_analysis& found);
std::string task_graph(const trace_analysis& found);
std::string task_tree(const trace_session& session, const trace_analysis& found);
std::string profile_csv(const std::vector<task_profile>& rows);

} // namespace treadle::detail

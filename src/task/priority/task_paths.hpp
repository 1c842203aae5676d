#pragma once

#include "observe/emit.hpp"

#include <treadle/detail/future_state.hpp>
#include <treadle/detail/latent.hpp>

namespace treadle::detail {

// Where pools order their tasks by what depends on them (scheduling::critical_path), every task of the process is
// watched: what makes it, what it needs, how long it runs. decide::bottom_levels learns from that how long the path
// behind each of them is. docs/design/priorities.md

/// As long as one of these exists. A pool has one.
class path_learning {
 public:
  path_learning();
  ~path_learning();
  path_learning(const path_learning&) = delete;
  path_learning& operator=(const path_learning&) = delete;
};

extern atomic<bool> paths_are_learned;

/// What takes less is short, from the next pool on: in ns. For tests, where tasks may take any time.
extern atomic<std::int64_t> short_task_ns;

/// What the calling thread or stack does with the task.
void learn_path(event_kind kind, const job& task) noexcept;
/// The task, which the caller makes or starts next, needs that one.
void learn_input(const future_state& task, const future_state& input) noexcept;
/// The state is ready when all inputs are that learn_input() was given for it. `site`: as of a task, where nobody else
/// knows the state yet; otherwise null.
void learn_join(future_state& joined, const void* site) noexcept;
/// The caller waits for what it has made.
void learn_wait() noexcept;

/// Of a stack that goes, on which learning ended in the middle of a task.
void forget_paths(task_stack& of) noexcept;

/// The task is short, as those before it were, and so are those that it makes: it is not worth ordering. Of one that is
/// not known this goes by the task that runs.
bool is_short_task(const job& task) noexcept;
/// In ticks: the longest path from the beginning of the task on; of one that is not known that of the task that runs.
float path_of(const job& task) noexcept;

} // namespace treadle::detail

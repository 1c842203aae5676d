#pragma once

#include "base/rng.hpp"
#include "task/counters/profile_table.hpp"

#include <treadle/detail/job.hpp>
#include <treadle/detail/latent.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

/// What a worker has found out about tasks by name, and how often it looks: at one task of a number such that there are
/// some 64 us between two looks. By the worker. docs/design/profile.md
class task_samples {
 public:
  explicit task_samples(std::uint64_t seed) noexcept : m_random(seed) {}

  profile_table found;

  /// A task is looked at, now; draws when the next one on the stack will be.
  void look(task_stack& on, std::int64_t now) noexcept;
  /// The last tasks took so long on average: where looks have become much too rare, the next one on the stack is drawn
  /// anew.
  void expect(task_stack& on, std::int64_t task_ns) noexcept;

 private:
  void draw(task_stack& on) noexcept;

  xorshift m_random;
  std::int64_t m_last = 0; // look, in ticks
  std::uint32_t m_mean = 1;
};

/// A look at a task that a stack executes, from its start to its end.
class running_sample {
 public:
  /// The countdown of the stack has ended with this task.
  [[gnu::cold]] running_sample& begin(task_stack& on, const job& task) noexcept;
  /// `outer`: the task in which it was run in place, or null.
  [[gnu::cold]] void end(task_stack& on, const running_task* outer) noexcept;

 private:
  // All of it is there from begin() on:
  std::int64_t m_began; // in ticks
  std::int64_t m_suspended_before;
  profile_entry* m_entry;
  const worker* m_by; // whose entry it is
  std::uint64_t m_weight;
};

/// Waits that end on threads which are no workers, since the process was started.
struct waits_outside {
  profile_table found;
  spinlock lock;               ///< of who adds; who finds it held, perhaps for good in the child of a fork, lets it be
  static waits_outside& all(); ///< never destroyed; made with the first runtime
};

/// The task has waited so long; `field`: for what. Any thread.
void add_wait(const job& task, profile_field::number field, std::uint64_t ticks) noexcept;

} // namespace treadle::detail

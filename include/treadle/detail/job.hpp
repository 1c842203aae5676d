#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/task_name.hpp>

namespace treadle::detail {

/// Something a worker can execute: a task, or a suspended fiber to go on with. Lives where its owner put it; a queue
/// only holds the pointer.
class job {
 public:
  /// Called once, by a worker whose stack holds nothing but its scheduling loop.
  virtual void run() noexcept = 0;

  /// For a queue entry whose task ran elsewhere meanwhile: drops the entry's share in it and returns true.
  virtual bool discard_if_done() noexcept { return false; }

  /// True for a task of this group.
  virtual bool belongs_to(const void*) const noexcept { return false; }

  /// What it is, for messages. May be called while it runs.
  virtual task_name name() const noexcept { return name_from("a task"); }

  plain<job*> next_job = nullptr;    // used by whichever list the job is in
  plain<std::int64_t> queued_at = 0; // in ticks, of those whose time in the queue is measured

 protected:
  ~job() = default;
};

} // namespace treadle::detail

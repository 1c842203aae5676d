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

  /// True for a queue entry whose task was started elsewhere meanwhile; it stays so.
  virtual bool is_stale() const noexcept { return false; }
  /// Drops the share of such an entry in its task, and may run destructors of the program. False for any other.
  virtual bool discard_if_stale() noexcept { return false; }

  /// True for a task of this group.
  virtual bool belongs_to(const void*) const noexcept { return false; }

  /// Which task it is, or goes on with, among those whose paths are learned (task/priority/task_paths.hpp); 0: of none.
  virtual std::uint32_t path_number() const noexcept { return 0; }
  virtual bool has_path_number() const noexcept { return false; } ///< it keeps one
  /// By its creator, before anybody else knows it.
  virtual void set_path_number(std::uint32_t) noexcept {}

  /// Its function has been destroyed, or is about to be: what has its name is gone.
  virtual bool has_ended() const noexcept { return false; }
  /// What it is, for messages. May be called while it runs.
  virtual task_name name() const noexcept { return name_from("a task"); }

  plain<job*> next_job = nullptr;    // used by whichever list the job is in
  plain<std::int64_t> queued_at = 0; // in ticks, of those whose time in the queue is measured

 protected:
  ~job() = default;
};

} // namespace treadle::detail

#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/detail/notification.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

struct task_fiber;
class scheduler;
class stack_switch;
class worker;

/// One blocked task or foreign thread; lives on its stack for the time it is blocked. Made by the one that will block.
/// docs/design/fibers.md has the protocol.
class waiter final : public job {
 public:
  waiter() noexcept;

  /// Blocks the caller until notify(). `publish(argument)` runs as soon as the caller can be resumed from anywhere, on
  /// another stack of the same thread: it makes this waiter reachable for the one that will notify it. When it returns
  /// false there is nothing to wait for and the caller goes on. Throws std::system_error when a task cannot get a stack
  /// for its worker to go on with; publish was not called then.
  void block(bool (*publish)(void*), void* argument);

  /// The same for a waiter that others can reach already and may have notified, by a caller that has passed
  /// prepare_to_block(): it cannot fail.
  void block() noexcept;

  /// The latter with the lock held under which others reach this waiter; it is released. Spares the two an exchange of
  /// words where the lock can be kept until the stack was left.
  void block_releasing(spinlock& lock) noexcept;

  /// block() for a foreign thread only, until `deadline_ns` of the steady clock; false on time-out, and then the
  /// waiter can still be reached.
  bool block_thread_until(std::int64_t deadline_ns) noexcept;
  /// After a time-out: waits for a notify() that is certain to come.
  void await_notification() noexcept;

  /// Makes the blocked one runnable; once, from any thread. `*this` may be gone before it returns.
  void notify() noexcept;

  /// By `publish`: runnable again, behind what else there is to do. `*this` may be gone before it returns.
  void queue_behind() noexcept;

  /// A worker's scheduling loop found this in a queue: it goes on with the blocked fiber.
  void run() noexcept override;
  /// Of the task that is blocked.
  std::uint32_t path_number() const noexcept override;

  waiter* next = nullptr; // for the list the publisher keeps
  waiter* previous = nullptr;
  bool queued = false; // in that list

 private:
  friend class stack_switch;
  explicit waiter(worker* w) noexcept;
  /// By the worker, on the stack that it goes on with.
  void begin_to_wait(bool (*publish)(void*), void* argument) noexcept;
  void make_runnable() noexcept;

  scheduler* const m_scheduler; // null for a foreign thread
  task_fiber* const m_fiber;
  notification m_notification;
};

/// Gets what a task needs to block, so that blocking cannot fail until the caller, who must not suspend in between, has
/// blocked once. Throws std::system_error when there is no stack, std::bad_alloc. Nothing to do for a foreign thread.
void prepare_to_block();

/// With the lock of an object held, when the caller has to wait: true when blocking cannot fail. Otherwise the lock was
/// released meanwhile and what was missing is there: look again. Throws as prepare_to_block(), the lock released.
bool ready_to_block(spinlock& lock);

/// True when the caller runs on a worker, that is, when blocking suspends a fiber.
bool on_worker() noexcept;

} // namespace treadle::detail

#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/job.hpp>

namespace treadle::detail {

struct task_fiber;
class scheduler;

/// One blocked task or foreign thread; lives on its stack for the time it is blocked.
class waiter final : public job {
 public:
  /// Blocks the caller until notify(). `publish(argument)` runs as soon as the caller can be resumed from anywhere, on
  /// another stack of the same thread: it makes this waiter reachable for whoever will notify it, and releases locks
  /// that protect that. When it returns false there is nothing to wait for and the caller goes on. Throws
  /// std::system_error when a task cannot get a stack for its worker to go on with; publish was not called then.
  void block(bool (*publish)(void*), void* argument);

  /// The same, for a foreign thread only, until `deadline_ns` of the steady clock; false on time-out, and then the
  /// waiter is still published.
  bool block_thread_until(bool (*publish)(void*), void* argument, std::int64_t deadline_ns);
  /// After a time-out: waits for a notify() that is certain to come.
  void await_notification() noexcept;

  /// Makes the blocked one runnable; once, from any thread. `*this` may be gone before it returns.
  void notify() noexcept;

  /// A worker's scheduling loop found this in a queue: it goes on with the blocked fiber.
  void run() noexcept override;

  waiter* next = nullptr; // for the list the publisher keeps
  waiter* previous = nullptr;
  bool queued = false; // in that list

 private:
  task_fiber* m_fiber = nullptr; // null for a foreign thread
  scheduler* m_scheduler = nullptr;
  atomic<std::uint32_t> m_notified{0};
};

/// True when the caller runs on a worker, that is, when blocking suspends a fiber.
bool on_worker() noexcept;

} // namespace treadle::detail

#pragma once

#include <treadle/detail/config.hpp>

#include <cstdint>
#include <mutex>

namespace treadle::detail {

/// Something of the process that a child made by fork() finds in order, although only the thread that forked exists
/// there: nobody is in the middle of a change while the process forks, and what belonged to other threads is put away.
class fork_participant {
 public:
  /// Before the fork, by the thread that forks: keeps all other threads out. False, and nothing done, when one is in.
  virtual bool try_lock() noexcept = 0;
  virtual void unlock() noexcept = 0;
  /// In the child, while locked.
  virtual void begin_child() noexcept {}

 protected:
  /// It takes part from now on, and lives for ever.
  void join_forks() noexcept;
  ~fork_participant() = default;

 private:
  static void prepare() noexcept;
  static void end_in_parent() noexcept;
  static void end_in_child() noexcept;

  fork_participant* m_next = nullptr;
};

bool somebody_forks() noexcept;
void wait_for_fork() noexcept;

/// A mutex of a fork_participant, or of what one locks: leaves it to a thread that is about to fork.
class yielding_mutex {
 public:
  void lock() {
    if (TREADLE_UNLIKELY(somebody_forks())) wait_for_fork();
    m_mutex.lock();
  }
  bool try_lock() { return m_mutex.try_lock(); }
  void unlock() { m_mutex.unlock(); }

 private:
  std::mutex m_mutex;
};

/// The mutex of something that lives for ever; free in the child of a fork.
class fork_safe_mutex final : fork_participant {
 public:
  fork_safe_mutex() noexcept { join_forks(); }
  ~fork_safe_mutex() = default;
  fork_safe_mutex(const fork_safe_mutex&) = delete;
  fork_safe_mutex& operator=(const fork_safe_mutex&) = delete;

  void lock() { m_mutex.lock(); }
  bool try_lock() noexcept override { return m_mutex.try_lock(); }
  void unlock() noexcept override { m_mutex.unlock(); }

 private:
  yielding_mutex m_mutex;
};

/// How many forks lie between the first process and this one: what was made in another generation belongs to threads
/// that do not exist here.
std::uint32_t fork_generation() noexcept;

} // namespace treadle::detail

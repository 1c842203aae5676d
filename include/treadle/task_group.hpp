#pragma once

#include <treadle/detail/group_count.hpp>
#include <treadle/detail/job.hpp>
#include <treadle/detail/slab.hpp>
#include <treadle/detail/stop_signal.hpp>

#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace treadle {

class task_group;

namespace detail {

struct task_stack;
class waiter;

/// A task of a group, without its function.
class group_task : public job {
 public:
  explicit group_task(task_group& group) noexcept : m_group(group) {}
  virtual ~group_task() = default;
  virtual void call() = 0;

  void run() noexcept final;
  /// By the owner of the group, while it waits.
  void run_while_waiting() noexcept;
  bool belongs_to(const void* owner) const noexcept final { return &m_group == owner; }
  std::uint32_t path_number() const noexcept final { return m_path_number; }
  bool has_path_number() const noexcept final { return true; }
  void set_path_number(std::uint32_t number) noexcept final { m_path_number = number; }

 private:
  task_group& m_group;
  std::uint32_t m_path_number = 0;
};

template <class F>
class group_task_of final : public group_task {
 public:
  template <class G>
  group_task_of(task_group& group, G&& function) : group_task(group), m_function(std::forward<G>(function)) {}
  void call() override { std::move(m_function)(); }
  task_name name() const noexcept override { return name_of(m_function); }

  static void* operator new(std::size_t bytes) { return slab_allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { slab_free(memory, bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete(memory, alignment);
  }

 private:
  F m_function;
};

/// A stop token of any type, by value, behind one call.
class any_stop_token {
 public:
  any_stop_token() noexcept = default;
  template <class Token>
  explicit any_stop_token(Token token)
      : m_requested([](const void* t) noexcept -> bool { return static_cast<const Token*>(t)->stop_requested(); }),
        m_destroy([](void* t) noexcept { static_cast<Token*>(t)->~Token(); }) {
    static_assert(sizeof(Token) <= sizeof(m_token) && alignof(Token) <= alignof(void*));
    ::new (static_cast<void*>(m_token)) Token(std::move(token));
  }
  any_stop_token(const any_stop_token&) = delete;
  any_stop_token& operator=(const any_stop_token&) = delete;
  ~any_stop_token() {
    if (m_destroy) m_destroy(m_token);
  }

  bool stop_requested() const noexcept { return m_requested && m_requested(m_token); }

 private:
  bool (*m_requested)(const void*) noexcept = nullptr;
  void (*m_destroy)(void*) noexcept = nullptr;
  alignas(void*) unsigned char m_token[2 * sizeof(void*)];
};

} // namespace detail

/// Any number of tasks that are waited for together.
///
///     treadle::task_group group;
///     for (auto& part : parts) group.run([&] { process(part); });
///     group.wait();
///
/// run() may be called by the one that owns the group, and by the group's own tasks; wait() by the owner. When one task
/// throws, those that have not started are dropped, and wait() rethrows what the first one threw. For two or a few
/// functions parallel_invoke() is cheaper, for iterations for_loop().
class task_group {
 public:
  task_group() noexcept;
  /// The tasks are cancelled, too, when a stop is requested by this std::stop_token (or anything with
  /// stop_requested()).
  template <class StopToken>
    requires requires(const StopToken& token) { static_cast<bool>(token.stop_requested()); }
  explicit task_group(StopToken token) : m_token(std::move(token)) {
    own();
  }
  /// Drops the tasks that have not started and waits for the others.
  ~task_group();
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  /// Starts a task; what f returns is ignored. It is left with the calling worker, as by async(). From a foreign
  /// thread it goes to the current runtime. Never blocks, with the exception async() names; tens of nanoseconds. Throws
  /// std::bad_alloc, and what copying f throws; there is no task then.
  template <class F>
  void run(F&& f) {
    start(*new detail::group_task_of<std::decay_t<F>>(*this, std::forward<F>(f)));
  }

  /// Blocks until all tasks have finished, also those started meanwhile, and runs them here as long as nobody else has
  /// taken them. Rethrows the first exception. The group may then be used again, as new.
  void wait() { wait_or_stop(nullptr); }
  /// The same until a stop is requested (treadle/stop.hpp). False when that was first, and nothing has changed: the
  /// tasks go on, and are to be waited for. One that is run here is not stopped.
  template <detail::stop_token_like Token>
  bool wait(const Token& token) {
    detail::token_signal<Token> stop(token);
    return wait_or_stop(&stop);
  }

  /// Drops the tasks that have not started; those that run may ask for stop_requested(). Any thread. Until the end of
  /// the next wait().
  void cancel() noexcept { m_cancelled.store(1, detail::order::relaxed); }
  /// True after cancel(), an exception, or the request of the stop token.
  bool stop_requested() const noexcept {
    return m_cancelled.load(detail::order::relaxed) != 0 || m_token.stop_requested();
  }

 private:
  friend class detail::group_task;

  void own() noexcept;
  void start(detail::group_task& task);
  bool is_made_here() const noexcept;
  void execute(detail::group_task& task) noexcept;
  void run_own_tasks(detail::stop_signal* stop);
  bool wait_finished(detail::stop_signal* stop);
  bool wait_or_stop(detail::stop_signal* stop);

  // The stack that counts its tasks without atomic operations: where the group was made, until that is left. Relaxed:
  // whichever value another stack reads, it is not its own.
  detail::atomic<detail::task_stack*> m_owner{nullptr};
  detail::group_count m_count;
  detail::atomic<std::uint32_t> m_cancelled{0};
  detail::atomic<std::uint32_t> m_failed{0};
  detail::waiter* m_waiter = nullptr; // while the owner waits
  std::exception_ptr m_exception;     // written by the one that sets m_failed, read when all have finished
  detail::any_stop_token m_token;
};

} // namespace treadle

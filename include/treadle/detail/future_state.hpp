#pragma once

#include <treadle/detail/claim.hpp>
#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/dependences.hpp>
#include <treadle/detail/intrusive_ptr.hpp>
#include <treadle/detail/job.hpp>
#include <treadle/detail/reference_count.hpp>
#include <treadle/detail/slab.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/launch.hpp>

#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace treadle::detail {

struct placement;
struct task_stack;

/// The shared state of a future, without its value: reference count, readiness, waiting continuations, exception, and
/// for tasks the right to run them. All waiting, queueing and waking is compiled once, in src/task; docs/design/task.md
/// describes the protocol.
class future_state : public job {
 public:
  /// A state that somebody completes by hand (promise), with one reference held by the creator.
  future_state() noexcept = default;
  future_state(const future_state&) = delete;
  future_state& operator=(const future_state&) = delete;

  void add_ref(std::uint32_t n = 1) noexcept { m_refs.add(n); }
  /// The same while nobody but the caller knows the state.
  void add_ref_unshared() noexcept { m_refs.add_unshared(); }
  void release() noexcept {
    if (m_refs.drop()) delete this;
  }

  /// True when the caller is the only owner.
  bool is_unshared() const noexcept { return m_refs.is_one(); }

  bool is_ready() const noexcept { return m_waiting.is_ready(); }
  /// Only after is_ready().
  const std::exception_ptr& exception() const noexcept { return m_exception; }
  void rethrow_exception() const {
    if (TREADLE_UNLIKELY(m_exception != nullptr)) std::rethrow_exception(m_exception);
  }

  /// Blocks until ready. A task that nobody has started yet is run here, as a call; else a task suspends its fiber and
  /// a foreign thread sleeps. Throws std::system_error when no stack can be had to suspend, or when it could never
  /// become ready: the caller runs inside the very task.
  void wait() {
    if (!is_ready() || TREADLE_UNLIKELY(records_dependences())) wait_slow(sharing::shared);
  }
  /// The same for the caller's future that nobody else uses meanwhile. Unless others have futures of this state, too,
  /// a task that is run here needs no locked instruction to be claimed and completed.
  void wait_unshared() {
    if (!is_ready() || TREADLE_UNLIKELY(records_dependences())) wait_slow(sharing::unshared);
  }
  /// The same until `deadline_ns` of the steady clock, or the request of `stop`, which may be null; true when ready.
  /// Does not run deferred tasks (as the standard).
  bool wait_until(std::int64_t deadline_ns, stop_signal* stop);
  /// As wait(), until a stop is requested; true when ready.
  bool wait_or_stop(stop_signal& stop);

  /// Fires `c` when ready, at once when it is. A deferred task is started: somebody wants its result.
  void attach(continuation& c) noexcept {
    start_deferred();
    if (!try_attach(c)) c.fire();
  }
  void start_deferred() noexcept {
    if (TREADLE_UNLIKELY(is_deferred())) start_deferred_slow();
  }
  /// False, and nothing done, when ready already.
  bool try_attach(continuation& c) noexcept { return m_waiting.try_attach(c); }
  /// Takes an attached continuation back; false when it is not there (any more): it was or will be fired.
  bool withdraw(continuation& c) noexcept { return m_waiting.withdraw(c); }

  /// Publishes the value (already constructed) or the exception. At most once.
  void complete(sharing s = sharing::shared) noexcept {
    s == sharing::unshared ? m_waiting.complete_unshared() : m_waiting.complete();
  }
  /// The same without firing what waits: continuation_list::publish().
  [[nodiscard]] continuation* publish() noexcept { return m_waiting.publish(); }
  void complete_with(std::exception_ptr exception) noexcept {
    m_exception = std::move(exception);
    complete();
  }

  /// True for a task whose launch policy is deferred and which has not started.
  bool is_deferred() const noexcept { return m_claim.state() == claim_word::k_deferred; }

  /// For a task of a certain pool, before it becomes visible to others: a get() runs it in place only when it has found
  /// it in its own deque.
  void pin() noexcept { m_claim.offer(claim_word::k_pinned); }
  bool is_pinned() const noexcept { return m_claim.state() == claim_word::k_pinned; }
  bool is_claimed() const noexcept { return m_claim.state() == claim_word::k_claimed; }
  /// For an executor that drops the task: true when nobody else runs it, and the caller has to complete it.
  bool claim_to_break() noexcept { return m_claim.claim(); }

  // These take the claim, or have no need to, and execute_claimed() follows.
  /// Runs the task here unless somebody else does or did; true when this call ran it.
  bool try_run() noexcept;
  /// Runs the task here, which has not been offered to anybody.
  void run_unoffered(sharing s) noexcept;
  /// The same for a task that was never queued, because its inputs were there.
  void run_directly(sharing s) noexcept;
  /// Runs the task, whose queue entry the caller has taken, for a get() of the caller.
  void run_taken(sharing s) noexcept;

  /// The queue's side of the same; drops the queue's reference and counts the entry as finished.
  void run() noexcept final;
  bool is_stale() const noexcept final { return is_claimed(); }
  bool discard_if_stale() noexcept final;

  std::uint32_t path_number() const noexcept final {
    return m_path_number[0] | std::uint32_t{m_path_number[1]} << 8U | std::uint32_t{m_path_number[2]} << 16U;
  }
  bool has_path_number() const noexcept final { return true; }
  void set_path_number(std::uint32_t number) noexcept final {
    for (std::uint8_t& byte : m_path_number) byte = static_cast<std::uint8_t>(std::exchange(number, number >> 8U));
  }

  static void* operator new(std::size_t bytes) { return slab_allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept { slab_free(memory, bytes); }
  // For values and callables with larger alignment than the slab promises (vector registers, cache lines).
  static void* operator new(std::size_t bytes, std::align_val_t alignment) { return ::operator new(bytes, alignment); }
  static void operator delete(void* memory, std::size_t, std::align_val_t alignment) noexcept {
    ::operator delete(memory, alignment);
  }

 protected:
  virtual ~future_state() = default;

  /// Computes and completes. Called at most once, by the one that won the claim.
  virtual void execute(sharing) noexcept {}

  /// Offers and queues a task, where the caller's work belongs or there; one that cannot be queued has the reason as
  /// its result.
  void schedule_or_fail() noexcept;
  void schedule_or_fail(const placement& where) noexcept;

  // What is counted of a task whose inputs may be missing: from its creation, at each look at it, to the last one.
  // Where the task has a pool, there, and by its priority.
  void begin_staging(const placement* where) noexcept;
  static void miss_input() noexcept; // where the caller runs: the task may be gone already
  void end_staging(const placement* where) noexcept;

  /// For tasks, before they become visible to others.
  void make_claimable(bool deferred) noexcept {
    m_claim.offer(deferred ? claim_word::k_deferred : claim_word::k_available);
  }

  std::exception_ptr m_exception;

 private:
  void wait_slow(sharing s);
  void wait_and_tell(sharing s); // those who record
  void run_taken_here(sharing s, task_stack& here) noexcept;
  void execute_claimed(sharing s, task_stack* here) noexcept;
  TREADLE_NOINLINE void execute_and_tell(sharing s) noexcept;
  bool becomes_ready_here(sharing s);
  bool block_within(std::int64_t deadline_ns, stop_signal* stop);
  void end_entry() noexcept; // of a queue
  void refuse_own_task() const;
  void start_deferred_slow() noexcept;
  template <class Queue>
  void queue_or_fail(Queue queue) noexcept;

  reference_count m_refs;
  claim_word m_claim;
  std::uint8_t m_path_number[3]{}; // beside the claim there is room for it
  continuation_list m_waiting;
};

/// Queues a task (adopting one reference) where the calling thread's work belongs: the worker's own deque, or the
/// current runtime's injection queue for foreign threads. Starts the default runtime when there is none; when that
/// throws, the caller keeps the reference.
void schedule(job& task);
/// The same for a task that nobody else knows yet and that somebody may wait for elsewhere: it stays in the pool where
/// it was created.
void schedule(future_state& task);

/// Runs `task` now on a fresh stack and exposes the calling task to other workers (launch::fork). Adopts a reference.
void schedule_fork(future_state& task);

/// True when the calling stack has room for another nested task; otherwise callers queue instead of calling.
bool stack_has_room() noexcept;

struct void_value {};
template <class T>
using stored = std::conditional_t<std::is_void_v<T>, void_value,
                                  std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

/// State with room for the value; T may be void or a reference.
template <class T>
class value_state : public future_state {
 public:
  value_state() noexcept {}

  template <class... Args>
  void construct(Args&&... args) {
    ::new (static_cast<void*>(&m_value)) stored<T>(std::forward<Args>(args)...);
    m_has_value = true;
  }
  template <class... Args>
  void set_value(Args&&... args) {
    construct(std::forward<Args>(args)...);
    complete();
  }
  /// Calls and stores the result, or the exception. Does not complete.
  template <class F>
  void construct_from(F&& function) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        std::forward<F>(function)();
        construct();
      } else if constexpr (std::is_reference_v<T>) {
        construct(&std::forward<F>(function)());
      } else {
        ::new (static_cast<void*>(&m_value)) T(std::forward<F>(function)());
        m_has_value = true;
      }
    } catch (...) {
      this->m_exception = std::current_exception();
    }
  }

  stored<T>& value() noexcept { return m_value; }

 protected:
  ~value_state() override {
    if (m_has_value) m_value.~stored<T>();
  }

 private:
  union {
    stored<T> m_value;
  };
  bool m_has_value = false;
};

/// A state that no task completes: of a promise, or of a value that is there.
template <class T>
intrusive_ptr<value_state<T>> make_open_state() {
  auto state = intrusive_ptr<value_state<T>>::adopt(new value_state<T>);
  if (TREADLE_UNLIKELY(records_dependences())) note_no_task(*state);
  return state;
}

/// A callable whose result is the value.
template <class T, class F>
class task_state final : public value_state<T> {
 public:
  template <class G>
  task_state(G&& function, bool deferred) {
    ::new (static_cast<void*>(&m_function)) F(std::forward<G>(function));
    this->make_claimable(deferred);
  }

  bool has_ended() const noexcept override { return m_done; }
  task_name name() const noexcept override { return m_done ? type_name<F>() : name_of(m_function); }

 private:
  ~task_state() override {
    if (!m_done) m_function.~F();
  }
  void execute(sharing s) noexcept override {
    this->construct_from(std::move(m_function));
    m_done = true;
    m_function.~F(); // what the callable holds is released before anybody sees the result
    this->complete(s);
  }

  union {
    F m_function;
  };
  bool m_done = false;
};

} // namespace treadle::detail

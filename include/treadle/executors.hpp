#pragma once

#include <treadle/annotated.hpp>
#include <treadle/async.hpp>
#include <treadle/dataflow.hpp>
#include <treadle/detail/reference_count.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/priority.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace treadle {

namespace detail {

class limiter;

/// Queues a job there, adopting one reference, and tells nobody that there is a new task.
void queue_at(job& item, const placement& where);
/// The same for a new task, as schedule().
void schedule_at(job& task, const placement& where);
/// The same for a task that nobody else knows yet, which stays in its pool.
void schedule_at(future_state& task, const placement& where);
/// The pool of the current runtime with this name. Throws std::invalid_argument that lists those there are.
scheduler* find_pool(const char* name);
bool is_at(const placement& where) noexcept;
const char* name_of_pool(const placement& where) noexcept;

} // namespace detail

/// A worker of a pool, by its number there, for pools whose policy queues tasks with workers (treadle/pools.hpp);
/// others do not take the hint.
struct worker_hint {
  unsigned worker;
};

/// The time from the start of a task to the end of what depends on it, for pools that go by it (treadle/pools.hpp) and
/// otherwise learn it. Any unit will do, as long as all tasks of a pool that are ready together have one.
struct bottom_level {
  double ns;
};

namespace detail {

/// What parallel_executor and pool_executor have in common: where their tasks are queued. Executor: the one of the two.
template <class Executor>
class placing {
 public:
  constexpr Executor with(priority level) const noexcept {
    return changed([=](placement& where) { where.level = level; });
  }
  constexpr Executor with(bottom_level path) const noexcept {
    return changed([=](placement& where) { where.path_ns = static_cast<float>(path.ns); });
  }
  constexpr priority level() const noexcept { return m_where.level; }
  /// True when the caller runs where a task of the executor would, so that it need not become one.
  bool is_here() const noexcept { return is_at(m_where); }
  constexpr const placement& where() const noexcept { return m_where; }

 protected:
  constexpr explicit placing(const placement& where) noexcept : m_where(where) {}
  template <class Change>
  constexpr Executor changed(Change change) const noexcept {
    Executor copy = static_cast<const Executor&>(*this);
    change(static_cast<placing&>(copy).m_where);
    return copy;
  }

  placement m_where;
};

} // namespace detail

/// Runs tasks on the workers of the runtime (that of the calling task, else the current one), in the order of their
/// priorities. A value; cheap to copy.
class parallel_executor : public detail::placing<parallel_executor> {
 public:
  constexpr parallel_executor() noexcept : placing({}) {}
  constexpr explicit parallel_executor(priority level) noexcept : placing({nullptr, level}) {}
};

/// Runs what it is given at once, on the caller.
class sequenced_executor {
 public:
  static constexpr bool keeps_order = true;
  bool is_here() const noexcept { return true; }
};

/// Runs tasks on the workers of one pool of the current runtime (runtime_options::pools): a get() in another pool
/// waits, where it would run another task in place; not for what "default", unless it is exclusive, sends to itself.
/// Tasks that these tasks create stay in the pool. Unless it is exclusive, a pool with more to do than workers uses
/// spare ones, as many as other pools have idle: then more of its tasks may run at the same time than it has workers of
/// its own, and on hardware threads of those pools. Must not be used any more when its runtime ends.
class pool_executor : public detail::placing<pool_executor> {
 public:
  /// Throws std::invalid_argument, naming the pools there are, when there is none with this name; "default" is the one
  /// that all runtimes have.
  explicit pool_executor(const char* name, priority level = priority::normal)
      : placing({detail::find_pool(name), level}) {}

  using placing::with;
  pool_executor with(worker_hint hint) const noexcept {
    return changed([=](detail::placement& where) { where.worker = static_cast<int>(hint.worker); });
  }
  /// Its name; as long as the runtime.
  const char* name() const noexcept { return detail::name_of_pool(m_where); }
};

template <>
inline constexpr bool is_executor<parallel_executor> = true;
template <>
inline constexpr bool is_executor<sequenced_executor> = true;
template <>
inline constexpr bool is_executor<pool_executor> = true;

/// A task that an executor of the program's own is given to run:
///
///     struct on_my_thread {
///       void execute(treadle::executable task) const { my_queue.push(std::move(task)); } // whose thread calls task()
///     };
///     treadle::async(on_my_thread(), f).get();
///
/// Such an executor may be used wherever one of this header is. execute() must not throw once it has taken the task. It
/// may also have execute_all(std::span<treadle::executable>), which is given all tasks of a loop at once; what it does
/// not take of them ends the loop with a broken promise; nor must it throw once it has taken one.
class executable {
 public:
  explicit executable(detail::intrusive_ptr<detail::future_state> state) noexcept : m_task(std::move(state)) {}
  executable(executable&&) noexcept = default;
  executable& operator=(executable&& other) noexcept {
    std::swap(m_task, other.m_task);
    return *this;
  }
  /// What was never called has a broken promise as its result.
  ~executable();

  /// Once, on any thread.
  void operator()() noexcept;

 private:
  friend class detail::limiter;
  detail::intrusive_ptr<detail::future_state> m_task;
};

namespace detail {

/// Counts a task that nobody knows yet, and is not queued by the runtime.
executable make_executable(future_state& task) noexcept;

/// Lets this many tasks run at a time; the others wait in a queue of its own, in their order.
class limiter {
 public:
  explicit limiter(unsigned most);
  limiter(const limiter&) = delete;
  limiter& operator=(const limiter&) = delete;
  void add_ref() noexcept { m_refs.add(1); }
  void release() noexcept {
    if (m_refs.drop()) delete this;
  }
  void add(executable one) noexcept;

 protected:
  virtual ~limiter() = default;
  virtual void start(executable one) = 0;

  /// What runs a task, and lets the next one begin, also when it is dropped instead.
  struct turn {
    turn(limiter* of, executable t) noexcept : self(intrusive_ptr<limiter>::share(of)), task(std::move(t)) {}
    turn(turn&&) noexcept = default;
    ~turn() { end(); }
    void operator()() noexcept {
      task();
      end();
    }
    void end() noexcept {
      if (const auto ending = std::exchange(self, nullptr)) ending->go_on();
    }
    intrusive_ptr<limiter> self;
    executable task;
  };

 private:
  void go_on() noexcept;
  void start_or_break(executable one) noexcept;

  reference_count m_refs;
  spinlock m_lock; // of what follows
  unsigned m_left;
  job *m_first = nullptr, *m_last = nullptr;
};

} // namespace detail

/// An executor that lets at most `most` of its tasks run at the same time, on another one, whose properties they have.
/// Nobody is blocked meanwhile; tasks wait in the order in which they came. A value: copies share the limit.
template <any_executor Executor>
class limiting_executor {
 public:
  /// Throws std::invalid_argument when no task could ever run.
  limiting_executor(Executor inner, unsigned most)
      : m_state(detail::intrusive_ptr<state>::adopt(new state(std::move(inner), most))) {}
  void execute(executable one) const noexcept { m_state->add(std::move(one)); }

 private:
  struct state final : detail::limiter {
    state(Executor e, unsigned most) : limiter(most), inner(std::move(e)) {}
    void start(executable one) override { static_cast<void>(async(inner, turn(this, std::move(one)))); }
    const Executor inner;
  };
  detail::intrusive_ptr<state> m_state;
};

/// Another executor, whose tasks all have a name in messages, traces and counters. The name is not copied.
template <any_executor Executor>
struct named_executor {
  Executor inner;
  const char* name;

  /// With a property that the other executor has.
  template <class Property>
    requires requires(const Executor& e, Property p) { e.with(p); }
  auto with(Property property) const noexcept(noexcept(inner.with(property))) {
    return named_executor<decltype(inner.with(property))>{inner.with(property), name};
  }
};
template <any_executor Executor>
named_executor<Executor> named(Executor inner, const char* name) noexcept {
  return {std::move(inner), name};
}
template <any_executor Executor>
inline constexpr bool is_executor<named_executor<Executor>> = true;
namespace detail {
template <class Executor>
inline constexpr bool is_named_executor = false;
template <any_executor Executor>
inline constexpr bool is_named_executor<named_executor<Executor>> = true;

/// Calls give(task), which sees to it that the task runs, and returns its result.
template <class Call, class Give>
auto give_task(Call call, Give give) {
  using T = decltype(std::declval<Call>()());
  auto* made = new task_state<T, Call>(std::move(call), false);
  auto result = intrusive_ptr<value_state<T>>::adopt(made);
  give(*made);
  return access::make<future<T>>(std::move(result));
}

template <class Executor, class Call>
auto start_on(const Executor& executor, Call call) {
  if constexpr (std::is_same_v<Executor, sequenced_executor>) {
    return start_task(launch::sync, std::move(call));
  } else if constexpr (own_executor<Executor>) {
    return give_task(std::move(call), [&](future_state& made) { executor.execute(make_executable(made)); });
  } else {
    return give_task(std::move(call), [&](auto& made) {
      queue_new(made, [&](future_state& queued) { schedule_at(queued, executor.where()); });
    });
  }
}
template <class Executor, class Call>
auto start_on(const named_executor<Executor>& executor, Call call) {
  return start_on(executor.inner, annotated(std::move(call), executor.name));
}

template <class Executor>
concept takes_all_at_once = requires(const Executor& e, std::span<executable> tasks) { e.execute_all(tasks); };

/// Starts `n` tasks, of call_of(0) and so on, whose results are added to `all`, where there is room for them.
template <class Executor, class CallOf>
void start_all_on(const Executor& executor, std::uint64_t n, CallOf call_of, std::vector<future<void>>& all) {
  if constexpr (takes_all_at_once<Executor>) {
    std::vector<executable> tasks;
    tasks.reserve(static_cast<std::size_t>(n));
    for (std::uint64_t k = 0; k < n; ++k)
      all.push_back(give_task(call_of(k), [&](future_state& made) { tasks.push_back(make_executable(made)); }));
    executor.execute_all(tasks);
  } else {
    for (std::uint64_t k = 0; k < n; ++k) all.push_back(start_on(executor, call_of(k)));
  }
}
template <class Executor, class CallOf>
void start_all_on(const named_executor<Executor>& executor, std::uint64_t n, CallOf call_of,
                  std::vector<future<void>>& all) {
  start_all_on(executor.inner, n, [&](std::uint64_t k) { return annotated(call_of(k), executor.name); }, all);
}

} // namespace detail

/// Calls f(args...) as a task of the executor; see async(f, args...).
template <any_executor Executor, detail::task_function F, class... Args>
[[nodiscard]] auto async(const Executor& executor, F&& f, Args&&... args) {
  return detail::start_on(executor, detail::bind_arguments(std::forward<F>(f), std::forward<Args>(args)...));
}

/// Calls f(args...) as a task of the executor when all futures among `args` are ready; see dataflow(f, args...).
template <any_executor Executor, detail::task_function F, class... Args>
[[nodiscard]] auto dataflow(const Executor& executor, F&& f, Args&&... args) {
  if constexpr (detail::placing_executor<Executor>) {
    return detail::attach_dataflow(executor, std::forward<F>(f), std::forward<Args>(args)...);
  } else if constexpr (detail::is_named_executor<Executor>) {
    return dataflow(executor.inner, annotated(std::forward<F>(f), executor.name), std::forward<Args>(args)...);
  } else {
    return dataflow(
        launch::sync,
        [executor, f = std::decay_t<F>(std::forward<F>(f))](auto&&... ready) mutable {
          auto result = async(executor, std::move(f), std::forward<decltype(ready)>(ready)...);
          using value_type = typename decltype(result)::value_type;
          return future<detail::unwrapped_future_t<value_type>>(std::move(result));
        },
        std::forward<Args>(args)...);
  }
}

template <class T>
template <any_executor Executor, class F>
auto future<T>::then(const Executor& executor, F&& f) {
  return dataflow(executor, std::forward<F>(f), std::move(*this));
}

template <class T>
template <any_executor Executor, class F>
auto shared_future<T>::then(const Executor& executor, F&& f) const {
  return dataflow(executor, std::forward<F>(f), *this);
}

} // namespace treadle

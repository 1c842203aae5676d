#pragma once

#include "model/check/memory.hpp"
#include "model/check/mutant.hpp"
#include "model/check/strategy.hpp"

#include "fiber/fiber.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace treadle::check {

/// Fibers that earlier executions have left, and the thread that all of them run on.
class fiber_pool {
 public:
  detail::fiber& take();
  void give(detail::fiber& f) { m_idle.push_back(&f); }
  void drop(detail::fiber& f) { std::erase(m_idle, &f); } ///< it stopped in the middle of something

  detail::fiber host; // where explore() runs

 private:
  std::vector<std::unique_ptr<detail::fiber>> m_all; // those of failed executions are dropped as they are
  std::vector<detail::fiber*> m_idle;
};

/// One step of an execution, for the report of a failure.
struct event {
  static constexpr std::uint32_t k_none = ~std::uint32_t{0};
  unsigned thread;
  const char* what;
  std::source_location where;
  std::optional<order> with = {};
  std::uint32_t location = k_none;
  std::uint32_t read = k_none, written = k_none; // index of the store
};

/// One run of a program under the decisions of a strategy. The program's threads are fibers; before each operation on
/// shared memory the strategy decides who goes on.
class execution {
 public:
  execution(strategy& decisions, fiber_pool& fibers) : m_strategy(decisions), m_fibers(fibers) {}

  /// Runs `program` as thread 0 until all threads have ended or something is wrong. Null: nothing is.
  const std::string* run(const std::function<void()>& program);

  /// The execution that the caller is part of; null outside.
  static execution* current() noexcept { return s_current; }
  unsigned id() const noexcept { return m_id; }
  unsigned thread() const noexcept { return m_running; }

  // For code that runs in the execution.
  unsigned start(std::function<void()> body);
  void join(unsigned thread, const std::source_location& where);
  void step(); ///< before each operation
  void access(std::uint32_t location, const std::source_location& where);
  std::uint32_t pick_store(std::uint32_t oldest, std::uint32_t newest);
  void yield(const std::source_location& where);
  /// Blocks until woken or the time of now_ns has come. Words are known by address, for one that is woken may be gone.
  void wait(const void* word, std::uint32_t location, std::int64_t deadline_ns, const std::source_location& where);
  void wake(const void* word, int count, const std::source_location& where);
  [[noreturn]] void fail(std::string reason, const std::source_location& where = {});
  void note(const event& e);

  static constexpr std::int64_t k_never = INT64_MAX;
  memory state;
  std::int64_t now_ns = 0;

  /// Every step so far, readable; and the decisions, for replay().
  std::string history() const;
  std::string choices() const;

 private:
  enum class status { runnable, yielded, waiting, joining, ended };
  struct model_thread {
    detail::fiber* stack = nullptr;
    std::function<void()> body;
    status doing = status::runnable;
    std::uint32_t waits_for = 0; // location or thread
    const void* word = nullptr;  // that it sleeps on
    std::int64_t deadline_ns = k_never;
    std::uint32_t last_location = event::k_none; // of its last operation; what it waits for when it yields
  };

  friend class fiber_pool;
  static void thread_main(detail::fiber& self, detail::fiber& previous);
  void pick_next();
  void count_step();
  void switch_to(unsigned thread);
  void leave();
  std::string blocked_threads() const;
  unsigned pick_thread(bool stays);

  static execution* s_current;
  static constexpr unsigned k_steps_max = 5000;

  strategy& m_strategy;
  fiber_pool& m_fibers;
  const unsigned m_id = ++s_count;
  static unsigned s_count;
  unsigned m_running = 0;
  unsigned m_steps = 0;
  std::vector<model_thread> m_threads;
  std::vector<unsigned> m_candidates;
  std::vector<event> m_events;
  std::vector<unsigned> m_choices;
  std::optional<std::string> m_failure;
};

} // namespace treadle::check

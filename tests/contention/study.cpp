// What the scheduler's shared words cost with more cores than we have: the product's queues, how its workers search and
// sleep, and its locks, on simulated cores. Prints tables; nothing beyond the cores of a real machine was ever
// measured.
#include "base/rng.hpp"
#include "contention/simulated_cores.hpp"
#include "task/idle/timer_queue.hpp"
#include "task/idle/work_search.hpp"
#include "task/idle/work_signals.hpp"
#include "task/pools/loans.hpp"
#include "task/queue/deque.hpp"
#include "task/queue/injection_queue.hpp"
#include "task/timing.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::contention {
namespace {

using detail::job;
using detail::order;

/// A pool with timers, the deques of its workers, a queue of its own, and random victims.
class runtime : public detail::work_signals<runtime> {
 public:
  static constexpr double k_task_ns = 25; // what a worker does for each task besides shared words

  class alignas(detail::k_cache_line) worker : public detail::work_search<worker> {
   public:
    worker(runtime& r, unsigned i) : m_random(i + 1), m_runtime(r), m_index(i) {}

    runtime& owner() const noexcept { return m_runtime; }
    unsigned index() const noexcept { return m_index; }
    bool has_queued() const noexcept { return !tasks.empty(); }
    /// Until all is done.
    void run() {
      come_on_duty();
      while (job* j = next_job()) {
        m_runtime.m_on.spend(k_task_ns);
        j->run();
      }
    }

    detail::deque tasks;

   private:
    friend class detail::work_search<worker>;
    job* next_nearby() {
      run_timers();
      job* const own = tasks.pop();
      return own ? own : m_runtime.injected.pop();
    }
    job* pop_own() { return tasks.pop(); }
    job* look(std::int64_t ns) {
      return look_for(ns, [this] {
        job* const of_nobody = m_runtime.injected.pop();
        return of_nobody ? of_nobody : steal();
      });
    }
    bool ask_busy() noexcept { return false; }    // there is no latent work
    detail::search_times times() const noexcept { // as in task/engine
      return {.first = 50'000,
              .after_wake = 50'000,
              .short_look = detail::timing::k_short_search,
              .nap = 50'000,
              .nap_max = detail::timing::k_nap_max,
              .napping = 300'000,
              .napping_after_wake = detail::timing::k_naps_after_wake,
              .watch = detail::timing::k_watch};
    }
    void run_timers() { m_runtime.timers.run_due(); }
    bool is_quiet() const noexcept { return tasks.empty(); }
    void begin_searching() noexcept {}
    void end_searching() noexcept {}
    bool sleep(std::int64_t ns, bool) { return sleep_for(ns); }
    void wait_for_slot() noexcept { m_runtime.on_duty.wait(m_index); }
    job* steal() {
      const auto n = static_cast<unsigned>(m_runtime.workers.size());
      const unsigned start = m_random.below(n);
      for (unsigned i = 0; i < n; ++i) {
        worker& victim = *m_runtime.workers[(start + i) % n];
        if (&victim == this) continue;
        if (job* j = victim.tasks.steal()) {
          ++m_runtime.steals;
          return j;
        }
      }
      return nullptr;
    }

    detail::xorshift m_random;
    runtime& m_runtime;
    const unsigned m_index;
  };

  runtime(simulated_cores& on, unsigned n) : work_signals(n), m_on(on) {
    on_duty.set_wanted(n);
    for (unsigned i = 0; i < n; ++i) {
      workers.push_back(std::make_unique<worker>(*this, i));
      static_cast<void>(on_duty.take());
    }
    m_on.name(&idle.count(), 8, "count of searching workers");
    m_on.name(&injected, sizeof injected, "injection queue");
    m_on.name(&timers, detail::k_cache_line, "timers");
    m_on.name(reinterpret_cast<const char*>(&timers) + detail::k_cache_line, 8, "the next deadline");
    for (const auto& w : workers) {
      m_on.name(&w->tasks, sizeof w->tasks, "deques");
      m_on.name(&w->looks_for_work, 1, "who is busy");
    }
  }

  worker& self() const { return *workers[static_cast<unsigned>(m_on.core())]; }
  void push(job& j) {
    self().tasks.push(&j);
    notify_work(self().tasks.size() > 1);
  }
  void inject(job& j) { push_injected(j); }
  void arm(detail::timer& t, std::int64_t deadline_ns) {
    if (timers.arm(t, deadline_ns)) notify_injected();
  }
  void finish_one() {
    if (--left != 0) return;
    exiting.store(true, order::relaxed);
    idle.wake_all();
  }

  // For work_signals.
  bool needs_watch() const noexcept { return workers.size() > 1; }
  bool is_visible_to(unsigned) const noexcept { return work_is_visible(); }
  std::int64_t next_deadline_ns() const noexcept { return timers.next_deadline_ns(); }
  static bool quiescent() noexcept { return false; } // nobody waits for that
  void add_workers() noexcept {}
  detail::loans<runtime>& between_pools() const noexcept { return m_loans; }
  unsigned capacity() const noexcept { return static_cast<unsigned>(workers.size()); }
  static constexpr bool lends = false;
  detail::atomic<unsigned> share{0};

  struct alignas(detail::k_cache_line) : detail::injection_queue { // all jobs have the same priority
    void push(job* j, priority) { detail::injection_queue::push(j); }
  } injected;
  alignas(detail::k_cache_line) detail::timer_queue timers;
  std::vector<std::unique_ptr<worker>> workers;
  std::int64_t left = 0; // of the program's leaves; costs nothing
  std::uint64_t steals = 0;

 private:
  simulated_cores& m_on;
  mutable detail::loans<runtime> m_loans;
};

/// A binary tree: gives away one half again and again, and computes the last leaf itself.
struct branch final : job {
  branch(runtime& r, simulated_cores& c, int d, double ns) : in(r), on(c), depth(d), leaf_ns(ns) {}
  void run() noexcept override {
    for (int d = depth; d > 0; --d) in.push(*new branch(in, on, d - 1, leaf_ns));
    on.spend(leaf_ns);
    in.finish_one();
    delete this;
  }
  runtime& in;
  simulated_cores& on;
  const int depth;
  const double leaf_ns;
};

struct leaf final : job {
  leaf(runtime& r, simulated_cores& c, double ns) : in(r), on(c), leaf_ns(ns) {}
  void run() noexcept override {
    on.spend(leaf_ns);
    in.finish_one();
    delete this;
  }
  runtime& in;
  simulated_cores& on;
  const double leaf_ns;
};

/// A task that computes and sleeps in turn: as this_task::sleep_for, and who expires its timer has it in its own deque.
struct sleeper final : job, detail::timer {
  static constexpr int k_rounds = 4;
  static constexpr double k_tree_ns = 150; // to put a timer into the tree, or take it out, among thousands
  sleeper(runtime& r, simulated_cores& c, double ns, unsigned n) : in(r), on(c), leaf_ns(ns), random(n + 1) {}
  void run() noexcept override {
    on.spend(leaf_ns);
    if (--rounds == 0) {
      in.finish_one();
      return;
    }
    const auto sleep_ns = static_cast<std::int64_t>(leaf_ns) * (16 + random.below(32));
    in.arm(*this, detail::steady_now_ns() + sleep_ns);
  }
  void expire() noexcept override { in.push(*this); }
  bool is_limit() const noexcept override { // asked under the lock, once for each change of the tree
    on.spend(k_tree_ns);
    return false;
  }
  runtime& in;
  simulated_cores& on;
  const double leaf_ns;
  detail::xorshift random;
  int rounds = k_rounds;
};

enum class program { tree, flat, injected, sleepers };
constexpr const char* k_names[] = {"tree", "one producer", "injected", "sleepers"};

void measure(program what, unsigned workers, double leaf_ns) {
  simulated_cores cores({});
  runtime all(cores, workers);
  const bool is_deep = what == program::tree || what == program::sleepers; // enough to do for all
  const int depth = static_cast<int>(std::log2(workers)) + (is_deep ? 7 : 5);
  const auto leaves = std::int64_t{1} << depth;
  all.left = leaves;
  std::vector<std::unique_ptr<sleeper>> sleepers;
  if (what == program::sleepers)
    for (std::int64_t i = 0; i < leaves; ++i)
      sleepers.push_back(std::make_unique<sleeper>(all, cores, leaf_ns, static_cast<unsigned>(i)));
  const auto share = [&] { // of the sleepers, on each core
    for (std::size_t i = all.self().index(); i < sleepers.size(); i += workers) all.push(*sleepers[i]);
    all.self().run();
  };
  const auto first = [&] {
    if (what == program::tree) {
      all.push(*new branch(all, cores, depth, leaf_ns));
    } else if (what != program::sleepers) {
      for (std::int64_t i = 0; i < leaves; ++i) {
        job& one = *new leaf(all, cores, leaf_ns);
        what == program::flat ? all.push(one) : all.inject(one);
      }
    }
    share();
  };
  cores.add(first);
  for (unsigned w = 1; w < workers; ++w) cores.add(share);
  const double took = cores.run();
  const double work = static_cast<double>(leaves) * (what == program::sleepers ? sleeper::k_rounds : 1) * leaf_ns;
  std::printf("%-13s %7u %9.1f us %8.1f us %9.1f %%", k_names[static_cast<int>(what)], workers, leaf_ns / 1e3,
              took / 1e3, 100 * work / (took * workers));
  std::printf("  %6.2f steals a task;", static_cast<double>(all.steals) / static_cast<double>(leaves));
  int shown = 0;
  for (const line_wait& one : cores.waits())
    if (shown++ < 3) std::printf("  %s %.0f %%", one.name.c_str(), 100 * one.ns / (took * workers));
  std::putchar('\n');
}

} // namespace
} // namespace treadle::contention

int main(int argc, char** argv) {
  using namespace treadle::contention;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const std::string_view only = argc > 1 ? argv[1] : "";
  std::printf("simulated, not measured\n%-13s %7s %12s %11s %11s  where the cores' time waited for lines\n", "program",
              "workers", "a task", "time", "efficiency");
  for (const program what : {program::tree, program::flat, program::injected, program::sleepers}) {
    if (!only.empty() && only != k_names[static_cast<int>(what)]) continue;
    for (const double leaf_ns : {500., 2'000., 10'000., 50'000.}) {
      for (const unsigned workers : {1u, 2u, 16u, 64u, 256u}) {
        // Workers do not sleep between tasks as short as these; and to simulate more than 64 workers that wait for one
        // lock takes hours.
        if (what == program::sleepers && (leaf_ns < 10'000 || workers > 64)) continue;
        measure(what, workers, leaf_ns);
      }
    }
  }
}

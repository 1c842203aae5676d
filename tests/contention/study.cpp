// What the scheduler's shared words cost with more cores than we have: the product's queues, idle_workers and locks, on
// simulated cores. Prints tables; nothing beyond the cores of a real machine was ever measured.
#include "base/rng.hpp"
#include "contention/simulated_cores.hpp"
#include "task/idle/idle_workers.hpp"
#include "task/idle/timer_queue.hpp"
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

/// Tasks and how they are found, as scheduler and worker have it: timers, own deque, queue of the pool, random victims,
/// search, naps, sleep.
class runtime {
 public:
  static constexpr double k_search_ns = 50'000, k_task_ns = 25; // what a worker does for each task besides shared words

  struct alignas(detail::k_cache_line) worker {
    explicit worker(unsigned n) : random(n + 1) {}
    detail::deque tasks;
    detail::xorshift random;
  };

  runtime(simulated_cores& on, unsigned workers) : idle(workers), m_on(on) {
    for (unsigned i = 0; i < workers; ++i) all.push_back(std::make_unique<worker>(i));
    m_on.name(&idle.count(), 8, "count of searching workers");
    m_on.name(&injected, sizeof injected, "injection queue");
    m_on.name(&timers, detail::k_cache_line, "timers");
    m_on.name(reinterpret_cast<const char*>(&timers) + detail::k_cache_line, 8, "the next deadline");
    for (const auto& w : all) m_on.name(&w->tasks, sizeof w->tasks, "deques");
  }

  unsigned self() const { return static_cast<unsigned>(m_on.core()); }
  void push(job& j) {
    all[self()]->tasks.push(&j);
    idle.notify_work(all[self()]->tasks.size() > 1);
  }
  void inject(job& j) {
    injected.push(&j);
    idle.notify_injected();
  }
  void arm(detail::timer& t, std::int64_t deadline_ns) {
    if (timers.arm(t, deadline_ns)) idle.notify_injected();
  }

  /// Of a core, until `left` is 0.
  void work() {
    worker& me = *all[self()];
    for (;;) {
      while (job* j = next(me)) run(*j);
      if (done()) return;
      idle.begin_search();
      job* const found = search(me);
      if (!found) return idle.end_search();
      idle.end_search_with_job(*this);
      run(*found);
    }
  }
  bool done() const { return m_done.load(order::relaxed); }
  void finish_one() {
    if (--left != 0) return;
    m_done.store(true, order::release);
    idle.wake_all();
  }

  // For idle_workers, as scheduler has them.
  bool work_is_visible() const noexcept {
    if (!injected.empty()) return true;
    for (const auto& w : all)
      if (!w->tasks.empty()) return true;
    return false;
  }
  bool must_stay_awake(unsigned) const noexcept { return work_is_visible() || done(); }
  bool lacks_watch() const noexcept { return false; }
  void check_drained() noexcept {}
  std::int64_t next_deadline_ns() const noexcept { return timers.next_deadline_ns(); }

  detail::idle_workers idle;
  alignas(detail::k_cache_line) detail::injection_queue injected;
  alignas(detail::k_cache_line) detail::timer_queue timers;
  std::vector<std::unique_ptr<worker>> all;
  std::int64_t left = 0; // of the program's leaves; costs nothing
  std::uint64_t steals = 0;

 private:
  void expire_due() {
    if (next_deadline_ns() == detail::k_never_ns) return;
    const std::int64_t now = detail::steady_now_ns();
    if (now >= next_deadline_ns()) timers.run_due(now);
  }
  job* next(worker& me) {
    expire_due();
    return me.tasks.pop();
  }
  void run(job& j) {
    m_on.spend(k_task_ns);
    j.run();
  }
  job* search(worker& me) {
    std::int64_t nap_ns = 50'000;
    for (;;) {
      const double end = m_on.now() + k_search_ns;
      while (m_on.now() < end) {
        if (job* j = injected.pop()) return j;
        if (job* j = steal(me)) return j;
        if (done()) return nullptr;
        expire_due();
        if (job* j = me.tasks.pop()) return j;
        m_on.spend(10);
      }
      idle.sleep(self(), nap_ns, *this);
      nap_ns = std::min<std::int64_t>(2 * nap_ns, detail::timing::k_nap_max);
    }
  }
  job* steal(worker& me) {
    const auto n = static_cast<unsigned>(all.size());
    const unsigned start = me.random.below(n);
    for (unsigned i = 0; i < n; ++i) {
      worker& victim = *all[(start + i) % n];
      if (&victim == &me) continue;
      if (job* j = victim.tasks.steal()) {
        ++steals;
        return j;
      }
    }
    return nullptr;
  }

  simulated_cores& m_on;
  detail::atomic<bool> m_done{false};
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
    for (std::size_t i = all.self(); i < sleepers.size(); i += workers) all.push(*sleepers[i]);
    all.work();
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
        // Nobody sleeps after so short a task; and to simulate so many that wait for one lock takes hours.
        if (what == program::sleepers && (leaf_ns < 10'000 || workers > 64)) continue;
        measure(what, workers, leaf_ns);
      }
    }
  }
}

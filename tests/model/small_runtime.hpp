#pragma once

#include "model/check/view.hpp"
#include "model/support.hpp"
#include "task/idle/drain.hpp"
#include "task/idle/idle_workers.hpp"
#include "task/queue/deque.hpp"
#include "task/queue/injection_queue.hpp"
#include "task/queue/ordered_jobs.hpp"

#include <memory>
#include <vector>

namespace treadle::check {

/// The queue of a worker whose pool has the policy critical-path.
struct ordered_queue {
  struct nobody {
    void begin_critical() noexcept {}
  };

  bool empty() const noexcept { return jobs.empty(); }
  void push(detail::job* j) { require(jobs.push(j, priority::normal, 1), "there is memory"); }
  detail::job* pop() {
    nobody by;
    return jobs.pop(by);
  }
  detail::job* steal() { return pop(); }

  detail::ordered_jobs jobs;
};

/// What treadle::detail::scheduler and worker do with the protocols, without fibers: queues, search, sleep, drain.
template <class Queue>
struct basic_small_runtime {
  struct worker {
    Queue tasks;
    detail::task_counts counters;
    atomic<bool> looks_for_work{true};
  };

  /// `nudges`: somebody has to watch while somebody is busy.
  explicit basic_small_runtime(unsigned n, bool nudges = false) : idle(n), m_nudges(nudges) {
    for (unsigned i = 0; i < n; ++i) workers.push_back(std::make_unique<worker>());
  }

  // For idle_workers, as scheduler has them.
  bool work_is_visible() const noexcept {
    if (!injected.empty()) return true;
    for (const auto& w : workers) {
      if (!w->tasks.empty()) return true;
    }
    return false;
  }
  bool must_stay_awake(unsigned) const noexcept { return work_is_visible() || exiting.load(order::relaxed); }
  bool lacks_watch() const noexcept {
    if (!m_nudges || watched.load(order::relaxed) != 0) return false;
    for (const auto& w : workers) {
      if (!w->looks_for_work.load(order::relaxed)) return true;
    }
    return false;
  }
  void check_drained() noexcept {
    drained.check([this] { return detail::all_finished(created_outside, workers); });
  }
  std::int64_t next_deadline_ns() const noexcept { return deadline_ns.load(order::relaxed); }

  // As scheduler::inject(), worker::push(), scheduler::wait_idle(), ~scheduler(), scheduler::arm().
  void inject(detail::job& j) {
    created_outside.fetch_add(1, order::relaxed);
    injected.push(&j);
    idle.notify_injected();
  }
  void push(unsigned me, detail::job& j, bool backlog) {
    workers[me]->counters.created.increment_unshared();
    workers[me]->tasks.push(&j);
    idle.notify_work(backlog);
  }
  void wait_idle() {
    drained.wait_until(detail::k_never_ns, [this] { return detail::all_finished(created_outside, workers); });
  }
  void exit() {
    exiting.store(true, order::relaxed);
    idle.wake_all();
  }
  void arm(std::int64_t at_ns) {
    deadline_ns.store(at_ns, order::relaxed);
    idle.notify_injected();
  }

  /// After exit(): waits for the workers' ends.
  void join(std::vector<thread>& running) {
    for (thread& t : running) t.join();
    require(idle.count().load(order::relaxed) == 0, "nobody is counted as idle");
  }

  /// As worker::next_job() and search(), with one look at the queues before each sleep. Ends with the runtime.
  void work(unsigned me, std::int64_t first_nap_ns = detail::k_forever_ns) {
    worker_of[this_thread()] = me;
    std::int64_t nap_ns = first_nap_ns;
    for (;;) {
      while (detail::job* j = workers[me]->tasks.pop()) run(me, *j);
      if (m_nudges) workers[me]->looks_for_work.store(true, order::relaxed);
      idle.begin_search();
      for (;;) {
        if (detail::job* j = find(me)) {
          idle.end_search_with_job(*this);
          if (m_nudges) pass_watch_on(me);
          run(me, *j);
          break;
        }
        if (exiting.load(order::relaxed)) return idle.end_search();
        sleep(me, nap_ns);
        nap_ns = detail::k_forever_ns;
        if (deadline_ns.load(order::relaxed) <= detail::steady_now_ns()) {
          deadline_ns.store(detail::k_never_ns, order::relaxed);
          expired.store(1, order::release);
          detail::futex_wake(expired);
        }
      }
    }
  }
  void pass_watch_on(unsigned me) {
    workers[me]->looks_for_work.store(false, order::relaxed);
    detail::light_fence();
    if (lacks_watch()) idle.notify_work(false);
  }
  void sleep(unsigned me, std::int64_t sleep_ns) {
    if (!lacks_watch() || watched.exchange(1, order::relaxed) != 0) {
      idle.sleep(me, sleep_ns, *this);
      return;
    }
    detail::futex_wake(watched, 8);
    idle.sleep(me, detail::k_forever_ns, *this); // its end by time would go on for ever
    watched.store(0, order::relaxed);
  }
  /// The worker that the caller is.
  unsigned self() const { return worker_of[this_thread()]; }
  void run(unsigned me, detail::job& j) {
    j.run();
    workers[me]->counters.count_finished();
  }

  detail::job* find(unsigned me) {
    if (detail::job* j = injected.pop()) return j;
    for (unsigned i = 0; i < workers.size(); ++i) {
      if (i == me) continue;
      if (detail::job* j = workers[i]->tasks.steal()) return j;
    }
    return nullptr;
  }

  detail::idle_workers idle;
  detail::injection_queue injected;
  detail::drain drained;
  std::vector<std::unique_ptr<worker>> workers;
  atomic<std::uint64_t> created_outside{0};
  atomic<bool> exiting{false};
  atomic<std::int64_t> deadline_ns{detail::k_never_ns};
  atomic<std::uint32_t> expired{0};
  atomic<std::uint32_t> watched{0}; // as in scheduler
  unsigned worker_of[k_threads_max] = {};

 private:
  const bool m_nudges;
};
using small_runtime = basic_small_runtime<detail::basic_deque<2>>;

/// A job that somebody waits for.
struct awaited final : detail::job {
  void run() noexcept override {
    require(runs == 0, "the job is run once");
    runs = 1;
    done.store(1, order::release);
    detail::futex_wake(done, 8);
  }
  void wait() {
    while (done.load(order::acquire) == 0) detail::futex_wait(done, 0);
    require(runs == 1, "what the job did is visible");
  }
  plain<int> runs = 0;
  atomic<std::uint32_t> done{0};
};

} // namespace treadle::check

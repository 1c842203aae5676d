#pragma once

#include "model/check/view.hpp"
#include "model/support.hpp"
#include "task/idle/work_search.hpp"
#include "task/idle/work_signals.hpp"
#include "task/pools/loans.hpp"
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

/// The two queues of such a worker where some of its jobs are not ordered. The first one, the third, ... are.
struct mixed_queue {
  bool empty() const noexcept { return unordered.empty() && ordered.empty(); }
  void push(detail::job* j) { pushed++ % 2 == 0 ? ordered.push(j) : static_cast<void>(unordered.push(j)); }
  detail::job* pop() {
    detail::job* const j = unordered.pop();
    return j ? j : ordered.pop();
  }
  detail::job* steal() {
    detail::job* const j = ordered.steal();
    return j ? j : unordered.steal();
  }

  detail::basic_deque<2> unordered;
  ordered_queue ordered;
  unsigned pushed = 0; // by its owner
};

/// A pool without fibers, latent work, priorities and a clock: its workers run jobs to their end. How they search,
/// sleep, watch, go off duty and lend is that of the product.
template <class Queue>
class basic_small_runtime : public detail::work_signals<basic_small_runtime<Queue>> {
 public:
  using all_loans = detail::loans<basic_small_runtime>;

  struct options {
    unsigned workers = 1;
    unsigned spares = 0;        ///< workers beyond those
    std::int64_t nap_ns = 0;    ///< of the one nap after a job; none
    bool watched = false;       ///< somebody has to watch while somebody is busy
    all_loans* loans = nullptr; ///< it lends and borrows
  };

  class worker : public detail::work_search<worker> {
   public:
    worker(basic_small_runtime& r, unsigned i) : m_runtime(r), m_index(i) {}

    basic_small_runtime& owner() const noexcept { return m_runtime; }
    unsigned index() const noexcept { return m_index; }
    bool has_queued() const noexcept { return !tasks.empty(); }
    /// What its thread does until the runtime exits.
    void run() {
      m_runtime.m_worker_of[this_thread()] = this;
      this->come_on_duty();
      while (detail::job* j = this->next_job()) {
        j->run();
        counters.count_finished();
      }
    }
    using detail::work_search<worker>::look_busy;
    using detail::work_search<worker>::begin_lending;
    using detail::work_search<worker>::end_lending;

    Queue tasks;
    detail::task_counts counters;

   private:
    friend class detail::work_search<worker>;
    detail::job* next_nearby() {
      detail::job* const own = tasks.pop();
      return own ? own : m_runtime.injected.pop();
    }
    detail::job* pop_own() { return tasks.pop(); }
    detail::job* look(std::int64_t ns) {
      return this->look_for(ns, [this] { return m_runtime.find(*this); });
    }
    bool ask_busy() noexcept { return false; }
    detail::search_times times() const noexcept {
      const std::int64_t nap = m_runtime.m_nap_ns;
      return {.first = 0, // one look
              .after_wake = 0,
              .short_look = 0,
              .nap = nap,
              .nap_max = nap,
              .napping = nap,
              .napping_after_wake = 0,
              .watch = detail::k_forever_ns}; // who woke by time would go on for ever
    }
    void begin_searching() noexcept {}
    void end_searching() noexcept {}
    bool sleep(std::int64_t ns, bool) { return this->sleep_for(ns); }
    void wait_for_slot() noexcept {
      m_runtime.left.fetch_add(1, order::relaxed);
      detail::futex_wake(m_runtime.left);
      m_runtime.on_duty.wait(m_index);
    }
    bool is_quiet() const noexcept { return tasks.empty(); }
    void run_timers() noexcept { m_runtime.run_timers(); }

    basic_small_runtime& m_runtime;
    const unsigned m_index;
  };

  explicit basic_small_runtime(const options& o)
      : detail::work_signals<basic_small_runtime>(o.workers + o.spares),
        lends(o.loans != nullptr),
        m_loans(o.loans),
        m_own(o.workers),
        m_needs_watch(o.watched),
        m_nap_ns(o.nap_ns) {
    const unsigned all = o.workers + o.spares;
    this->on_duty.set_wanted(all);
    for (unsigned i = 0; i < all; ++i) {
      workers.push_back(std::make_unique<worker>(*this, i));
      require(this->on_duty.take(), "there is a slot for each");
    }
    this->on_duty.set_wanted(m_own);
  }

  /// All workers, each a thread.
  void start(std::vector<thread>& running) {
    for (const auto& w : workers) running.emplace_back([&w] { w->run(); });
  }
  // As those of the scheduler.
  void inject(detail::job& j) {
    created_outside.fetch_add(1, order::relaxed);
    this->push_injected(j);
  }
  void push(unsigned by, detail::job& j, bool backlog) {
    workers[by]->counters.created.increment_unshared();
    workers[by]->tasks.push(&j);
    this->notify_work(backlog);
  }
  void arm(std::int64_t at_ns) {
    deadline_ns.store(at_ns, order::relaxed);
    this->notify_injected();
  }
  void exit() {
    this->exiting.store(true, order::relaxed);
    if (this->on_duty.wanted() != workers.size()) this->on_duty.set_wanted(static_cast<unsigned>(workers.size()));
    this->idle.wake_all();
  }
  /// After exit(): waits for the workers' ends.
  void join(std::vector<thread>& running) {
    for (thread& t : running) t.join();
    require(this->idle.count().load(order::relaxed) == 0, "nobody is counted as idle");
    require(this->on_duty.active() == workers.size(), "no slot is lost or doubled");
  }
  /// The worker that the caller is; null: none.
  worker* here() { return m_worker_of[this_thread()]; }

  // For work_signals, idle_workers and loans.
  bool needs_watch() const noexcept { return m_needs_watch; }
  bool is_visible_to(unsigned) const noexcept { return this->work_is_visible(); }
  std::int64_t next_deadline_ns() const noexcept { return deadline_ns.load(order::relaxed); }
  bool quiescent() const noexcept { return detail::all_finished(created_outside, workers); }
  void add_workers() noexcept {}
  all_loans& between_pools() const noexcept { return *m_loans; }
  unsigned capacity() const noexcept { return m_own; }

  const bool lends;
  atomic<unsigned> share{0};
  struct : detail::injection_queue { // all jobs have the same priority
    void push(detail::job* j, priority) { detail::injection_queue::push(j); }
  } injected;
  std::vector<std::unique_ptr<worker>> workers;
  atomic<std::uint64_t> created_outside{0};
  atomic<std::int64_t> deadline_ns{detail::k_never_ns};
  atomic<std::uint32_t> expired{0};
  atomic<std::uint32_t> left{0}; ///< how often somebody went off duty

 private:
  detail::job* find(const worker& thief) {
    if (detail::job* j = injected.pop()) return j;
    for (const auto& w : workers) {
      if (w.get() == &thief) continue;
      if (detail::job* j = w->tasks.steal()) return j;
    }
    return nullptr;
  }
  void run_timers() noexcept {
    if (deadline_ns.load(order::relaxed) > detail::steady_now_ns()) return;
    deadline_ns.store(detail::k_never_ns, order::relaxed);
    expired.store(1, order::release);
    detail::futex_wake(expired);
  }

  worker* m_worker_of[k_threads_max] = {};
  all_loans* const m_loans;
  const unsigned m_own;
  const bool m_needs_watch;
  const std::int64_t m_nap_ns;
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

/// A job that blocks its worker until another one has run.
struct waits_for final : detail::job {
  explicit waits_for(awaited& o) : other(o) {}
  void run() noexcept override {
    other.wait();
    done.run();
  }
  awaited& other;
  awaited done;
};

} // namespace treadle::check

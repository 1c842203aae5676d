#include <treadle/runtime.hpp>

#include "agent_link/link.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "observe/counter_printer.hpp"
#include "observe/decision_hooks.hpp"
#include "observe/profile_text.hpp"
#include "observe/served_metrics.hpp"
#include "observe/trace/traced_run.hpp"
#include "task/counters/profiled_run.hpp"
#include "task/counters/published_workers.hpp"
#include "task/counters/thread_counters.hpp"
#include "task/engine/concurrency.hpp"
#include "task/engine/concurrency_knob.hpp"
#include "task/engine/exit_report.hpp"
#include "task/engine/forked_task.hpp"
#include "task/engine/inlining_policy.hpp"
#include "task/engine/options.hpp"
#include "task/engine/present_workers.hpp"
#include "task/engine/scheduler.hpp"
#include "task/pools/resolution.hpp"
#include "task/worker/worker_hook.hpp"
#include "topology/process_mask.hpp"
#include "topology/usable_cores.hpp"

#include <treadle/async.hpp>
#include <treadle/executors.hpp>
#include <treadle/parallel_invoke.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace treadle {

namespace {

struct registry;
registry& runtimes();

/// The runtimes that exist, in the order in which they were started. A child of fork() begins without any.
struct registry final : detail::fork_participant {
  registry() noexcept {
    join_forks();
    detail::fork_recording_changed.store([] { runtimes().ask_for_forks(); }, detail::order::relaxed);
  }
  bool try_lock() noexcept override {
    if (!starting.try_lock()) return false;
    if (mutex.try_lock()) return true;
    starting.unlock();
    return false;
  }
  void unlock() noexcept override {
    mutex.unlock();
    starting.unlock();
  }
  void begin_child() noexcept override {
    live.clear();
    publish_workers();
    by_default = nullptr;
    detail::leave_worker_after_fork();
  }

  void publish_workers() { // with the mutex
    if (live.empty()) detail::workers_outside.store(0, detail::order::relaxed);
    for (const runtime* r : live) detail::scheduler::of(*r).active.make_current(r == live.back());
  }

  void ask_for_forks() {
    const std::lock_guard guard(mutex);
    for (const runtime* r : live) ask_for_forks(*r);
  }
  static void ask_for_forks(const runtime& of) { // with the mutex
    const bool wanted = detail::forks_are_recorded.load(detail::order::relaxed);
    for (const auto& pool : detail::scheduler::pools_of(of))
      if (std::exchange(pool->asks_for_forks, wanted) != wanted) wanted ? pool->idle.ask() : pool->idle.end_asking();
  }

  std::mutex starting; // of the next
  runtime* by_default = nullptr;
  std::mutex mutex; // of the next
  std::vector<runtime*> live;
};
registry& runtimes() {
  static registry* r = new registry; // never destroyed: threads may look until the very end
  return *r;
}

/// Started when tasks are created without any runtime. Ends at exit, after the tasks in flight; destructors of static
/// objects that create tasks even later start it once more.
runtime& default_runtime() {
  registry& all = runtimes();
  std::lock_guard guard(all.starting);
  if (!all.by_default) {
    all.by_default = new runtime;
    std::atexit([] {
      if (detail::on_worker()) return; // exit() inside a task cannot wait for that task
      const auto take = [] {
        std::lock_guard until_taken(runtimes().starting);
        return std::exchange(runtimes().by_default, nullptr);
      };
      detail::scheduler::end_at_exit(take());
    });
  }
  return *all.by_default;
}

} // namespace

struct runtime::parts {
  parts(bool follows, detail::binding how, std::vector<detail::managed_pool> pools)
      : active(follows, how, std::move(pools)) {}
  ~parts() {
    active.end();
    for (const auto& pool : all) pool->end();
  }

  const std::uint32_t generation = detail::fork_generation();
  detail::atomic<bool> runs{false}; // all of it has started, and it has not been stopped
  std::mutex stopping;
  bool abandoned = false; // with tasks that are blocked for good: nothing of it may be destroyed
  std::int64_t exit_deadline_ns = 0;
  bool explain = false;
  detail::concurrency active;
  std::optional<detail::traced_run> traced;            // ends after the workers
  std::vector<std::unique_ptr<detail::scheduler>> all; // in the order of their description
  detail::scheduler* by_default = nullptr;
  std::optional<detail::counter_printer> printer;
  std::optional<detail::profiled_run> profiled;
  std::optional<detail::served_metrics> metrics;
};

detail::scheduler& detail::scheduler::of(const runtime& r) noexcept { return *r.m_parts->by_default; }
std::vector<std::unique_ptr<detail::scheduler>>& detail::scheduler::pools_of(const runtime& r) noexcept {
  return r.m_parts->all;
}
bool detail::scheduler::has_started(const runtime& r) noexcept {
  return r.m_parts->runs.load(order::acquire); // pairs with the constructor of the runtime
}

runtime::runtime(runtime_options options) {
  detail::refuse_in_forked_task();
  runtime_options resolved = detail::resolve(std::move(options));
  const bool follows = detail::counts_cores(resolved);
  const detail::process_mask present;
  static const unsigned cores = detail::usable_cores(); // takes longer than starting a worker
  const auto wanted = detail::resolve_pools(resolved, {(follows ? present : detail::process_mask::at_start()).cpus(),
                                                       follows ? detail::usable_cores() : cores});
  std::vector<detail::managed_pool> managed;
  unsigned workers = 0;
  for (const auto& [pool, counts_cores] : wanted) {
    const bool alone = pool.exclusive || pool.policy == scheduling::static_placement;
    managed.push_back({{pool.workers, pool.cpus}, alone, counts_cores});
    workers += pool.workers;
  }
  auto made = std::make_unique<parts>(follows, detail::binding_from_name(resolved.bind, "runtime_options::bind"),
                                      std::move(managed));
  m_parts = made.get(); // before workers look for it
  made->exit_deadline_ns = std::int64_t{resolved.exit_deadline_ms} * 1'000'000;
  made->explain = resolved.explain;
  if (resolved.inlining) detail::choose_inlining(*resolved.inlining);
  if (const auto remember = detail::g_remember.load(detail::order::relaxed); remember && resolved.remember)
    remember(*resolved.remember);
  if (!resolved.profile_file.empty()) detail::check_profile_file(resolved.profile_file);
  if (!resolved.trace_files.empty()) made->traced.emplace(resolved.trace_files, resolved.trace_records);
  unsigned first = 0, first_spare = workers;
  std::vector<detail::scheduler*> all;
  for (const auto& [pool, counts_cores] : wanted) {
    const unsigned spares = made->active.spares_of(all.size());
    const detail::scheduler::setup setup{
        pool, first, first_spare, spares, made->active.lends(all.size()), workers > cores, made->active};
    all.push_back(made->all.emplace_back(std::make_unique<detail::scheduler>(setup, resolved, *this)).get());
    if (all.back()->is_default) made->by_default = all.back();
    first += pool.workers;
    first_spare += spares;
  }
  made->active.begin(std::move(all));
  for (const auto& pool : made->all) pool->start();
  if (const auto n = detail::the_concurrency_knob.given()) made->active.grant(std::min(*n, made->active.maximum()));
  made->active.govern(detail::g_governed.load(detail::order::relaxed));
  made->runs.store(true, detail::order::release); // pairs with visit_current_pools(): all pools
  detail::publish_thread_counters();
  detail::publish_workers();
  {
    std::lock_guard guard(runtimes().mutex);
    runtimes().live.push_back(this);
    runtimes().publish_workers();
    registry::ask_for_forks(*this);
  }
  try {
    detail::link_to_agent();
    if (resolved.list_counters) std::fputs(detail::counter_table().c_str(), stdout);
    if (resolved.list_knobs) std::fputs(detail::knob_table().c_str(), stdout);
    if (!resolved.print_counters.empty())
      made->printer.emplace(detail::counter_printer::options{
          resolved.print_counters, std::int64_t{resolved.print_counter_interval_ms} * 1'000'000,
          resolved.print_counter_destination, resolved.print_counter_format});
    if (!resolved.profile_file.empty()) made->profiled.emplace(resolved.profile_file);
    if (!resolved.metrics_socket.empty()) made->metrics.emplace(resolved.metrics_socket);
  } catch (...) {
    made->runs.store(false, detail::order::relaxed);
    withdraw();
    if (made->traced) made->traced->discard();
    throw;
  }
  made.release();
}

void runtime::withdraw() noexcept {
  std::lock_guard guard(runtimes().mutex);
  std::erase(runtimes().live, this);
  runtimes().publish_workers();
}

bool runtime::is_here() const noexcept {
  return m_parts->generation == detail::fork_generation() && m_parts->runs.load(detail::order::acquire);
}

runtime::~runtime() {
  if (m_parts->generation != detail::fork_generation()) return; // its threads are the parent's
  if (is_here()) {
    refuse_inside("~runtime");
    end_within(detail::k_never_ns);
  }
  if (!m_parts->abandoned) delete m_parts;
}

namespace {

detail::atomic<bool> some_runtime_concluded{false};

void print_decisions() {
  const auto table = detail::g_explain_table.load(detail::order::relaxed);
  std::fputs(table ? table().c_str() : "nothing was decided\n", stderr);
}

} // namespace

void runtime::conclude() const {
  some_runtime_concluded.store(true, detail::order::relaxed);
  if (const auto save = detail::g_save_remembered.load(detail::order::relaxed)) save();
  if (m_parts->explain) print_decisions();
}

void detail::explain_without_runtime() {
  static const bool once = [] {
    std::atexit([] {
      if (some_runtime_concluded.load(order::relaxed) || runtime::current_or_null()) return;
      try {
        if (resolve({}).explain) print_decisions();
      } catch (const std::exception&) { // options of which nobody has asked anything so far
      }
    });
    return true;
  }();
  static_cast<void>(once);
}

void detail::scheduler::end_at_exit(runtime* r) {
  if (!r || !r->is_here()) return;
  const std::int64_t deadline_ns = r->m_parts->exit_deadline_ns;
  if (const std::string blocked = r->end_within(deadline_ns); !blocked.empty())
    report_at_exit(
        "treadle: the program ends although tasks are blocked, and nothing else has run for " +
        std::to_string(deadline_ns / 1'000'000) +
        " ms (runtime_options::exit_deadline_ms, --treadle:exit-deadline, TREADLE_EXIT_DEADLINE). Nothing on "
        "their stacks is destroyed:\n" +
        blocked);
  delete r;
}

std::string runtime::stop(unsigned deadline_ms) {
  if (!is_here()) return {}; // it has been stopped, or its tasks are the parent's
  refuse_inside("stop");
  detail::refuse_in_callback();
  return end_within(std::int64_t{std::max(deadline_ms, 1u)} * 1'000'000);
}

/// The lines of scheduler::blocked_tasks(); none when all has ended, or somebody else has ended it.
std::string runtime::end_within(std::int64_t deadline_ns) {
  parts& p = *m_parts;
  const std::lock_guard one_at_a_time(p.stopping);
  if (!is_here()) return {};
  p.active.end();
  bool has_drained = drains_within(deadline_ns); // while it still is the current one for the tasks in flight
  const std::uint64_t created = tasks_created();
  p.printer.reset();
  p.profiled.reset();
  p.metrics.reset();
  withdraw();
  for (auto& pool : p.all) pool->await_visitors(); // their tasks may go to any pool
  if (has_drained || tasks_created() != created) has_drained = drains_within(deadline_ns);
  for (auto& pool : p.all) pool->stop_workers();
  std::string blocked;
  if (!has_drained) {
    // Tasks are blocked for good. Their stacks, and all that refers to them, stay as they are.
    static auto& abandoned = *new std::vector<parts*>; // not lost
    static auto& mutex = *new detail::fork_safe_mutex;
    {
      const std::lock_guard guard(mutex);
      abandoned.push_back(&p);
    }
    p.abandoned = true;
    for (auto& pool : p.all) blocked += pool->blocked_tasks();
  }
  conclude();
  p.traced.reset();
  p.runs.store(false, detail::order::release); // pairs with is_here()
  return blocked;
}

bool runtime::drains_within(std::int64_t deadline_ns) {
  const auto progress = [this] {
    std::uint64_t sum = 0;
    for (const auto& pool : m_parts->all) sum += pool->progress();
    return sum;
  };
  const std::int64_t step_ns = std::clamp<std::int64_t>(deadline_ns / 8, 1'000'000, 20'000'000); // several looks
  std::uint64_t before = progress();
  for (std::int64_t quiet_ns = 0; quiet_ns < deadline_ns;) {
    if (wait_idle_until(detail::steady_now_ns() + step_ns)) return true;
    const std::uint64_t now = progress();
    const bool runs = std::exchange(before, now) != now ||
                      std::any_of(m_parts->all.begin(), m_parts->all.end(), [](auto& pool) { return pool->runs(); });
    quiet_ns = runs ? 0 : quiet_ns + step_ns;
  }
  return false;
}

unsigned runtime::workers() const noexcept { return is_here() ? detail::scheduler::of(*this).capacity() : 0; }
void runtime::set_concurrency(unsigned n) {
  if (is_here()) m_parts->active.grant(n);
}
void runtime::resize_pool(std::string_view pool, unsigned n) {
  if (is_here()) m_parts->active.resize(pool, n);
}
void runtime::set_binding(std::string_view name) {
  const detail::binding how = detail::binding_from_name(name, "runtime::set_binding");
  if (is_here()) m_parts->active.bind(how);
}
std::string runtime::binding() const { return is_here() ? detail::name_of(m_parts->active.bound()) : "none"; }
void runtime::set_concurrency(std::string_view pool, unsigned n) {
  if (is_here()) m_parts->active.limit(pool, n);
}
unsigned runtime::concurrency() const noexcept { return is_here() ? m_parts->active.present() : 0; }
unsigned runtime::max_concurrency() const noexcept { return is_here() ? m_parts->active.maximum() : 0; }
std::size_t runtime::stack_bytes() const noexcept { return is_here() ? detail::scheduler::of(*this).stack_bytes : 0; }

void runtime::refuse_inside(const char* what) const {
  detail::refuse_in_worker_hook();
  if (const detail::worker* w = detail::this_worker(); w && &w->owner().facade == this)
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "runtime::" + std::string(what) +
                                "() inside a task of this runtime waits for that task, too");
}

void runtime::wait_idle() {
  if (!is_here()) return; // its tasks are the parent's
  refuse_inside("wait_idle");
  detail::refuse_in_callback();
  wait_idle_until(detail::k_never_ns);
}

std::uint64_t runtime::tasks_created() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& pool : m_parts->all) sum += pool->tasks_created();
  return sum;
}

bool runtime::wait_idle_until(std::int64_t deadline_ns) {
  // Each pool was idle at some moment after `before` was read. When nothing has been created since then in any of them,
  // none had a task that could create another one elsewhere after its moment: all are idle now.
  for (;;) {
    const std::uint64_t before = tasks_created();
    for (const auto& pool : m_parts->all) {
      if (!pool->wait_idle_until(deadline_ns)) return false;
    }
    if (m_parts->all.size() == 1 || tasks_created() == before) return true;
  }
}

runtime_statistics runtime::statistics() const noexcept {
  using detail::order;
  runtime_statistics sum;
  if (!is_here()) return sum;
  for (const auto& pool : m_parts->all) {
    sum.tasks_created += pool->tasks_created();
    sum.stacks += pool->stacks.load(order::relaxed);
    for (const auto& w : pool->workers) {
      sum.tasks_inlined += w->counters.inlined.load(order::relaxed);
      for (unsigned i = 0; i < pool->workers.size(); ++i) sum.tasks_stolen += w->steals.from(i).load(order::relaxed);
      sum.forks_promoted += w->counters.promoted.load(order::relaxed);
      sum.suspensions += w->counters.suspensions.load(order::relaxed);
      sum.parks += w->counters.parks.load(order::relaxed);
    }
  }
  return sum;
}

runtime* runtime::current_or_null() noexcept {
  if (detail::worker* w = detail::this_worker()) return &w->owner().facade;
  std::lock_guard guard(runtimes().mutex);
  return runtimes().live.empty() ? nullptr : runtimes().live.back();
}

runtime& runtime::current() {
  runtime* r = current_or_null();
  return r ? *r : default_runtime();
}

namespace detail {

bool visit_current_pools(void (*visit)(void*, const std::vector<std::unique_ptr<scheduler>>&), void* argument) {
  const worker* w = this_worker();
  std::lock_guard guard(runtimes().mutex);
  if (!w && runtimes().live.empty()) return false;
  const runtime& r = w ? w->owner().facade : *runtimes().live.back();
  if (w && !scheduler::has_started(r)) return false;
  visit(argument, scheduler::pools_of(r));
  return true;
}

void visit_all_pools(void (*visit)(void*, const std::vector<std::unique_ptr<scheduler>>&), void* argument) {
  std::lock_guard guard(runtimes().mutex);
  for (const runtime* r : runtimes().live) visit(argument, scheduler::pools_of(*r));
}

scheduler& enter_current_scheduler() {
  refuse_in_forked_task();
  refuse_in_worker_hook(); // or the default runtime would be started, where this one is not known yet or any more
  for (;;) {
    if (scheduler* const present = enter_present_scheduler()) return *present;
    default_runtime();
  }
}

scheduler* enter_present_scheduler() noexcept {
  std::lock_guard guard(runtimes().mutex);
  if (runtimes().live.empty()) return nullptr;
  scheduler& s = scheduler::of(*runtimes().live.back());
  s.enter(); // under the lock: the destructor of the runtime takes it before it waits for those inside
  return &s;
}

scheduler* find_pool(const char* name) {
  std::string known;
  for (const auto& pool : scheduler::pools_of(runtime::current())) {
    if (pool->name == name) return pool.get();
    known += (known.empty() ? "'" : ", '") + pool->name + "'";
  }
  throw std::invalid_argument("no pool '" + std::string(name) + "'; there are " + known +
                              " (runtime_options::pools, TREADLE_POOLS)");
}

void run_on_worker(void (*call)(void*), void* argument) {
  start_task(launch::async, [=] { call(argument); }).get();
}

} // namespace detail

} // namespace treadle

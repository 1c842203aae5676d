#include <treadle/runtime.hpp>

#include "task/options.hpp"
#include "task/scheduler.hpp"

#include <treadle/async.hpp>
#include <treadle/parallel_invoke.hpp>

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace treadle {

namespace {

/// The runtimes that exist, in the order in which they were started.
struct registry {
  std::mutex mutex;
  std::vector<runtime*> live;
};
registry& runtimes() {
  static registry* r = new registry; // never destroyed: threads may look until the very end
  return *r;
}

/// Started when tasks are created without any runtime. Ends at exit, after the tasks in flight; destructors of static
/// objects that create tasks even later start it once more.
runtime& default_runtime() {
  static std::mutex mutex;
  static runtime* started = nullptr;
  std::lock_guard guard(mutex);
  if (!started) {
    started = new runtime;
    std::atexit([] {
      if (!detail::on_worker())
        delete std::exchange(started, nullptr); // exit() inside a task cannot wait for that task
    });
  }
  return *started;
}

} // namespace

runtime::runtime(runtime_options options) : m_scheduler(new detail::scheduler(detail::resolve(options), *this)) {
  std::lock_guard guard(runtimes().mutex);
  runtimes().live.push_back(this);
}

runtime::~runtime() {
  m_scheduler->wait_idle(); // while it still is the current one for the tasks in flight
  {
    std::lock_guard guard(runtimes().mutex);
    std::erase(runtimes().live, this);
  }
  delete m_scheduler;
}

unsigned runtime::workers() const noexcept { return static_cast<unsigned>(m_scheduler->workers.size()); }
std::size_t runtime::stack_bytes() const noexcept { return m_scheduler->stack_bytes; }
void runtime::wait_idle() { m_scheduler->wait_idle(); }

runtime_statistics runtime::statistics() const noexcept {
  using detail::order;
  runtime_statistics sum;
  sum.tasks_created = m_scheduler->injected_tasks.load(order::relaxed);
  for (const auto& w : m_scheduler->workers) {
    sum.tasks_created += w->counters.created.load(order::relaxed);
    sum.tasks_inlined += w->counters.inlined.load(order::relaxed);
    sum.tasks_stolen += w->counters.stolen.load(order::relaxed);
    sum.forks_promoted += w->counters.promoted.load(order::relaxed);
    sum.suspensions += w->counters.suspensions.load(order::relaxed);
    sum.parks += w->counters.parks.load(order::relaxed);
  }
  sum.stacks = m_scheduler->stacks.load(order::relaxed);
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

scheduler& enter_current_scheduler() {
  for (;;) {
    {
      std::lock_guard guard(runtimes().mutex);
      if (!runtimes().live.empty()) {
        scheduler& s = scheduler::of(*runtimes().live.back());
        s.enter(); // under the lock: the destructor of the runtime takes it before it waits for those inside
        return s;
      }
    }
    default_runtime();
  }
}

void run_on_worker(void (*call)(void*), void* argument) {
  launch_task(launch::async, [=] { call(argument); }).get();
}

} // namespace detail

} // namespace treadle

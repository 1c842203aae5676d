#include "session.hpp"

#include <treadle/async.hpp>
#include <treadle/observe/agent.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace treadle::python {
namespace {

struct session {
  std::mutex mutex;
  std::condition_variable idle; // active became 0
  std::unique_ptr<treadle::runtime> runtime;
  int active = 0; // runs that may use the runtime
  std::vector<std::shared_ptr<submission>> submitted;
};
session& the_session() {
  static auto* s = new session; // never destroyed: stop_runtime() ends it while Python is still there
  return *s;
}

unsigned of_other_pools(const treadle::runtime& r) noexcept { return r.max_concurrency() - r.workers(); }

// Lets the runtime have this many active workers from now on, or fewer as long as an agent wants that. False: the
// runtime has fewer workers, or follows the cores of the process, which are fewer.
bool grant(treadle::runtime& r, unsigned workers) {
  if (workers > r.workers()) return false;
  const unsigned all = workers + of_other_pools(r);
  if (r.concurrency() != all) r.set_concurrency(all);
  return r.concurrency() == all || treadle::status_of_agent().is_governed;
}

// With the lock held. More workers than there are have to wait for the runs that go on.
void ensure(session& s, unsigned workers, std::unique_lock<std::mutex>& lock) {
  const auto fits = [&] { return s.runtime && (workers == 0 || grant(*s.runtime, workers)); };
  while (s.runtime && !fits() && s.active > 0) {
    s.idle.wait_for(lock, std::chrono::milliseconds(50));
    if (s.active == 0) break;
    lock.unlock();
    check_signals();
    lock.lock();
  }
  if (fits()) return;
  s.runtime.reset();
  runtime_options options; // without a number it follows the cores that the process may use
  if (workers != 0) options.workers = std::max(workers, std::thread::hardware_concurrency()); // another may be wanted
  s.runtime = std::make_unique<treadle::runtime>(options);
  if (workers != 0) grant(*s.runtime, workers);
}

void finish(session& s, const std::shared_ptr<submission>& work) {
  std::lock_guard lock(s.mutex);
  std::erase(s.submitted, work);
  if (--s.active == 0) s.idle.notify_all();
}

} // namespace

running::running(const physl::run_options& options, unsigned workers) {
  auto& s = the_session();
  std::unique_lock lock(s.mutex);
  if (options.policy != physl::policy::always_inline || workers != 0) ensure(s, workers, lock);
  ++s.active;
}

running::~running() {
  auto& s = the_session();
  std::lock_guard lock(s.mutex);
  if (--s.active == 0) s.idle.notify_all();
}

void start_runtime(unsigned workers) {
  auto& s = the_session();
  std::unique_lock lock(s.mutex);
  ensure(s, workers, lock);
}

void stop_runtime() {
  auto& s = the_session();
  std::unique_ptr<treadle::runtime> old;
  {
    std::lock_guard lock(s.mutex);
    old = std::move(s.runtime);
  }
  old.reset(); // outside of the lock: tasks that end take it
}

void cancel_submissions() {
  auto& s = the_session();
  std::lock_guard lock(s.mutex);
  for (auto& work : s.submitted) work->cancel = true;
}

unsigned runtime_workers() noexcept {
  auto& s = the_session();
  std::lock_guard lock(s.mutex);
  return s.runtime ? s.runtime->concurrency() - std::min(of_other_pools(*s.runtime), s.runtime->concurrency()) : 0;
}

runtime_statistics statistics() {
  auto& s = the_session();
  std::lock_guard lock(s.mutex);
  return s.runtime ? s.runtime->statistics() : runtime_statistics{};
}

void forget_after_fork() noexcept {
  forget_events_after_fork();
  auto& s = the_session(); // the parent's lock may have been held by a thread that does not exist here
  new (&s.mutex) std::mutex;
  new (&s.idle) std::condition_variable;
  (void)s.runtime.release(); // its threads are the parent's; this process makes a runtime of its own
  s.active = 0;
  new (&s.submitted) std::vector<std::shared_ptr<submission>>;
}

void submit(std::shared_ptr<submission> work, unsigned workers) {
  auto& s = the_session();
  {
    std::unique_lock lock(s.mutex);
    ensure(s, workers, lock);
    ++s.active;
    s.submitted.push_back(work);
  }
  (void)async(launch::async, [&s, work = std::move(work)] {
    int expected = submission::waiting;
    if (work->stage.compare_exchange_strong(expected, submission::running)) {
      completion done{work->ticket, {}, nullptr};
      try {
        done.result = work->program.run(work->arguments, work->options);
      } catch (...) {
        done.error = std::current_exception();
      }
      work->arguments.clear();
      add_completion(std::move(done));
    }
    finish(s, work);
  });
}

} // namespace treadle::python

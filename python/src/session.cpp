#include "session.hpp"

#include <treadle/async.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace treadle::python {
namespace {

struct session {
  std::mutex mutex;
  std::condition_variable idle; // active became 0
  std::unique_ptr<treadle::runtime> runtime;
  int active = 0; // runs that may use the runtime
  bool forked = false;
  std::vector<std::shared_ptr<submission>> submitted;
};
session& the_session() {
  static auto* s = new session; // never destroyed: stop_runtime() ends it while Python is still there
  return *s;
}

// With the lock held. Another number of workers has to wait for the runs that go on.
void ensure(session& s, unsigned workers, std::unique_lock<std::mutex>& lock) {
  const auto fits = [&] { return s.runtime && (workers == 0 || s.runtime->workers() == workers); };
  while (!s.forked && s.runtime && !fits() && s.active > 0) {
    s.idle.wait_for(lock, std::chrono::milliseconds(50));
    if (s.active == 0) break;
    lock.unlock();
    check_signals();
    lock.lock();
  }
  if (s.forked)
    throw std::runtime_error("Treadle was running when this process was forked, and its workers stayed in the parent: "
                             "use multiprocessing's start method 'spawn', or fork before the first call");
  if (fits()) return;
  s.runtime.reset();
  runtime_options options;
  options.workers = workers;
  s.runtime = std::make_unique<treadle::runtime>(options);
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
  if (options.policy != physl::policy::always_inline || (workers != 0 && !s.forked)) ensure(s, workers, lock);
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
    if (s.forked) return;
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
  return s.runtime ? s.runtime->workers() : 0;
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
  s.forked = s.runtime != nullptr;
  (void)s.runtime.release(); // its threads cannot be joined
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

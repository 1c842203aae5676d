// src/task/idle/drain.hpp: wait_idle() returns, and only when everything has finished.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"

namespace treadle::check {
namespace {

/// A job that creates another one where it runs.
struct parent final : detail::job {
  parent(small_runtime& r, detail::job& c) : runtime(r), child(c) {}
  void run() noexcept override {
    runtime.push(runtime.here()->index(), child, false);
    runs = runs + 1;
  }
  small_runtime& runtime;
  detail::job& child;
  plain<int> runs = 0;
};

void wait_idle(unsigned workers, bool with_child, std::int64_t nap_ns = 0) {
  small_runtime runtime({.workers = workers, .nap_ns = nap_ns});
  std::vector<thread> running;
  runtime.start(running);
  once child;
  parent p(runtime, child);
  if (with_child)
    runtime.inject(p);
  else
    runtime.inject(child);
  runtime.wait_idle();
  require(!with_child || p.runs == 1, "the job has finished");
  require(child.was_run(), "and so has what it created");
  runtime.exit();
  runtime.join(running);
}

} // namespace

std::vector<scenario> drain_scenarios() {
  return {
      {"wait_idle", [] { wait_idle(1, false); }},
      {"wait_idle_child", [] { wait_idle(1, true); }},
      {"wait_idle_napping", [] { wait_idle(1, true, 100); }},
      {"wait_idle_two_workers", [] { wait_idle(2, true); }},
  };
}

} // namespace treadle::check

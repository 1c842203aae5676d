#pragma once

#include "model/small_runtime.hpp"
#include "task/idle/slots.hpp"

namespace treadle::check {

/// small_runtime whose workers go off duty, as worker::next_job(), stand_by(), begin_blocking() and
/// scheduler::pass_on() have it.
struct changing_runtime : small_runtime {
  virtual ~changing_runtime() = default;
  explicit changing_runtime(unsigned n) : small_runtime(n), on_duty(idle, n), m_workers(n) {
    on_duty.set_wanted(n);
    for (unsigned i = 0; i < n; ++i) require(on_duty.take(), "there is a slot for each");
  }

  bool must_stay_awake(unsigned w) const noexcept { return small_runtime::must_stay_awake(w) || on_duty.has_surplus(); }

  void start(std::vector<thread>& running) {
    for (unsigned w = 0; w < m_workers; ++w) running.emplace_back([this, w] { work(w); });
  }
  void exit() {
    exiting.store(true, order::relaxed);
    on_duty.set_wanted(m_workers);
    idle.wake_all();
  }
  void join(std::vector<thread>& running) {
    small_runtime::join(running);
    require(on_duty.active() == m_workers, "no slot is lost or doubled");
  }

  void pass_on() noexcept {
    detail::heavy_fence();
    if (work_is_visible()) idle.notify_injected();
    check_drained();
  }
  virtual void stand_by(unsigned me) noexcept {
    pass_on();
    left.fetch_add(1, order::relaxed);
    detail::futex_wake(left);
    on_duty.wait(me);
  }
  void begin_blocking() noexcept {
    on_duty.lend();
    pass_on();
  }
  void end_blocking() noexcept { on_duty.take_back(); }

  void work(unsigned me) {
    worker_of[this_thread()] = me;
    for (;;) {
      while (on_duty.has_surplus() && on_duty.leave(me)) stand_by(me);
      detail::job* j = workers[me]->tasks.pop();
      if (!j) j = search(me);
      if (j)
        run(me, *j);
      else if (exiting.load(order::relaxed))
        return;
    }
  }
  virtual detail::job* search(unsigned me) {
    idle.begin_search();
    detail::job* j = find(me);
    while (!j && !exiting.load(order::relaxed) && !on_duty.has_surplus()) {
      idle.sleep(me, detail::k_forever_ns, *this);
      j = find(me);
    }
    if (j || !exiting.load(order::relaxed))
      idle.end_search_with_job(*this);
    else
      idle.end_search();
    return j;
  }

  detail::slots on_duty;
  atomic<std::uint32_t> left{0}; // how often somebody went off duty

 protected:
  const unsigned m_workers;
};

} // namespace treadle::check

// include/treadle/detail/notification.hpp: who blocks is resumed once, whether it has left its stack or not.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"
#include "model/small_state.hpp"
#include "model/small_waiter.hpp"
#include "task/wait/wait_for_state.hpp"

#include <treadle/detail/notification.hpp>

namespace treadle::check {
namespace {

/// A task that blocks, and one that gives it a value.
void notify_a_task() {
  detail::notification word;
  plain<int> stack = 0, value = 0, resumed = 0;
  const auto resume = [&] {
    require(stack == 3 && value == 7, "the stack as it was left, and what was waited for");
    resumed = resumed + 1;
  };
  in_parallel({[&] {
                 stack = 3;
                 if (!word.leave()) resume();
               },
               [&] {
                 value = 7;
                 if (word.notify()) resume();
               }});
  require(resumed == 1, "it is resumed once");
}

/// A task that looks before it leaves.
void notify_a_task_that_looks() {
  detail::notification word;
  plain<int> value = 0;
  in_parallel({[&] {
                 if (word.has_arrived()) require(value == 7, "what was waited for");
               },
               [&] {
                 value = 7;
                 word.notify();
               }});
}

/// A thread that sleeps.
void notify_a_thread() {
  small_waiter waiter;
  plain<int> value = 0;
  in_parallel({[&] {
                 waiter.block();
                 require(value == 7, "what was waited for");
               },
               [&] {
                 value = 7;
                 waiter.notify();
               }});
}

/// treadle::detail::waiter of a task. A worker without fibers has left the task's stack when the job returns, and what
/// is behind the wait is the job `rest`.
struct task_waiter {
  void block(bool (*publish)(void*), void* argument) {
    word.begin_to_wait(publish, argument, [this] { make_runnable(); });
  }
  void notify() noexcept {
    if (word.notify()) make_runnable();
  }
  void make_runnable() noexcept {
    if (small_runtime::worker* const here = runtime.here())
      runtime.push(here->index(), rest, false);
    else
      runtime.inject(rest);
  }

  task_waiter(small_runtime& r, detail::job& behind) : runtime(r), rest(behind) {}
  small_runtime& runtime;
  detail::job& rest;
  detail::notification word;
};

/// Tasks that wait for the same state, which a thread outside or another task completes.
void wait_in_a_task(unsigned workers, bool completed_by_a_task) {
  struct waiting_task final : detail::job {
    struct after final : detail::job {
      explicit after(small_state& s) : state(s) {}
      void run() noexcept override {
        require(state.value == 7, "the value is there");
        done.run();
      }
      small_state& state;
      awaited done;
    };
    waiting_task(small_runtime& r, small_state& s) : rest(s), wait(s, r, static_cast<detail::job&>(rest)) {}
    void run() noexcept override { wait.block(); }
    after rest;
    detail::wait_for_state<small_state, task_waiter> wait;
  };
  struct completing final : detail::job {
    explicit completing(small_state& s) : state(s) {}
    void run() noexcept override {
      state.value = 7;
      state.complete();
    }
    small_state& state;
  };
  small_runtime runtime({.workers = workers});
  std::vector<thread> running;
  runtime.start(running);
  small_state state;
  waiting_task task(runtime, state);
  completing last(state);
  runtime.inject(task);
  completed_by_a_task ? runtime.inject(last) : last.run();
  task.rest.done.wait();
  runtime.wait_idle(); // the state is used until the end of complete()
  runtime.exit();
  runtime.join(running);
}

} // namespace

std::vector<scenario> notification_scenarios() {
  return {
      {"notify_a_task", notify_a_task},
      {"notify_a_task_that_looks", notify_a_task_that_looks},
      {"notify_a_thread", notify_a_thread},
      {"wait_in_a_task", [] { wait_in_a_task(1, false); }},
      {"wait_in_a_task_for_another", [] { wait_in_a_task(2, true); }},
  };
}

} // namespace treadle::check

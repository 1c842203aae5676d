// include/treadle/detail/notification.hpp: who blocks is resumed once, whether it has left its stack or not.
#include "base/sync/park.hpp"
#include "model/protocols.hpp"
#include "model/support.hpp"

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
  detail::notification word;
  plain<int> value = 0;
  in_parallel({[&] {
                 while (!word.has_arrived()) detail::futex_wait(word.word(), detail::notification::k_running);
                 require(value == 7, "what was waited for");
               },
               [&] {
                 value = 7;
                 word.notify();
                 detail::futex_wake(word.word());
               }});
}

} // namespace

std::vector<scenario> notification_scenarios() {
  return {
      {"notify_a_task", notify_a_task},
      {"notify_a_task_that_looks", notify_a_task_that_looks},
      {"notify_a_thread", notify_a_thread},
  };
}

} // namespace treadle::check

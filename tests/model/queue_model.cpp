// include/treadle/detail/spinlock.hpp and src/task/queue/injection_queue.hpp.
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "task/queue/injection_queue.hpp"

namespace treadle::check {
namespace {

void spinlock_excludes() {
  detail::spinlock lock;
  plain<int> counter = 0;
  const auto add = [&] {
    detail::scoped_lock guard(lock);
    counter = counter + 1;
  };
  const auto try_to_add = [&] {
    if (!lock.try_lock()) return;
    counter = counter + 1;
    lock.unlock();
  };
  in_parallel({add, add, try_to_add});
  require(counter >= 2 && counter <= 3, "nobody's increment is lost");
}

void injection_queue_keeps_order_and_loses_nothing() {
  detail::injection_queue queue;
  once first(1), second(2), other(3);
  plain<int> last = 0;
  in_parallel({[&] { queue.push(&first), queue.push(&second); }, [&] { queue.push(&other); },
               [&] {
                 for (int i = 0; i < 2; ++i) {
                   detail::job* j = queue.pop();
                   if (!j) continue;
                   const int id = static_cast<once*>(j)->argument;
                   require(!(id == 1 && last == 2), "first in, first out");
                   last = id;
                   j->run();
                 }
               }});
  while (detail::job* j = queue.pop()) j->run();
  require(first.was_run() && second.was_run() && other.was_run(), "no job is lost");
}

/// empty() is read without the lock: whoever knows of a push, from anywhere, does not find the queue empty.
void injection_queue_is_not_empty_for_those_who_know() {
  detail::injection_queue queue;
  once one(1);
  atomic<int> pushed{0};
  in_parallel({[&] { queue.push(&one), pushed.store(1, order::release); },
               [&] {
                 if (!pushed.load(order::acquire)) return;
                 detail::job* j = queue.pop();
                 require(j == &one, "a job that is known of is found");
                 j->run();
                 require(queue.empty(), "and was the only one");
               }});
}

} // namespace

std::vector<scenario> queue_scenarios() {
  return {
      {"spinlock", spinlock_excludes},
      {"injection_queue", injection_queue_keeps_order_and_loses_nothing},
      {"injection_queue_known", injection_queue_is_not_empty_for_those_who_know},
  };
}

} // namespace treadle::check

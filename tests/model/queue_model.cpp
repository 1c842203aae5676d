// include/treadle/detail/spinlock.hpp and src/task/queue/{injection_queue,ordered_jobs}.hpp.
#include "model/protocols.hpp"
#include "model/support.hpp"
#include "task/queue/injection_queue.hpp"
#include "task/queue/ordered_jobs.hpp"

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

/// empty() is read without the lock: the one that knows of a push, from anywhere, does not find the queue empty.
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

struct nobody {
  void begin_critical() noexcept {}
};

/// A thread that has learned of some jobs takes the one with the longest path first; no job is lost or run twice.
void ordered_jobs_are_taken_in_their_order() {
  detail::ordered_jobs jobs;
  once near(1), far(2), urgent(3);
  atomic<int> pushed{0};
  const auto take = [&jobs] {
    nobody by;
    return jobs.pop(by);
  };
  in_parallel({[&] {
                 require(jobs.push(&near, priority::normal, 1), "there is memory");
                 require(jobs.push(&far, priority::normal, 9), "there is memory");
                 pushed.store(1, order::release);
                 require(jobs.push(&urgent, priority::critical, 0), "there is memory");
               },
               [&] {
                 const bool knows = pushed.load(order::acquire) != 0;
                 require(!knows || !jobs.empty(), "what is known of is not missed");
                 detail::job* const first = take();
                 require(!knows || first == &far || first == &urgent, "the most urgent first");
                 if (first) first->run();
                 detail::job* const second = take();
                 require(!knows || second != nullptr, "what is known of is found");
                 if (second) second->run();
               }});
  while (detail::job* j = take()) j->run();
  require(near.was_run() && far.was_run() && urgent.was_run(), "no job is lost");
}

/// Two take at once, one sweeps.
void ordered_jobs_are_taken_once() {
  detail::ordered_jobs jobs;
  once one(1), two(2);
  const auto take = [&jobs] {
    nobody by;
    if (detail::job* j = jobs.pop(by)) j->run();
  };
  const auto take_oldest = [&jobs] {
    nobody by;
    if (detail::job* j = jobs.pop_oldest(by)) j->run();
  };
  in_parallel({[&] { static_cast<void>(jobs.push(&one, priority::normal, 1)), take(); },
               [&] { static_cast<void>(jobs.push(&two, priority::normal, 2)), take_oldest(); },
               [&] { require(jobs.take_stale() == nullptr, "none of them is stale"), take(); }});
  take();
  require(one.was_run() && two.was_run() && jobs.empty(), "no job is lost");
}

} // namespace

std::vector<scenario> queue_scenarios() {
  return {
      {"spinlock", spinlock_excludes},
      {"injection_queue", injection_queue_keeps_order_and_loses_nothing},
      {"injection_queue_known", injection_queue_is_not_empty_for_those_who_know},
      {"ordered_jobs", ordered_jobs_are_taken_in_their_order},
      {"ordered_jobs_once", ordered_jobs_are_taken_once},
  };
}

} // namespace treadle::check

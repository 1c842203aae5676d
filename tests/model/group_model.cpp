// include/treadle/detail/group_count.hpp: the owner of a group sees what all tasks did, and is woken once, by the last.
#include "base/sync/park.hpp"
#include "model/protocols.hpp"
#include "model/small_waiter.hpp"

#include <treadle/detail/group_count.hpp>

namespace treadle::check {
namespace {

/// As treadle::task_group, whose waiter lives only while the owner waits.
struct small_group {
  void finish_elsewhere() {
    if (count.finished_elsewhere()) owner->notify();
  }
  void wait() {
    if (count.all_finished()) return;
    small_waiter self;
    owner = &self;
    if (count.begin_wait()) self.block();
    count.end_wait();
  }

  detail::group_count count;
  plain<small_waiter*> owner = nullptr;
};

/// Tasks started by the owner and finished by thieves.
void stolen(int tasks, int kept) {
  small_group group;
  std::vector<plain<int>> did(static_cast<std::size_t>(tasks));
  std::vector<thread> thieves;
  for (int i = 0; i < tasks + kept; ++i) group.count.started_here();
  for (plain<int>& d : did) {
    thieves.emplace_back([&group, &d] {
      d = 1;
      group.finish_elsewhere();
    });
  }
  for (int i = 0; i < kept; ++i) group.count.finished_here();
  group.wait();
  for (plain<int>& d : did) require(d == 1, "what the task did is seen");
  require(group.count.all_finished(), "the count is zero again");
  for (thread& t : thieves) t.join();
}

/// A stolen task that starts another one of the group, which the owner or somebody else finishes.
void grows(bool owner_takes_it) {
  small_group group;
  plain<int> did = 0;
  atomic<std::uint32_t> queued{0};
  group.count.started_here();
  thread thief([&] {
    group.count.started_elsewhere();
    did = 1;
    queued.store(1, order::release);
    detail::futex_wake(queued);
    group.finish_elsewhere();
  });
  const auto take = [&] {
    while (queued.load(order::acquire) == 0) detail::futex_wait(queued, 0);
    did = did + 1;
  };
  std::vector<thread> others;
  if (owner_takes_it) {
    take();
    group.count.finished_here();
  } else {
    others.emplace_back([&] {
      take();
      group.finish_elsewhere();
    });
  }
  group.wait();
  require(did == 2, "what both tasks did is seen");
  for (thread& t : others) t.join();
  thief.join();
}

/// Something else ends the wait at the moment when the last task finishes; then the owner waits again.
void given_up() {
  small_group group;
  plain<int> did = 0;
  group.count.started_here();
  thread thief([&] {
    did = 1;
    group.finish_elsewhere();
  });
  small_waiter owner;
  plain<bool> was_given_up = false;
  group.owner = &owner;
  if (group.count.begin_wait()) {
    thread stop([&] {
      if (!group.count.withdraw_wait()) return;
      was_given_up = true;
      owner.notify();
    });
    owner.block();
    stop.join();
  }
  was_given_up ? group.wait() : group.count.end_wait();
  require(did == 1, "what the task did is seen");
  require(group.count.all_finished(), "the count is zero again");
  thief.join();
}

} // namespace

std::vector<scenario> group_scenarios() {
  return {
      {"group_one_stolen", [] { stolen(1, 1); }},
      {"group_two_stolen", [] { stolen(2, 0); }},
      {"group_grows", [] { grows(false); }},
      {"group_grows_owner", [] { grows(true); }},
      {"group_given_up", given_up},
  };
}

} // namespace treadle::check

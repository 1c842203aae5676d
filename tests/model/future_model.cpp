// The words of a future's state: continuation list, claim, reference count; and the join of a promoted fork, which puts
// them together with the deque.
#include "model/protocols.hpp"
#include "model/small_waiter.hpp"
#include "task/queue/deque.hpp"
#include "task/state/entry.hpp"
#include "task/wait/wait_for_state.hpp"

#include <treadle/detail/claim.hpp>
#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/reference_count.hpp>

namespace treadle::check {
namespace {

using detail::claim_word;
using detail::continuation_list;
using detail::reference_count;

/// A continuation that must fire once, and sees the value when it does.
struct reader final : detail::continuation {
  explicit reader(plain<int>& v) : value(v) {}
  void fire() noexcept override {
    fired = fired + 1;
    require(value == 7, "the value is there");
  }
  plain<int>& value;
  plain<int> fired = 0;
};

void attach_or_find_ready(int attachers) {
  continuation_list list;
  plain<int> value = 0;
  reader a(value), b(value);
  const auto attach = [&](reader& r) {
    if (!list.try_attach(r)) r.fire();
  };
  if (attachers == 1)
    in_parallel({[&] { value = 7, list.complete(); }, [&] { attach(a); }});
  else
    in_parallel({[&] { value = 7, list.complete(); }, [&] { attach(a); }, [&] { attach(b); }});
  require(a.fired == 1, "a continuation fires once");
  if (attachers == 2) require(b.fired == 1, "a continuation fires once");
  require(list.is_ready(), "ready");
}

void ready_shows_the_value() {
  continuation_list list;
  plain<int> value = 0;
  in_parallel({[&] { value = 7, list.complete(); },
               [&] {
                 if (list.is_ready()) require(value == 7, "the value is there");
               }});
}

/// One continuation takes itself back while another attaches and the state completes.
void withdraw_or_fire() {
  continuation_list list;
  plain<int> value = 0;
  reader leaving(value), staying(value), late(value);
  plain<int> withdrawn = 0;
  list.try_attach(leaving);
  list.try_attach(staying);
  in_parallel({[&] { value = 7, list.complete(); }, [&] { withdrawn = list.withdraw(leaving) ? 1 : 0; },
               [&] {
                 if (!list.try_attach(late)) late.fire();
               }});
  require(leaving.fired + withdrawn == 1, "withdrawn or fired, not both");
  require(staying.fired == 1 && late.fired == 1, "the others fire once");
}

/// Two neighbours in the list take themselves back.
void withdraw_two() {
  continuation_list list;
  plain<int> value = 0;
  reader a(value), b(value), late(value);
  in_parallel({[&] {
                 if (list.try_attach(a)) require(list.withdraw(a), "nobody else takes it");
               },
               [&] {
                 if (list.try_attach(b)) require(list.withdraw(b), "nobody else takes it");
               }});
  require(list.try_attach(late), "not ready");
  value = 7;
  list.complete();
  require(a.fired == 0 && b.fired == 0 && late.fired == 1, "only what is attached fires");
}

/// Neighbours in the middle of the list, and its newest, take themselves back while it grows; one comes back.
void withdraw_from_the_middle() {
  continuation_list list;
  plain<int> value = 0;
  reader oldest(value), a(value), b(value), newest(value), late(value);
  for (reader* r : {&oldest, &a, &b, &newest}) list.try_attach(*r);
  in_parallel({[&] {
                 require(list.withdraw(a), "nobody else takes it");
                 require(!list.withdraw(a), "it is gone");
               },
               [&] { require(list.withdraw(b), "nobody else takes it"); },
               [&] {
                 require(list.try_attach(late), "not ready");
                 require(list.withdraw(newest) && list.try_attach(newest), "not ready");
               }});
  value = 7;
  list.complete();
  require(a.fired == 0 && b.fired == 0, "what was taken back is not fired");
  require(oldest.fired == 1 && late.fired == 1 && newest.fired == 1, "the others are");
}

/// One attaches while another, who need not find it there, takes it back: input_hooks.
void withdraw_what_another_attaches() {
  continuation_list list;
  plain<int> value = 0;
  reader before(value), c(value);
  plain<int> attached = 0, withdrawn = 0;
  list.try_attach(before);
  in_parallel({[&] { value = 7, list.complete(); }, [&] { attached = list.try_attach(c) ? 1 : 0; },
               [&] { withdrawn = list.withdraw(c) ? 1 : 0; }});
  require(withdrawn + c.fired == attached, "withdrawn or fired, if attached");
  require(before.fired == 1, "the other is fired");
}

void one_claims() {
  claim_word claim;
  atomic<int> visible{0};
  plain<int> argument = 0, runs = 0;
  const auto compete = [&] {
    if (!claim.claim()) return;
    require(argument == 7, "the argument is there");
    runs = runs + 1;
  };
  in_parallel({[&] {
                 argument = 7;
                 claim.offer(claim_word::k_available);
                 visible.store(1, order::relaxed); // the state may reach another thread in any way
               },
               [&] {
                 if (visible.load(order::relaxed)) compete();
               },
               compete});
  compete();
  require(runs == 1, "exactly one runs it");
}

/// A deferred task gets two consumers and a waiter: one consumer queues it, one of all runs it.
void deferred_is_queued_once() {
  claim_word claim;
  plain<int> argument = 0;
  atomic<int> queued{0}, runs{0};
  const auto run = [&] {
    if (!claim.claim()) return;
    require(argument == 7, "the argument is there");
    runs.fetch_add(1, order::relaxed);
  };
  const auto consume = [&] {
    if (claim.state() == claim_word::k_deferred && claim.end_deferral(claim_word::k_available)) {
      queued.fetch_add(1, order::relaxed);
      run();
    }
  };
  in_parallel({[&] {
                 argument = 7;
                 claim.offer(claim_word::k_deferred);
                 consume();
               },
               consume, run});
  run();
  require(runs.load(order::relaxed) == 1, "exactly one runs it");
  require(queued.load(order::relaxed) <= 1, "it is queued at most once");
}

void last_owner_deletes() {
  struct counted {
    reference_count owners;
    plain<int> value = 0;
    plain<int> other = 0;
  };
  auto* object = new counted;
  object->owners.add();
  const auto drop = [=] {
    if (!object->owners.drop()) return;
    object->value = object->other = 0; // as the destructor will
    delete object;
  };
  in_parallel({[=] { object->value = 1, drop(); }, [=] { object->other = 1, drop(); }});
}

/// What a promoted fork, or any task that is waited for, does with all of these: docs/design/latent-forks.md.
struct task final : detail::job {
  reference_count owners; // the joiner and the queue
  claim_word claim;
  continuation_list waiting;
  plain<int> argument = 0, value = 0;

  void execute() noexcept {
    require(argument == 3, "the argument is there");
    require(value == 0, "executed once");
    value = argument + 4;
    waiting.complete();
  }
  void run() noexcept override { // the queue's side
    if (claim.claim()) execute();
    drop();
  }
  void drop() noexcept {
    if (!owners.drop()) return;
    argument = value = 0; // as the destructor will
    delete this;
  }
};

/// The rest of a get() by a thread.
void await_value(task& t) {
  if (!t.waiting.is_ready()) detail::wait_for_state<continuation_list, small_waiter>(t.waiting).block();
  require(t.value == 7, "the value is there");
}

void fork_and_join(int thieves) {
  detail::basic_deque<2> tasks;
  const auto steal = [&] {
    if (detail::job* j = tasks.steal()) j->run();
  };
  std::vector<thread> running;
  for (int i = 0; i < thieves; ++i) running.emplace_back(steal);
  auto* forked = new task;
  forked->owners.add();
  forked->argument = 3;
  forked->claim.offer(claim_word::k_available);
  tasks.push(forked);
  // The join. As get(): in place when nobody has started it, the queue entry stays and is dropped later.
  if (forked->claim.claim()) forked->execute();
  await_value(*forked);
  forked->drop();
  for (thread& t : running) t.join();
  while (detail::job* j = tasks.pop()) j->run();
}

/// get() by the only future takes the entry and completes without locked instructions; a thief may be faster, and
/// another owner has waited with a time limit and is leaving.
void get_by_only_future() {
  detail::basic_deque<2> tasks;
  auto* t = new task;
  t->owners.add_unshared();
  t->argument = 3;
  t->claim.offer(claim_word::k_available);
  t->owners.add();
  reader r(t->value);
  std::vector<thread> others;
  others.emplace_back([t, &r] {
    if (t->waiting.try_attach(r))
      t->waiting.withdraw(r);
    else
      require(t->value == 7, "the value is there");
    t->drop();
  });
  others.emplace_back([&] {
    if (detail::job* j = tasks.steal()) j->run();
  });
  tasks.push(t);
  if (tasks.pop_if(t)) {
    const auto execute = [t] {
      t->value = t->argument + 4;
      t->waiting.complete_unshared();
    };
    if (!detail::run_entry_unshared(t->owners, t->claim, execute)) t->run();
  }
  await_value(*t);
  t->drop();
  for (thread& other : others) other.join();
}

/// The same where the task's function returned a future: another thread shares the state from then on and completes it.
void result_comes_later() {
  auto* t = new task;
  t->owners.add_unshared();
  t->claim.claim_unshared();
  t->owners.add();
  thread completer([t] {
    t->value = 7;
    t->waiting.complete();
    t->drop();
  });
  t->owners.drop_unshared(); // the entry's share
  await_value(*t);
  t->drop();
  completer.join();
}

} // namespace

std::vector<scenario> future_scenarios() {
  return {
      {"ready_shows_the_value", ready_shows_the_value},
      {"attach_one", [] { attach_or_find_ready(1); }},
      {"attach_two", [] { attach_or_find_ready(2); }},
      {"withdraw", withdraw_or_fire},
      {"withdraw_two", withdraw_two},
      {"withdraw_from_the_middle", withdraw_from_the_middle},
      {"withdraw_what_another_attaches", withdraw_what_another_attaches},
      {"claim", one_claims},
      {"deferred", deferred_is_queued_once},
      {"reference_count", last_owner_deletes},
      {"fork_and_join", [] { fork_and_join(1); }},
      {"fork_and_join_two_thieves", [] { fork_and_join(2); }},
      {"get_by_only_future", get_by_only_future},
      {"result_comes_later", result_comes_later},
  };
}

} // namespace treadle::check

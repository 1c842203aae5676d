// src/task/pools/loans.hpp: work of one pool is found by workers of another one that have none, and a pool gets back
// what it has lent when it has work itself. What is left shows as a deadlock.
#include "model/protocols.hpp"
#include "model/small_runtime.hpp"

namespace treadle::check {
namespace {

using all_loans = small_runtime::all_loans;

/// Two pools of a worker each, and spare ones.
struct two_pools {
  two_pools(unsigned spares_of_a, unsigned spares_of_b, bool watched = false)
      : a({.workers = 1, .spares = spares_of_a, .watched = watched, .loans = &between}),
        b({.workers = 1, .spares = spares_of_b, .watched = watched, .loans = &between}) {
    between.begin({&a, &b});
    a.start(running);
    b.start(running);
  }
  ~two_pools() {
    between.end();
    a.exit();
    b.exit();
    for (thread& t : running) t.join();
    std::vector<thread> none; // left: what must hold at the end
    a.join(none);
    b.join(none);
  }

  all_loans between;
  small_runtime a, b;
  std::vector<thread> running;
};

/// The only worker of a pool waits for what its pool cannot run without help.
void lend() {
  two_pools both(0, 1);
  awaited other;
  waits_for job(other);
  both.b.inject(job);
  both.b.inject(other);
  job.done.wait();
}

/// The worker of a pool goes on until it is watched: by that of the other pool, or by a spare one with that one's slot.
void watch_another_pool() {
  struct watched final : detail::job {
    explicit watched(two_pools& b) : both(b) {}
    void run() noexcept override {
      while (!both.a.is_watched() && !both.b.is_watched()) detail::cpu_relax();
      done.run();
    }
    two_pools& both;
    awaited done;
  };
  two_pools both(0, 1, true);
  watched job(both);
  both.b.inject(job);
  job.done.wait();
}

/// Two pools lend to a third one, whose jobs wait for each other.
void lend_two() {
  all_loans between;
  small_runtime a({.workers = 1, .loans = &between}), b({.workers = 1, .loans = &between}),
      c({.workers = 1, .spares = 2, .loans = &between});
  std::vector<thread> running;
  between.begin({&a, &b, &c});
  for (small_runtime* one : {&a, &b, &c}) one->start(running);
  awaited last;
  waits_for second(last), first(second.done);
  c.inject(first);
  c.inject(second);
  c.inject(last);
  first.done.wait();
  between.end();
  for (small_runtime* one : {&a, &b, &c}) one->exit();
  for (thread& t : running) t.join();
}

/// What the borrowed worker runs waits for a job of the lender, which has no slot any more.
void call_back() {
  two_pools both(0, 1);
  awaited last, first;
  waits_for second(last), third(second.done);
  both.b.inject(third);
  both.b.inject(second);
  both.a.inject(last);
  third.done.wait();
}

/// Loans are ended, and the shares change, while slots are lent and called back.
void share_out() {
  two_pools both(0, 1);
  awaited other, own;
  waits_for job(other);
  const unsigned shares[] = {1, 1};
  const unsigned most[] = {all_loans::k_no_limit, all_loans::k_no_limit};
  in_parallel({[&] {
                 both.b.inject(job);
                 both.b.inject(other);
                 both.a.inject(own);
               },
               [&] { both.between.share_out(shares, most); }});
  own.wait();
  job.done.wait();
}

} // namespace

std::vector<scenario> loans_scenarios() {
  return {{"watch_another_pool", watch_another_pool},
          {"lend_to_a_pool", lend},
          {"lend_two_to_a_pool", lend_two},
          {"call_back", call_back},
          {"share_out_again", share_out}};
}

} // namespace treadle::check

// src/task/pools/loans.hpp: work of one pool is found by workers of another one that have none, and a pool gets back
// what it has lent when it has work itself. What is left shows as a deadlock.
#include "model/changing_runtime.hpp"
#include "model/protocols.hpp"
#include "task/pools/loans.hpp"

namespace treadle::check {
namespace {

/// A pool with spare workers, as worker::search_or_sleep() and scheduler::inject() have it.
struct lending_pool : changing_runtime {
  using all_loans = detail::loans<lending_pool>;

  lending_pool(all_loans& l, unsigned own, unsigned spares)
      : changing_runtime(own + spares), between_pools(l), m_own(own) {
    on_duty.set_wanted(own);
  }

  // For loans, as scheduler has them.
  unsigned capacity() const noexcept { return m_own; }
  void add_workers() noexcept {}
  bool lacks_workers() const noexcept {
    return !idle.somebody_searches() && !idle.somebody_sleeps() && !on_duty.has_surplus() && work_is_visible();
  }
  const bool lends = true;
  atomic<unsigned> share{0};

  bool must_stay_awake(unsigned w) noexcept {
    return changing_runtime::must_stay_awake(w) || between_pools.can_lend(*this);
  }
  void inject(detail::job& j) {
    created_outside.fetch_add(1, order::relaxed);
    injected.push(&j);
    if (!idle.notify_injected()) between_pools.ask_for_help(*this);
  }
  void stand_by(unsigned me) noexcept override {
    detail::heavy_fence();
    if (work_is_visible() && !idle.notify_injected()) between_pools.ask_for_help(*this);
    check_drained();
    on_duty.wait(me);
  }
  detail::job* search(unsigned me) override {
    idle.begin_search();
    detail::job* j = find(me);
    while (!j && !exiting.load(order::relaxed) && !on_duty.has_surplus()) {
      if (between_pools.lend(*this) || between_pools.give_back(*this)) break;
      const bool offers = between_pools.offer(*this);
      idle.sleep(me, detail::k_forever_ns, *this);
      if (offers) between_pools.end_offer(*this);
      j = find(me);
    }
    if (!j && exiting.load(order::relaxed))
      idle.end_search();
    else if (!idle.end_search_with_job(*this))
      between_pools.ask_for_help(*this);
    return j;
  }

  all_loans& between_pools;

 private:
  const unsigned m_own;
};

/// Two pools of a worker each, and spare ones.
struct two_pools {
  two_pools(unsigned spares_of_a, unsigned spares_of_b) : a(between, 1, spares_of_a), b(between, 1, spares_of_b) {
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

  lending_pool::all_loans between;
  lending_pool a, b;
  std::vector<thread> running;
};

/// A job that blocks its worker until another one has run.
struct waits_for final : detail::job {
  explicit waits_for(awaited& o) : other(o) {}
  void run() noexcept override {
    other.wait();
    done.run();
  }
  awaited& other;
  awaited done;
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

/// Two pools lend to a third one, whose jobs wait for each other.
void lend_two() {
  lending_pool::all_loans between;
  lending_pool a(between, 1, 0), b(between, 1, 0), c(between, 1, 2);
  std::vector<thread> running;
  between.begin({&a, &b, &c});
  for (lending_pool* one : {&a, &b, &c}) one->start(running);
  awaited last;
  waits_for second(last), first(second.done);
  c.inject(first);
  c.inject(second);
  c.inject(last);
  first.done.wait();
  between.end();
  for (lending_pool* one : {&a, &b, &c}) one->exit();
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
  const unsigned most[] = {lending_pool::all_loans::k_no_limit, lending_pool::all_loans::k_no_limit};
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
  return {{"lend_to_a_pool", lend},
          {"lend_two_to_a_pool", lend_two},
          {"call_back", call_back},
          {"share_out_again", share_out}};
}

} // namespace treadle::check

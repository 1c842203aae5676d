// Places that use launch::adaptive: what a call needs lies in the site; this is the other part, which one call in 64
// comes to.
#include <treadle/detail/site.hpp>
#include <treadle/tune/inlining.hpp>

#include "base/clock.hpp"
#include "control/deciding_time.hpp"
#include "control/place_name.hpp"
#include "control/recall.hpp"
#include "control/spawn_cost.hpp"
#include "decide/adaptive_inlining.hpp"
#include "decide/paper_adaptive.hpp"
#include "loop/reasons.hpp"
#include "task/engine/inlining_policy.hpp"
#include "task/worker/worker.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>

namespace treadle::detail {

/// Both ways, for one number of workers.
struct tried_inlining {
  tried_inlining(unsigned workers, bool inlined)
      : of{workers}, search(tune::space({{2, false}}), inlined ? 1 : 0, {}) {}
  const loop::context of;
  loop::state search;
};

/// A thread that finds it locked skips its sample.
struct tuned_site final : loop::explained {
  explicit tuned_site(std::string name) : decision(loop::decision_kind::inlining, std::move(name)) {}
  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return lock.try_lock(); }
  void unlock() noexcept override { lock.unlock(); }

  spinlock lock; // of all but the next
  atomic<std::uint64_t> mean_ns{0};
  std::uint32_t generation = 0; // of the policy
  inlining_policy how = inlining_policy::adaptive;
  bool inlined = false;

  loop::decision decision;
  decide::spawn_cost task_cost;
  decide::execution_cost measured;
  decide::call_backlog backlog;
  decide::inlining_verdict::reason why = {};
  loop::by_context<tried_inlining> contexts;
  tried_inlining* trying = nullptr; // in the present context; null: there is no need to

  decide::paper_baseline baseline;
  decide::paper_adaptive searching;
  decide::inlining_sample sample;

  std::uint64_t calls = 0, samples = 0;
  std::uint64_t calls_since = 0;
  atomic<bool> missed{false}; // a sample, and so its calls
  std::int64_t since_ns = 0;  // the latest sample; 0: there is none

  loop::explanation asked{*this};
};

namespace {

constexpr std::uint32_t k_calls_per_sample = 64, k_calls_in_debt = 1024, k_first_samples = 10;
constexpr double k_cpu_clock_above_ns = 20'000; // where reading it costs little

struct inlining_names final : loop::choice_names {
  std::string operator()(tune::arm at) const override { return at == 1 ? "inline" : "task"; }
  std::string all() const override { return "task, inline"; }
};

tuned_site* make(atomic<tuned_site*>& slot, task_name name) noexcept {
  try {
    auto made = std::make_unique<tuned_site>(place_name({name.text, name.bytes}));
    tuned_site* before = nullptr;
    if (!slot.compare_exchange(before, made.get(), order::acq_rel, order::acquire))
      return before;       // pairs with the loads
    return made.release(); // lives as long as its site, that is for ever
  } catch (...) {          // no memory: the place stays as it is
    return nullptr;
  }
}

std::uint64_t suspensions_here() noexcept {
  worker* w = this_worker();
  return w ? w->counters.suspensions.load(order::relaxed) : 0;
}

decide::execution previous(const tuned_site& s) noexcept {
  return s.inlined ? decide::execution::inlined : decide::execution::spawned;
}

/// Starts anew under the present policy.
void forget(tuned_site& s, inlining_choice choice) {
  if (s.trying) s.decision.interrupt(s.trying->search);
  s.generation = choice.generation;
  s.how = choice.policy;
  s.measured = {};
  s.backlog = {};
  s.why = {};
  s.contexts = {};
  s.trying = nullptr;
  s.searching = decide::paper_adaptive(present_threshold_search());
  s.sample = {};
  s.inlined = s.how == inlining_policy::always_inline;
  s.samples = s.calls = 0;
}

/// What counts is the time from call to call, which includes all that the program does in between, so what parallelism
/// gains is seen, unless it is nearly all of that time.
void decide_adaptively(tuned_site& s, std::int64_t now_ns) {
  if (s.trying && s.since_ns != 0 && s.calls_since != 0 && !s.missed.exchange(false, order::relaxed)) {
    const double calls = static_cast<double>(s.calls_since), ns = static_cast<double>(now_ns - s.since_ns);
    if (!s.backlog.is_pause(calls, ns, s.measured, s.task_cost))
      s.decision.report(s.trying->search, s.inlined ? 1 : 0, {ns / calls, calls, ns}, inlining_names());
  }
  const auto verdict = decide::judge(s.measured, s.task_cost, s.why);
  s.why = verdict.why;
  tried_inlining* const before = s.trying;
  s.trying = nullptr;
  if (verdict.why == decide::inlining_verdict::reason::uncertain) {
    s.trying = &s.contexts.in(s.task_cost.workers, {}, [&] {
      auto made = std::make_unique<tried_inlining>(s.task_cost.workers, verdict.inlined);
      made->search.believe(recall(s, s.decision, made->of, inlining_names().all()));
      return made;
    });
  }
  if (before && before != s.trying && before->search.is_trying()) s.decision.interrupt(before->search);
  s.inlined = s.trying ? s.decision.next(s.trying->search, now_ns, inlining_names()) == 1 : verdict.inlined;
  s.since_ns = now_ns;
}

/// After the calls of one sample.
void decide_anew(tuned_site& s, std::int64_t now_ns) {
  if (const auto choice = present_inlining_choice(); choice.generation != s.generation || s.samples == 0)
    forget(s, choice);
  switch (s.how) {
  case inlining_policy::adaptive:
    decide_adaptively(s, now_ns);
    break;
  case inlining_policy::paper_baseline:
    s.inlined = s.baseline.decide(s.sample, previous(s)).mode == decide::execution::inlined;
    break;
  case inlining_policy::paper_adaptive: {
    const auto outcome = s.searching.decide(s.sample, previous(s));
    s.inlined = outcome.decision.mode == decide::execution::inlined;
    if (outcome.reset) {
      s.sample = {};
      count(tuning_total[loop::decision_kind::inlining].windows);
    }
    break;
  }
  case inlining_policy::always_async:
  case inlining_policy::always_inline:
    break;
  }
}

} // namespace

void site::begin_sample(task_name name) noexcept {
  tuned_site* s = m_tuned.load(order::acquire); // pairs with make()
  if (!s) s = make(m_tuned, name);
  const decide::spawn_cost cost = present_spawn_cost(); // suspends the first time, and so not while the site is used
  m_until_sample.store(k_calls_per_sample - 1, order::relaxed);
  if (!s) return;
  const scoped_try_lock use(s->lock);
  if (!use) return s->missed.store(true, order::relaxed);
  const deciding_time timed(s->decision);
  const std::int64_t now_ns = steady_now_ns();
  s->task_cost = cost;
  try {
    decide_anew(*s, now_ns);
  } catch (...) { // no memory: stays as it is
  }
  const bool in_debt = loop::the_ledger.deciding.credit_ns(now_ns) < 0;
  const std::uint32_t calls = s->samples < k_first_samples ? 1 : in_debt ? k_calls_in_debt : k_calls_per_sample;
  ++s->samples;
  s->calls += calls;
  s->calls_since = calls;
  m_inline.store(s->inlined ? 1 : 0, order::relaxed);
  m_until_sample.store(calls - 1, order::relaxed);
}

double site::expected_ns() const noexcept {
  const tuned_site* tuned = m_tuned.load(order::acquire);
  return tuned ? static_cast<double>(tuned->mean_ns.load(order::relaxed)) : 0;
}

void site::record(double ns, bool blocked) noexcept {
  tuned_site* const s = m_tuned.load(order::acquire);
  if (!s) return;
  const scoped_try_lock use(s->lock);
  if (!use) return;
  const deciding_time timed(s->decision);
  s->measured.add(ns, blocked, s->task_cost);
  s->mean_ns.store(static_cast<std::uint64_t>(s->measured.mean_ns()), order::relaxed);
  ++s->sample.count;
  s->sample.total_ns += static_cast<std::uint64_t>(ns);
}

site_timer::site_timer(site& where) noexcept
    : m_site(where), m_start_ticks(ticks_now()), m_start_cpu_ns(0), m_suspensions(suspensions_here()) {
  if (where.expected_ns() > k_cpu_clock_above_ns) m_start_cpu_ns = thread_cpu_ns();
}

site_timer::~site_timer() {
  // A migration also shows as a different count, and only suspended tasks migrate.
  const bool blocked = suspensions_here() != m_suspensions;
  double ns = static_cast<double>(std::max<std::int64_t>(ticks_to_ns(ticks_now() - m_start_ticks), 0));
  if (m_start_cpu_ns != 0 && !blocked) ns = std::min(ns, static_cast<double>(thread_cpu_ns() - m_start_cpu_ns));
  m_site.record(ns, blocked);
}

void tuned_site::explain(std::vector<decision_report>& to) {
  scoped_lock use(lock);
  if (calls == 0) return;
  const inlining_names names;
  const std::string seen = "; about " + std::to_string(calls) + " calls";
  bool is_present_told = false;
  for (const auto& tried : contexts) {
    if (tried.get() != trying && tried->search.windows() == 0) continue;
    decision_report r = loop::report(decision, tried->of, tried->search, names);
    r.present = tried.get() == trying;
    if (r.present) r.why = decide::explain(why, measured, task_cost) + ": " + r.why + seen;
    is_present_told |= r.present;
    to.push_back(std::move(r));
  }
  if (is_present_told) return;
  decision_report r;
  r.kind = "inlining";
  r.instance = decision.instance();
  r.context = to_string(loop::context{task_cost.workers});
  r.chosen = r.best = names(inlined ? 1 : 0);
  r.why = (how == inlining_policy::adaptive ? decide::explain(why, measured, task_cost)
                                            : "by " + std::string(to_string(how))) +
          seen;
  r.present = true;
  r.deciding_ns = decision.deciding_ns();
  to.push_back(std::move(r));
}

} // namespace treadle::detail

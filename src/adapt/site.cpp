// Places that use launch::adaptive: what a call needs lies in the site; this is the other part, which one call in 64
// comes to.
#include <treadle/detail/site.hpp>
#include <treadle/tune/inlining.hpp>

#include "adapt/spawn_cost.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "observe/tuning_totals.hpp"
#include "policy/paper_adaptive.hpp"
#include "task/engine/inlining_policy.hpp"
#include "task/engine/worker.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <optional>

#include <time.h>

namespace treadle::detail {

/// Whoever finds it locked leaves it alone.
struct tuned_site {
  std::string name;
  spinlock lock; // of all but the next
  atomic<std::uint64_t> mean_ns{0};
  std::uint32_t generation = 0; // of the policy
  inlining_policy how = inlining_policy::adaptive;

  policies::adaptive_inlining adaptive{{}};
  policies::paper_baseline baseline;
  policies::paper_adaptive searching;
  policies::inlining_sample sample;
  bool inlined = false;

  std::uint64_t calls = 0, samples = 0;
  std::uint64_t window_calls = 0;
  std::int64_t window_ticks = 0; // its begin
  std::int64_t spent_ticks = 0;
};

namespace {

constexpr std::uint32_t k_calls_per_sample = 64, k_first_samples = 10;
constexpr std::int64_t k_window_ns = 2'000'000;
constexpr double k_cpu_clock_above_ns = 20'000; // where reading it costs little

struct all_sites {
  fork_safe_mutex mutex;
  std::vector<tuned_site*> sites; // for ever, as their sites
};
all_sites& registry() {
  static all_sites* r = new all_sites; // never destroyed: tasks may run until the very end
  return *r;
}

/// explain_sites() for people.
std::string site_table() {
  std::string table = "     calls      mean ns  decision  windows  place and reason\n";
  for (const site_report& r : explain_sites()) {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, "%10llu %12.0f  %-8s %8llu  ", static_cast<unsigned long long>(r.calls),
                  r.mean_ns, r.inlined ? "inline" : "task", static_cast<unsigned long long>(r.windows));
    table += numbers + r.name + ": " + r.why + "\n";
  }
  return table;
}

tuned_site* make(atomic<tuned_site*>& slot, task_name name) noexcept {
  try {
    auto made = std::make_unique<tuned_site>();
    made->name.assign(name.text, name.bytes);
    all_sites& all = registry();
    std::lock_guard guard(all.mutex);
    if (tuned_site* known = slot.load(order::acquire)) return known;
    all.sites.push_back(made.get());
    slot.store(made.get(), order::release); // pairs with the loads: what it points to
    g_site_table.store(site_table, order::relaxed);
    return made.release();
  } catch (...) { // no memory: the place stays as it is
    return nullptr;
  }
}

std::uint64_t suspensions_here() noexcept {
  worker* w = this_worker();
  return w ? w->counters.suspensions.load(order::relaxed) : 0;
}

std::int64_t thread_cpu_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

policies::execution previous(const tuned_site& s) noexcept {
  return s.inlined ? policies::execution::inlined : policies::execution::spawned;
}

/// Starts anew under the present policy.
void forget(tuned_site& s, inlining_choice choice, policies::spawn_cost cost) {
  s.generation = choice.generation;
  s.how = choice.policy;
  s.adaptive = policies::adaptive_inlining(cost);
  s.searching = policies::paper_adaptive();
  s.sample = {};
  s.inlined = s.how == inlining_policy::always_inline;
  s.samples = s.calls = 0;
  s.window_ticks = 0;
}

/// After the calls of one sample.
void decide(tuned_site& s, std::int64_t now, policies::spawn_cost cost) {
  if (const auto choice = present_inlining_choice(); choice.generation != s.generation || s.samples == 0)
    forget(s, choice, cost);
  switch (s.how) {
  case inlining_policy::adaptive: {
    s.adaptive.use(cost);
    const std::int64_t ns = s.window_ticks == 0 ? 0 : ticks_to_ns(now - s.window_ticks);
    if (s.adaptive.tries() && ns >= k_window_ns)
      s.adaptive.period(static_cast<double>(s.window_calls), static_cast<double>(ns));
    if (s.window_ticks == 0 || ns >= k_window_ns) {
      s.window_ticks = now;
      s.window_calls = 0;
    }
    s.inlined = s.adaptive.inlined();
    break;
  }
  case inlining_policy::paper_baseline:
    s.inlined = s.baseline.decide(s.sample, previous(s)).mode == policies::execution::inlined;
    break;
  case inlining_policy::paper_adaptive: {
    const auto outcome = s.searching.decide(s.sample, previous(s));
    s.inlined = outcome.decision.mode == policies::execution::inlined;
    if (outcome.reset) s.sample = {};
    break;
  }
  case inlining_policy::always_async:
  case inlining_policy::always_inline:
    break;
  }
}

/// While this lives nobody else uses the site, if there is one and it was free.
class site_use {
 public:
  explicit site_use(tuned_site* s) noexcept : m_site(s && s->lock.try_lock() ? s : nullptr), m_start(ticks_now()) {}
  ~site_use() {
    if (!m_site) return;
    const std::int64_t spent = std::max<std::int64_t>(ticks_now() - m_start, 0);
    m_site->spent_ticks += spent;
    tuning_totals::add(tuning_total.session_ns, static_cast<std::uint64_t>(ticks_to_ns(spent)));
    m_site->lock.unlock();
  }
  site_use(const site_use&) = delete;
  site_use& operator=(const site_use&) = delete;
  tuned_site* operator->() const noexcept { return m_site; }
  tuned_site& operator*() const noexcept { return *m_site; }
  explicit operator bool() const noexcept { return m_site != nullptr; }
  std::int64_t start() const noexcept { return m_start; }

 private:
  tuned_site* m_site;
  std::int64_t m_start;
};

} // namespace

void site::begin_sample(task_name name) noexcept {
  tuned_site* tuned = m_tuned.load(order::acquire); // pairs with make()
  if (!tuned) tuned = make(m_tuned, name);
  const policies::spawn_cost cost = present_spawn_cost(); // suspends the first time, and so not while the site is used
  const site_use s(tuned);
  if (!s) return m_until_sample.store(k_calls_per_sample - 1, order::relaxed);
  try {
    decide(*s, s.start(), cost);
  } catch (...) { // no memory: stays as it is
  }
  const std::uint32_t calls = s->samples < k_first_samples ? 1 : k_calls_per_sample;
  ++s->samples;
  s->calls += calls;
  s->window_calls += calls;
  m_inline.store(s->inlined ? 1 : 0, order::relaxed);
  m_until_sample.store(calls - 1, order::relaxed);
}

double site::expected_ns() const noexcept {
  const tuned_site* tuned = m_tuned.load(order::acquire);
  return tuned ? static_cast<double>(tuned->mean_ns.load(order::relaxed)) : 0;
}

void site::record(double ns, bool blocked) noexcept {
  const site_use s(m_tuned.load(order::acquire));
  if (!s) return;
  s->adaptive.sample(ns, blocked);
  s->mean_ns.store(static_cast<std::uint64_t>(s->adaptive.mean_ns()), order::relaxed);
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

} // namespace treadle::detail

namespace treadle {

std::vector<site_report> explain_sites() {
  detail::all_sites& all = detail::registry();
  std::vector<site_report> reports;
  std::lock_guard guard(all.mutex);
  for (detail::tuned_site* site : all.sites) {
    detail::scoped_lock use(site->lock);
    const detail::tuned_site& s = *site;
    site_report r;
    r.name = s.name;
    r.calls = s.calls;
    r.mean_ns = s.adaptive.mean_ns();
    r.inlined = s.inlined;
    r.why = s.how == inlining_policy::adaptive ? s.adaptive.why() : std::string(to_string(s.how));
    r.windows = s.adaptive.windows();
    r.epoch = s.adaptive.epoch();
    r.tuner_ns = static_cast<double>(detail::ticks_to_ns(s.spent_ticks));
    reports.push_back(std::move(r));
  }
  std::sort(reports.begin(), reports.end(),
            [](const site_report& a, const site_report& b) { return a.calls > b.calls; });
  return reports;
}

} // namespace treadle

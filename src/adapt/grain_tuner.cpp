#include <treadle/tune/grain_tuner.hpp>

#include "adapt/present_workers.hpp"
#include "base/clock.hpp"
#include "policy/grain.hpp"
#include "task/counters/thread_counters.hpp"

#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

namespace treadle {
namespace {

/// A policy, and what it wants to know of a window.
class by_speed {
 public:
  by_speed(const grain_tuner::options& wanted, double start)
      : m_smallest(wanted.smallest),
        m_largest(wanted.largest),
        m_step(wanted.step),
        m_overhead_ns(wanted.overhead_ns),
        m_search(wanted.smallest, wanted.largest, start) {}
  double next() const noexcept { return m_search.next(); }
  bool settled() const noexcept { return m_search.settled(); }
  void begin() {}
  void end(double units, std::int64_t ns) {
    if (m_step > 0 && units > 0)
      start_from_model(static_cast<double>(ns) / units);
    else
      m_search.report(units / static_cast<double>(ns));
  }

 private:
  /// The first window shows what a unit costs, since what a task costs is about known.
  void start_from_model(double ns_per_unit) {
    const unsigned workers = std::max(detail::present_workers(), 1u);
    const double both_ns = ns_per_unit * workers, grain = m_search.next();
    const double execution_ns = std::max(both_ns - m_overhead_ns / grain, both_ns / 10);
    const policies::grain_model model{m_step, execution_ns, m_overhead_ns, workers};
    m_search = policies::grain_search(m_smallest, m_largest, model.closest(grain), 0);
    m_step = 0;
  }

  double m_smallest, m_largest;
  double m_step; // 0: nothing to start from, or done
  double m_overhead_ns;
  policies::grain_search m_search;
};

/// A rule that looks at a counter.
template <class Rule>
class by_counter {
 public:
  by_counter(const char* counter, double smallest, double largest) : m_rule(smallest, largest), m_counter({counter}) {}
  double next() const noexcept { return m_rule.next(); }
  bool settled() const noexcept { return m_rule.settled(); }
  void begin() { m_counter.reset(); }
  void end(double units, std::int64_t) { m_rule.report(m_counter.read().front().value, units); }

 private:
  Rule m_rule;
  counters::group m_counter; // reads NaN while there is no runtime
};

using by_idle_rate = by_counter<policies::idle_rate_rule>;
using by_pending_accesses = by_counter<policies::pending_access_rule>;
using any_policy = std::variant<by_speed, by_idle_rate, by_pending_accesses>;

any_policy make_policy(const grain_tuner::options& wanted) {
  if (!(wanted.smallest >= 1) || !(wanted.largest >= wanted.smallest) || !std::isfinite(wanted.largest))
    throw std::invalid_argument("grain_tuner: expected 1 <= smallest <= largest, got " +
                                std::to_string(wanted.smallest) + " and " + std::to_string(wanted.largest));
  detail::publish_thread_counters();
  if (wanted.policy == "auto") {
    const double middle = std::sqrt(wanted.smallest * wanted.largest);
    return by_speed(wanted, wanted.start > 0 ? wanted.start : middle);
  }
  if (wanted.policy == "paper-idle-rate") return by_idle_rate("/threads/idle-rate", wanted.smallest, wanted.largest);
  if (wanted.policy == "paper-pending")
    return by_pending_accesses("/threads/count/pending-accesses", wanted.smallest, wanted.largest);
  throw std::invalid_argument("grain_tuner: no policy '" + wanted.policy +
                              "'; known: auto, paper-idle-rate, paper-pending");
}

} // namespace

struct grain_tuner::state {
  explicit state(const options& wanted)
      : policy(make_policy(wanted)),
        smallest(wanted.smallest),
        largest(wanted.largest),
        window_ns(wanted.window_ns),
        enough_ns(wanted.step > 0 && wanted.policy == "auto" ? 0 : window_ns) {
    begin_window();
  }

  void begin_window() {
    std::visit([](auto& p) { p.begin(); }, policy);
    units = 0;
    ns = 0;
    since_ns = detail::steady_now_ns();
  }

  any_policy policy;
  const double smallest, largest;
  const std::int64_t window_ns;
  std::int64_t enough_ns; // for this window
  double units = 0;
  std::int64_t ns = 0; // of the window
  std::int64_t since_ns = 0;
  unsigned windows = 0;
};

grain_tuner::grain_tuner(const options& wanted) : m_state(std::make_unique<state>(wanted)) {}
grain_tuner::grain_tuner(grain_tuner&&) noexcept = default;
grain_tuner& grain_tuner::operator=(grain_tuner&&) noexcept = default;
grain_tuner::~grain_tuner() = default;

std::uint64_t grain_tuner::grain() const noexcept {
  const double next = std::visit([](const auto& p) { return p.next(); }, m_state->policy);
  return static_cast<std::uint64_t>(std::clamp(next, m_state->smallest, m_state->largest));
}

void grain_tuner::done(double units, std::uint64_t grain) {
  state& s = *m_state;
  if (grain != this->grain()) return s.begin_window();
  const std::int64_t now = detail::steady_now_ns();
  s.ns += now - s.since_ns;
  s.since_ns = now;
  s.units += units;
  if (s.ns < s.enough_ns) return;
  s.enough_ns = s.window_ns;
  std::visit([&](auto& p) { p.end(s.units, s.ns); }, s.policy);
  ++s.windows;
  s.begin_window();
}

void grain_tuner::resume() noexcept { m_state->since_ns = detail::steady_now_ns(); }

bool grain_tuner::settled() const noexcept {
  return std::visit([](const auto& p) { return p.settled(); }, m_state->policy);
}
unsigned grain_tuner::windows() const noexcept { return m_state->windows; }

} // namespace treadle

#include <treadle/tune/grain_tuner.hpp>

#include "base/clock.hpp"
#include "control/tuned_grain.hpp"
#include "task/counters/thread_counters.hpp"

#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

namespace treadle {
namespace {

using detail::tuned_grain;

tuned_grain::options searching(const grain_tuner::options& wanted) {
  return {.name = wanted.name,
          .smallest = wanted.smallest,
          .largest = wanted.largest,
          .start = wanted.start,
          .step = wanted.step,
          .overhead_ns = wanted.overhead_ns,
          .window_ns = static_cast<double>(wanted.window_ns),
          .budget = wanted.budget};
}

/// A rule of Grubel et al. that looks at a counter, window by window.
template <class Rule>
class by_counter {
 public:
  by_counter(const char* counter, const grain_tuner::options& wanted)
      : m_rule(wanted), m_counter({counter}), m_window_ns(static_cast<double>(wanted.window_ns)) {
    m_counter.reset();
  }
  double grain() const noexcept { return m_rule.grain(); }
  bool settled() const { return m_rule.settled(); }
  std::uint64_t windows() const noexcept { return m_windows; }
  void done(double units, double ns, std::int64_t) {
    m_window.add({0, units, ns});
    if (!m_window.is_complete(m_window_ns, 1)) return;
    m_rule.report(m_counter.read().front().value, m_window.work()); // NaN while there is no runtime
    ++m_windows;
    m_window = {};
    m_counter.reset();
  }

 private:
  Rule m_rule;
  counters::group m_counter;
  double m_window_ns;
  loop::window m_window;
  std::uint64_t m_windows = 0;
};

/// IV-A.
class least_idle_rate {
 public:
  explicit least_idle_rate(const grain_tuner::options& wanted) : m_rule(wanted.smallest, wanted.largest) {}
  double grain() const noexcept { return m_rule.next(); }
  bool settled() const noexcept { return m_rule.settled(); }
  void report(double idle_rate, double) noexcept { m_rule.report(idle_rate); }

 private:
  decide::idle_rate_rule m_rule;
};

/// IV-E: the grain with the fewest looks at pending queues. Searched as the speed is, from the smallest.
class fewest_looks {
 public:
  explicit fewest_looks(const grain_tuner::options& wanted)
      : m_places(wanted.smallest, wanted.largest, wanted.smallest),
        m_search(tune::space({tune::dimension{m_places.count()}}), m_places.start(),
                 {.how = search_strategy::nelder_mead, .window_ns = 0}) {}
  double grain() const noexcept { return m_places.grain(m_at); }
  bool settled() const { return m_search.settled(); }
  void report(double looks, double units) {
    m_search.report(m_at, {looks / units, units, 0});
    m_at = m_search.next();
  }

 private:
  decide::grain_places m_places;
  loop::state m_search;
  tune::arm m_at = m_search.next();
};

using any_policy = std::variant<tuned_grain, by_counter<least_idle_rate>, by_counter<fewest_looks>>;

} // namespace

struct grain_tuner::state {
  explicit state(const options& wanted) : smallest(wanted.smallest), largest(wanted.largest), policy(make(wanted)) {}

  static any_policy make(const options& wanted) {
    if (!(wanted.smallest >= 1) || !(wanted.largest >= wanted.smallest) || !std::isfinite(wanted.largest))
      throw std::invalid_argument("grain_tuner: expected 1 <= smallest <= largest, got " +
                                  std::to_string(wanted.smallest) + " and " + std::to_string(wanted.largest));
    if (!(wanted.start >= 0) || !(wanted.step >= 0) || !(wanted.overhead_ns >= 0) || wanted.window_ns < 0 ||
        std::isnan(wanted.budget))
      throw std::invalid_argument(
          "grain_tuner: expected start, step, overhead_ns and window_ns of at least 0, and a budget");
    detail::publish_thread_counters();
    if (wanted.policy == "auto") return any_policy(std::in_place_type<tuned_grain>, searching(wanted));
    if (wanted.policy == "paper-idle-rate")
      return any_policy(std::in_place_type<by_counter<least_idle_rate>>, "/threads/idle-rate", wanted);
    if (wanted.policy == "paper-pending")
      return any_policy(std::in_place_type<by_counter<fewest_looks>>, "/threads/count/pending-accesses", wanted);
    throw std::invalid_argument("grain_tuner: no policy '" + wanted.policy +
                                "'; known: auto, paper-idle-rate, paper-pending");
  }

  const double smallest, largest;
  any_policy policy;
  std::int64_t since_ns = detail::steady_now_ns();
};

grain_tuner::grain_tuner(const options& wanted) : m_state(std::make_unique<state>(wanted)) {}
grain_tuner::grain_tuner(grain_tuner&&) noexcept = default;
grain_tuner& grain_tuner::operator=(grain_tuner&&) noexcept = default;
grain_tuner::~grain_tuner() = default;

std::uint64_t grain_tuner::grain() const noexcept {
  const double next = std::visit([](const auto& p) { return p.grain(); }, m_state->policy);
  return static_cast<std::uint64_t>(std::clamp(next, m_state->smallest, m_state->largest));
}

void grain_tuner::done(double units, std::uint64_t grain) {
  state& s = *m_state;
  const std::int64_t now_ns = detail::steady_now_ns();
  const auto ns = static_cast<double>(now_ns - std::exchange(s.since_ns, now_ns));
  if (grain != this->grain()) return;
  std::visit([&](auto& p) { p.done(units, ns, now_ns); }, s.policy);
}

void grain_tuner::resume() noexcept { m_state->since_ns = detail::steady_now_ns(); }

bool grain_tuner::settled() const noexcept {
  return std::visit([](const auto& p) { return p.settled(); }, m_state->policy);
}
unsigned grain_tuner::windows() const noexcept {
  return static_cast<unsigned>(std::visit([](const auto& p) { return p.windows(); }, m_state->policy));
}

} // namespace treadle

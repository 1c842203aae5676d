#include <treadle/tune/grain_tuner.hpp>

#include "base/clock.hpp"
#include "control/only_worker.hpp"
#include "control/tuned_grain.hpp"
#include "decide/paper_grain.hpp"
#include "task/counters/thread_counters.hpp"
#include "task/engine/present_workers.hpp"

#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>
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

/// A rule of Grubel et al., window by window. Its counters are read where a step ends, so they have nothing of what is
/// done in between, or with another grain.
template <class Rule>
class by_counters {
 public:
  by_counters(Rule rule, const grain_tuner::options& wanted)
      : m_rule(std::move(rule)), m_window_ns(static_cast<double>(wanted.window_ns)) {
    m_counters.reset();
  }
  double grain() const noexcept { return m_rule.next(); }
  bool settled() const { return m_rule.settled(); }
  std::uint64_t windows() const noexcept { return m_windows; }
  void skip() { m_counters.reset(); }
  void done(double units, double ns, std::int64_t) {
    if constexpr (k_calibrates)
      if (!m_alone.want(m_rule.calibrates())) return restart(); // other workers may have done some of it
    add(units);
    m_time.add({0, units, ns});
    if (!m_time.is_complete(m_window_ns, 1)) return;
    m_rule.report(m_window);
    ++m_windows;
    restart();
    if constexpr (k_calibrates) m_alone.want(m_rule.calibrates());
  }

 private:
  static constexpr bool k_calibrates = requires(const Rule& rule) { rule.calibrates(); };
  struct nothing {};

  void add(double units) {
    const auto read = m_counters.read(); // NaN while there is no runtime
    m_window.add({units, read[0].value, read[1].value, read[2].value, read[3].value,
                  static_cast<double>(detail::present_workers())});
    m_counters.reset();
  }
  void restart() {
    m_time = {};
    m_window = {};
    m_counters.reset();
  }

  Rule m_rule;
  counters::group m_counters{{"/threads/count/cumulative", "/threads/time/cumulative", "/threads/time/overall",
                              "/threads/count/pending-accesses"}};
  double m_window_ns;
  loop::window m_time;
  decide::grain_window m_window;
  std::uint64_t m_windows = 0;
  [[no_unique_address]] std::conditional_t<k_calibrates, detail::only_worker, nothing> m_alone;
};

/// IV-E: the grain with the fewest looks at pending queues. Searched as the speed is, from the smallest.
class fewest_looks {
 public:
  explicit fewest_looks(const grain_tuner::options& wanted)
      : m_places(wanted.smallest, wanted.largest, wanted.smallest),
        m_search(tune::space({tune::dimension{m_places.count()}}), m_places.start(),
                 {.how = search_strategy::nelder_mead, .window_ns = 0}) {}
  double next() const noexcept { return m_places.grain(m_at); }
  bool settled() const { return m_search.settled(); }
  void report(const decide::grain_window& w) {
    m_search.report(m_at, {w.looks / w.units, w.units, 0});
    m_at = m_search.next();
  }

 private:
  decide::grain_places m_places;
  loop::state m_search;
  tune::arm m_at = m_search.next();
};

using idle_rate = by_counters<decide::idle_rate_rule>;
using pending = by_counters<fewest_looks>;
using costs = by_counters<decide::costs_rule>;
using any_policy = std::variant<tuned_grain, idle_rate, pending, costs>;

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
    if (!(wanted.idle_rate >= 0 && wanted.idle_rate <= 100))
      throw std::invalid_argument("grain_tuner: expected an idle_rate of 0 to 100 percent, got " +
                                  std::to_string(wanted.idle_rate));
    detail::publish_thread_counters();
    if (wanted.policy == "auto") return any_policy(std::in_place_type<tuned_grain>, searching(wanted));
    if (wanted.policy == "paper-idle-rate")
      return any_policy(std::in_place_type<idle_rate>,
                        decide::idle_rate_rule(wanted.smallest, wanted.largest, wanted.idle_rate), wanted);
    if (wanted.policy == "paper-pending") return any_policy(std::in_place_type<pending>, fewest_looks(wanted), wanted);
    if (wanted.policy == "paper-costs")
      return any_policy(std::in_place_type<costs>, decide::costs_rule(wanted.smallest, wanted.largest), wanted);
    throw std::invalid_argument("grain_tuner: no policy '" + wanted.policy +
                                "'; known: auto, paper-idle-rate, paper-pending, paper-costs");
  }

  void skip() {
    std::visit(
        [](auto& p) {
          if constexpr (requires { p.skip(); }) p.skip();
        },
        policy);
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
  if (grain != this->grain()) return s.skip();
  std::visit([&](auto& p) { p.done(units, ns, now_ns); }, s.policy);
}

void grain_tuner::resume() noexcept {
  m_state->since_ns = detail::steady_now_ns();
  m_state->skip();
}

bool grain_tuner::settled() const noexcept {
  return std::visit([](const auto& p) { return p.settled(); }, m_state->policy);
}
unsigned grain_tuner::windows() const noexcept {
  return static_cast<unsigned>(std::visit([](const auto& p) { return p.windows(); }, m_state->policy));
}

} // namespace treadle

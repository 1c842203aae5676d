#include <treadle/tune/rule.hpp>

#include "base/clock.hpp"
#include "observe/emit.hpp"
#include "observe/periodic.hpp"
#include "observe/tuning_totals.hpp"
#include "task/counters/thread_counters.hpp"

#include <treadle/observe/counters.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace treadle {
namespace detail {

/// Kept by the handle and, while it is subscribed, by its listeners: a rule may be destroyed from inside.
struct rule_state final : periodic_action, std::enable_shared_from_this<rule_state> {
  rule_state(std::string described, std::string_view name, std::unique_ptr<rule_function> f)
      : what(std::move(described)), trigger(name), function(std::move(f)) {}

  void act() noexcept override {
    const auto self = shared_from_this(); // the call may destroy the handle
    if (!growth || grown()) run(nullptr, event_kind::k_count);
    if (over.load(order::relaxed)) finish();
  }

  bool grown() noexcept;
  void run(const events::event* e, event_kind kind) noexcept;
  void end() noexcept;
  void finish() noexcept;

  const std::string what; ///< "rule on 'imbalance'"
  const std::string trigger;
  const std::unique_ptr<rule_function> function;

  struct growing {
    counters::counter counter;
    double n;
    double due; // its value at the next call
  };
  std::optional<growing> growth; // that it waits for; by the clock's thread

  std::mutex calling; // calls never overlap
  atomic<bool> over{false};
  atomic<bool> failed{false};
  atomic<std::uint64_t> calls{0}, missed{0};

  std::mutex mutex; // of these
  std::string message;
  std::vector<events::subscription> subscriptions;
  std::unique_ptr<periodic> clock;
  std::shared_ptr<rule_state> until_finished; ///< itself, as long as its clock is to end by itself
};

namespace {

class rule_listener final : public event_listener {
 public:
  rule_listener(std::shared_ptr<rule_state> of, event_kind kind) : m_rule(std::move(of)), m_kind(kind) {}
  void call(const events::event& e) override {
    if (!m_rule->trigger.empty() && static_cast<const events::custom&>(e).name != m_rule->trigger) return;
    m_rule->run(&e, m_kind);
  }

 private:
  std::shared_ptr<rule_state> m_rule;
  event_kind m_kind;
};

} // namespace

bool rule_state::grown() noexcept {
  try {
    const double value = growth->counter.value(), behind = value - growth->due;
    if (behind < -growth->n) growth->due = value + growth->n; // of another runtime, which has begun again
    if (!(behind >= 0)) return false;
    const double steps = std::floor(behind / growth->n);
    growth->due += (steps + 1) * growth->n;
    missed.fetch_add(static_cast<std::uint64_t>(steps), order::relaxed);
    return true;
  } catch (const std::exception&) { // no runtime at the moment
    return false;
  }
}

void rule_state::run(const events::event* e, event_kind kind) noexcept {
  std::unique_lock guard(calling);
  if (over.load(order::relaxed)) return;
  const std::int64_t start = ticks_now();
  const callback_scope inside;
  rule_context context;
  std::string problem;
  try {
    function->call(context, e, kind);
  } catch (const std::exception& thrown) {
    problem = std::string("threw: ") + thrown.what();
  } catch (...) {
    problem = "threw something that is no std::exception";
  }
  calls.fetch_add(1, order::relaxed);
  count(rule_total.calls);
  count(rule_total.ns, static_cast<std::uint64_t>(ticks_to_ns(ticks_now() - start)));
  if (problem.empty() && !context.stopped()) return;
  over.store(true, order::relaxed);
  guard.unlock(); // it may be told that it has failed
  if (!problem.empty()) {
    {
      std::lock_guard text(mutex);
      message = what + " " + problem;
    }
    failed.store(true, order::release); // pairs with rule::failed(): the message is there
    count(rule_total.failures);
    if (is_wanted(event_kind::custom)) emit_from_listener({.kind = event_kind::custom, .name = "rule failed"});
  }
  end();
}

/// From inside a rule or a listener it waits for nobody. So the clock, which only its own thread can end without
/// waiting, is left to its next call.
void rule_state::end() noexcept {
  over.store(true, order::relaxed);
  const bool waits = !callback_scope::is_inside();
  std::vector<events::subscription> ending;
  std::unique_ptr<periodic> stopping;
  {
    std::lock_guard guard(mutex);
    ending.swap(subscriptions);
    if (clock && !growth) missed.store(clock->missed(), order::relaxed);
    if (waits) {
      stopping.swap(clock);
    } else if (clock && !until_finished) {
      until_finished = shared_from_this();
      clock->hurry();
    }
  }
  ending.clear();
  stopping.reset();
  if (waits) std::lock_guard last_call(calling);
}

/// On the clock's thread.
void rule_state::finish() noexcept {
  std::unique_ptr<periodic> stopping;
  std::shared_ptr<rule_state> self;
  std::lock_guard guard(mutex);
  if (!until_finished) return;
  stopping.swap(clock);
  self.swap(until_finished);
}

std::shared_ptr<rule_state> start_rule(std::string_view trigger, std::vector<event_kind> kinds,
                                       std::unique_ptr<rule_function> function) {
  publish_thread_counters();
  auto made =
      std::make_shared<rule_state>(trigger.empty() ? "rule on " + std::to_string(kinds.size()) + " kinds of events"
                                                   : "rule on '" + std::string(trigger) + "'",
                                   trigger, std::move(function));
  std::lock_guard guard(made->mutex);
  for (const event_kind kind : kinds) made->subscriptions.emplace_back(subscribe(kind, new rule_listener(made, kind)));
  return made;
}

std::shared_ptr<rule_state> start_periodic_rule(double period_ns, std::unique_ptr<rule_function> function) {
  if (!(period_ns >= 1)) throw std::invalid_argument("the period of a rule must be positive");
  publish_thread_counters();
  const double bounded = std::min(period_ns, 4e18);
  auto made =
      std::make_shared<rule_state>("rule every " + std::to_string(bounded * 1e-6) + " ms", "", std::move(function));
  std::lock_guard guard(made->mutex);
  made->clock = std::make_unique<periodic>(*made, static_cast<std::int64_t>(bounded));
  return made;
}

std::shared_ptr<rule_state> start_counting_rule(std::uint64_t n, std::string_view counter,
                                                std::unique_ptr<rule_function> function) {
  if (n == 0) throw std::invalid_argument("rule on '" + std::string(counter) + "': expected to grow by 1 at least");
  publish_thread_counters();
  const std::string what = "rule every " + std::to_string(n) + " of '" + std::string(counter) + "'";
  auto made = std::make_shared<rule_state>(what, "", std::move(function));
  const double step = static_cast<double>(n);
  auto& growth = made->growth.emplace(rule_state::growing{counters::counter(counter), step, step});
  growth.counter.reset();
  try {
    growth.due += growth.counter.value(); // gauges stay what they are
  } catch (const std::runtime_error&) {   // no runtime at the moment
  }
  constexpr std::int64_t k_look_ns = 1'000'000;
  std::lock_guard guard(made->mutex);
  made->clock = std::make_unique<periodic>(*made, k_look_ns);
  return made;
}

} // namespace detail

void rule::end() noexcept {
  if (const auto ending = std::exchange(m_state, nullptr)) ending->end();
}
bool rule::failed() const noexcept {
  return m_state && m_state->failed.load(detail::order::acquire); // pairs with run(): the message
}
std::string rule::message() const {
  if (!m_state) return {};
  std::lock_guard guard(m_state->mutex);
  return m_state->message;
}
std::uint64_t rule::calls() const noexcept { return m_state ? m_state->calls.load(detail::order::relaxed) : 0; }
std::uint64_t rule::missed() const noexcept {
  if (!m_state) return 0;
  std::lock_guard guard(m_state->mutex);
  return m_state->clock && !m_state->growth ? m_state->clock->missed() : m_state->missed.load(detail::order::relaxed);
}

} // namespace treadle

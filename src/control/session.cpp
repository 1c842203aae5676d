#include <treadle/tune/session.hpp>

#include "base/clock.hpp"
#include "base/fnv1a.hpp"
#include "base/fork.hpp"
#include "control/allowed_points.hpp"
#include "control/deciding_time.hpp"
#include "control/recall.hpp"
#include "loop/reasons.hpp"
#include "task/counters/thread_counters.hpp"
#include "task/engine/options.hpp"
#include "task/engine/present_workers.hpp"

#include <treadle/observe/events.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace treadle {
namespace detail {

/// What is learned in one context.
struct session_context {
  session_context(loop::context c, const tune::space& space, tune::arm start, const search_options& wanted)
      : of(std::move(c)), search(space, start, wanted) {}

  const loop::context of;
  loop::state search;
};

struct session_state final : loop::explained, loop::choice_names {
  session_state(std::string n, const search_options& o, std::vector<knob_base*> k, std::unique_ptr<constraint> c)
      : name(std::move(n)),
        options(o),
        knobs(std::move(k)),
        space(space_of(knobs)),
        choices(described(knobs)),
        allowed(name, knobs, space, std::move(c)),
        decision(loop::decision_kind::session, name, o.budget) {}

  static tune::space space_of(const std::vector<knob_base*>& knobs) {
    std::vector<tune::dimension> dimensions;
    for (const knob_base* k : knobs) dimensions.push_back({k->is_given() ? 1 : k->choices(), k->ordered()});
    return tune::space(std::move(dimensions));
  }

  static std::string described(const std::vector<knob_base*>& knobs);

  // With the mutex, which they leave for what the program gave: to on_change(), and its constraint.
  session_context& in(std::string_view label, std::unique_lock<detail::yielding_mutex>& held);
  void install(std::unique_lock<detail::yielding_mutex>& held);
  void install_best() noexcept; // what is being tried ends without a result; without the mutex
  // Trials may overlap all the time: when a window is complete those still open say nothing any more.
  bool may_choose() const noexcept {
    return (!present || open_trials == 0 || present->search.windows() != windows_before) && !installing;
  }

  void explain(std::vector<decision_report>& to) override;
  bool try_lock() noexcept override { return mutex.try_lock(); }
  void unlock() noexcept override { mutex.unlock(); }
  void begin_child() noexcept override;
  std::string operator()(tune::arm at) const override; // the values, "1024, 8"
  std::string all() const override { return choices; }
  /// Nobody else has set the knobs since this was put into them.
  bool holds(tune::arm at) const noexcept {
    for (std::size_t i = 0; i < knobs.size(); ++i)
      if (knobs[i]->index() != choice(at, i)) return false;
    return true;
  }
  /// Those that the user has given a value have no other.
  std::uint32_t choice(tune::arm at, std::size_t knob) const noexcept {
    return knobs[knob]->is_given() ? knobs[knob]->index() : space.index(at, knob);
  }

  const std::string name;
  const search_options options;
  const std::vector<knob_base*> knobs;
  const tune::space space;
  const std::string choices;
  const allowed_points allowed;

  mutable detail::yielding_mutex mutex; // of all below
  loop::decision decision;
  loop::by_context<session_context> contexts;
  session_context* present = nullptr; // of the open trials; null: what they measure is of no use
  session_context* latest = nullptr;  // that was present
  tune::arm present_at = 0;
  std::uint64_t number = 0;         // of the present trial
  std::uint64_t windows_before = 0; // its first trial
  unsigned open_trials = 0;         // of this number
  std::optional<tune::arm> installed;
  bool installing = false; // present_at: until it is, other trials measure nothing
  bool paused = false, closed = false;

  loop::explanation asked{*this};
};

session_context& session_state::in(std::string_view label, std::unique_lock<detail::yielding_mutex>& held) {
  const unsigned workers = present_workers();
  if (session_context* known = contexts.find(workers, label)) return *known;
  std::array<std::uint32_t, tune::space::k_max_dimensions> now{};
  for (std::size_t i = 0; i < knobs.size(); ++i) now[i] = knobs[i]->is_given() ? 0 : knobs[i]->index();
  tune::arm start = present ? present->search.best() : space.point(now); // the knobs may hold a try
  loop::context fresh{workers, std::string(label)};
  std::vector<tuned_point> before = recall(*this, decision, fresh, choices);
  if (allowed) {
    start = allowed.nearest(start, held);
    before = allowed.among(std::move(before), held);
    if (session_context* known = contexts.find(workers, label)) return *known; // somebody else was faster
  }
  auto made = std::make_unique<session_context>(std::move(fresh), space, start, options);
  made->search.believe(before);
  return contexts.add(std::move(made));
}

/// One thread at a time brings `present_at` to the knobs, and goes on when it changes meanwhile. Throws what
/// on_change() has thrown first, with all knobs set.
void session_state::install(std::unique_lock<detail::yielding_mutex>& held) {
  if (std::exchange(installing, true)) return;
  std::exception_ptr error;
  while (installed != present_at) {
    const tune::arm at = present_at;
    held.unlock();
    const auto order = allowed.order(at);
    for (std::size_t n = 0; n < knobs.size(); ++n) {
      const std::size_t i = order[n];
      try {
        if (!knobs[i]->is_given()) knobs[i]->set_index(space.index(at, i));
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    }
    held.lock();
    installed = at;
  }
  installing = false;
  if (error) std::rethrow_exception(error);
}

void session_state::install_best() noexcept {
  std::unique_lock guard(mutex);
  if (!latest || closed) return;
  try {
    session_context* const leading = latest;
    if (allowed) allowed.lead(leading->search, guard);
    if (latest == leading) present_at = leading->search.best();
  } catch (...) { // by the constraint: what is in the knobs stays
  }
  present = nullptr;
  installed.reset(); // the program may have set them
  for (const auto& c : contexts) decision.interrupt(c->search);
  try {
    install(guard);
  } catch (...) { // by on_change(), which has been told
  }
}

void session_state::explain(std::vector<decision_report>& to) {
  const std::lock_guard guard(mutex);
  for (const auto& c : contexts) {
    to.push_back(loop::report(decision, c->of, c->search, *this));
    to.back().present = c.get() == present;
  }
}

/// The trials of other threads, which had a number, say nothing any more.
void session_state::begin_child() noexcept {
  ++number;
  open_trials = 0;
  installing = false;
}

std::string session_state::operator()(tune::arm at) const {
  std::string text;
  for (std::size_t i = 0; i < knobs.size(); ++i) text += (i == 0 ? "" : ", ") + knobs[i]->text(choice(at, i));
  return text;
}

/// Names and domains; two domains look alike only when they are.
std::string session_state::described(const std::vector<knob_base*>& knobs) {
  std::string text;
  for (const knob_base* k : knobs) {
    if (k->is_given()) {
      text += (text.empty() ? "" : "; ") + k->name() + " = " + k->text(k->index());
      continue;
    }
    std::uint64_t hash = fnv1a("");
    for (std::uint32_t i = 0; i < k->choices(); ++i) hash = fnv1a(k->text(i) + ",", hash);
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    text += (text.empty() ? "" : "; ") + k->name() + ": " + k->text(0) + " .. " + k->text(k->choices() - 1) + " (" +
            std::to_string(k->choices()) + ", " + digits + ")";
  }
  return text;
}

} // namespace detail

using detail::session_state;

// Trials
// --------------------------------------------------------------------------------------------------------------------

trial::trial(trial&& other) noexcept
    : m_session(std::move(other.m_session)),
      m_context(other.m_context),
      m_number(other.m_number),
      m_at(other.m_at),
      m_start_ns(other.m_start_ns) {}
trial& trial::operator=(trial&& other) noexcept {
  std::swap(m_session, other.m_session);
  std::swap(m_context, other.m_context);
  std::swap(m_number, other.m_number);
  std::swap(m_at, other.m_at);
  std::swap(m_start_ns, other.m_start_ns);
  return *this;
}
trial::~trial() { report(std::numeric_limits<double>::quiet_NaN()); }

void trial::report(double cost) { end(cost, 1); }
void trial::fail() { end(std::nullopt, 1); }

void trial::end(std::optional<double> cost, double work) {
  const double ns = static_cast<double>(detail::steady_now_ns() - m_start_ns);
  const auto of = std::exchange(m_session, nullptr);
  if (!of) return;
  std::unique_lock guard(of->mutex);
  if (of->closed) return;
  bool reopened = false;
  {
    const detail::deciding_time timed(of->decision);
    // A trial of another context than those it overlapped has no number of its own.
    if (m_number == of->number) --of->open_trials;
    if (m_number == of->number && m_context == of->present) {
      if (cost && !of->holds(m_at)) cost = std::numeric_limits<double>::quiet_NaN();
      const auto told = cost ? of->decision.report(m_context->search, m_at, {*cost, work, ns}, *of)
                             : of->decision.fail(m_context->search, m_at, ns, *of);
      reopened = told.reopens;
    }
  }
  guard.unlock();
  if (reopened) events::emit("tuning reopened");
}

void trial::report_time(double units) {
  const double s = static_cast<double>(std::max<std::int64_t>(detail::steady_now_ns() - m_start_ns, 1)) * 1e-9;
  if (units > 0)
    end(s / units, units);
  else
    report(std::numeric_limits<double>::quiet_NaN());
}

// Sessions
// --------------------------------------------------------------------------------------------------------------------

session::session(std::string name, const search_options& wanted, std::vector<detail::knob_base*> knobs,
                 std::unique_ptr<detail::constraint> allowed) {
  if (name.empty()) throw std::invalid_argument("a session needs a name");
  detail::publish_thread_counters();
  detail::explain_without_runtime();
  if (std::isnan(wanted.budget) || !(wanted.window_ns >= 0) || wanted.repeats == 0)
    throw std::invalid_argument("session '" + name + "': expected repeats >= 1, window_ns >= 0 and a budget");
  try {
    m_state = std::make_shared<session_state>(name, wanted, std::move(knobs), std::move(allowed));
  } catch (const std::invalid_argument& e) {
    throw std::invalid_argument("session '" + name + "': " + e.what());
  }
  for (std::size_t i = 0; i < m_state->knobs.size(); ++i) {
    if (const std::string* other = m_state->knobs[i]->claim(m_state->name)) {
      const std::string message = "session '" + m_state->name + "': knob '" + m_state->knobs[i]->name() +
                                  "' belongs to session '" + *other + "' already";
      while (i-- > 0) m_state->knobs[i]->release();
      throw std::invalid_argument(message);
    }
  }
}

session::~session() {
  if (!m_state) return;
  m_state->install_best();
  m_state->asked.end(); // trials may live longer than the knobs
  {
    std::lock_guard guard(m_state->mutex);
    m_state->closed = true;
  }
  for (detail::knob_base* k : m_state->knobs) k->release();
}

void session::remember_in(tuning_store& store) { m_state->keep_in(store.of_decisions()); }

trial session::next(std::string_view context) { return next_of(m_state, context); }

trial session::next_of(const std::shared_ptr<session_state>& of, std::string_view context) {
  session_state& s = *of;
  trial made;
  std::unique_lock guard(s.mutex);
  detail::session_context& c = s.in(context, guard);
  bool first = false;
  {
    const bool asks = s.allowed && s.may_choose() && !c.search.is_in_window();
    const bool may_try = !asks || s.allowed.clear(c.search, guard); // takes the program's time, not ours
    const detail::deciding_time timed(s.decision);
    if (s.may_choose()) {
      const tune::arm at = s.decision.next(c.search, detail::steady_now_ns(), s, may_try && !s.paused);
      first = s.open_trials == 0 || s.present != &c || s.present_at != at;
      s.present = s.latest = &c;
      s.present_at = at;
      s.windows_before = c.search.windows();
      s.number += first;
      if (first) s.open_trials = 0;
    }
    made.m_context = &c;
    made.m_number = s.present == &c && (first || !s.installing) ? s.number : 0;
    s.open_trials += made.m_number != 0;
    made.m_at = s.present_at;
    made.m_session = of;
  }
  if (first) {
    s.installed.reset(); // the program may have set them
    s.install(guard);
  }
  made.m_start_ns = detail::steady_now_ns();
  return made;
}

void session::leave_best(session_state& of) noexcept { of.install_best(); }

void session::pause() {
  {
    std::lock_guard guard(m_state->mutex);
    m_state->paused = true;
  }
  m_state->install_best();
}
void session::resume() {
  std::lock_guard guard(m_state->mutex);
  m_state->paused = false;
}
void session::reopen() {
  std::lock_guard guard(m_state->mutex);
  for (const auto& c : m_state->contexts) {
    m_state->decision.interrupt(c->search);
    c->search.reopen();
  }
}

session::status session::look(std::string_view context) const {
  const session_state& s = *m_state;
  std::lock_guard guard(s.mutex);
  status result;
  result.tuner_ns = s.decision.deciding_ns();
  const detail::session_context* found = s.contexts.find(detail::present_workers(), context);
  if (!found && s.present && s.present->of.label == context) found = s.present; // the runtime has ended meanwhile
  if (!found) found = s.contexts.find_last(context);
  if (!found) return result;
  const loop::state& search = found->search;
  result.trying = search.is_trying();
  result.converged = search.converged();
  result.best = s(search.best());
  for (std::size_t i = 0; i < s.knobs.size(); ++i) result.best_choices.push_back(s.choice(search.best(), i));
  result.epoch = search.epoch();
  result.windows = search.windows();
  result.voids = search.voids();
  result.exploring_ns = search.exploring_ns();
  result.known = search.records();
  for (tuned_point& p : result.known) p.values = s(p.at);
  return result;
}

const std::string& session::name() const noexcept { return m_state->name; }

} // namespace treadle

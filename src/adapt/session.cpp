#include <treadle/tune/session.hpp>

#include "adapt/exploration_turns.hpp"
#include "adapt/present_workers.hpp"
#include "base/clock.hpp"
#include "observe/periodic.hpp"
#include "observe/tuning_totals.hpp"
#include "task/counters/thread_counters.hpp"
#include "tune/search.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/observe/machine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace treadle {
namespace detail {

/// What is learned in one context.
struct session_context {
  std::string name;
  tune::search search;
  unsigned told_epoch = 0;
  std::uint64_t saved_windows = 0;
  std::vector<tuned_point> before = {}; // what earlier runs have found; void when the search has begun again

  std::vector<tuned_point> all_known() const;
};

struct session_state final : periodic_action {
  session_state(std::string n, const search_options& o, std::vector<knob_base*> k)
      : name(std::move(n)), options(o), knobs(std::move(k)), space(space_of(knobs)) {}

  static tune::space space_of(const std::vector<knob_base*>& knobs) {
    std::vector<tune::dimension> dimensions;
    for (const knob_base* k : knobs) dimensions.push_back({k->choices(), k->ordered()});
    return tune::space(std::move(dimensions));
  }

  void install(std::unique_lock<std::mutex>& held); // calls what the program gave to on_change(): without the mutex
  void install_best() noexcept;                     // what is being tried ends without a result
  session_context& in(std::string_view context);    // with it
  void finish(session_context& of, tune::arm at, std::optional<double> cost); // none: it failed

  std::string text_of(tune::arm at) const;
  std::string described_knobs() const;
  tuning_store::key key_of(const std::string& context) const;
  void act() noexcept override { save(); }
  void save() noexcept;

  const std::string name;
  const search_options options;
  const std::vector<knob_base*> knobs;
  const tune::space space;

  mutable std::mutex mutex; // of all below
  std::map<std::string, std::unique_ptr<session_context>, std::less<>> contexts;
  session_context* present = nullptr; // of the open trials; null: what they measure is of no use
  tune::arm present_at = 0;
  std::uint64_t number = 0;         // of the present trial
  std::uint64_t windows_before = 0; // its first trial
  unsigned open_trials = 0;
  std::optional<tune::arm> installed;
  bool installing = false; // present_at: until it is, other trials measure nothing
  bool paused = false, closed = false;
  std::int64_t spent_ticks = 0;

  tuning_store* store = nullptr;
  std::string machine;
  std::unique_ptr<periodic> saving;
};

namespace {

constexpr std::int64_t k_saving_period_ns = 30'000'000'000;

/// Adds the time it exists.
class stopwatch {
 public:
  explicit stopwatch(session_state& of) noexcept : m_of(of), m_start(ticks_now()) {}
  ~stopwatch() {
    const std::int64_t ticks = ticks_now() - m_start;
    m_of.spent_ticks += ticks;
    tuning_totals::add(tuning_total.session_ns,
                       static_cast<std::uint64_t>(std::max<std::int64_t>(ticks_to_ns(ticks), 0)));
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;

 private:
  session_state& m_of;
  std::int64_t m_start;
};

/// Fowler, Noll, Vo: the same in all programs and versions, as std::hash is not.
std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u) noexcept {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string describe_workers() {
  const unsigned workers = present_workers();
  return workers > 0 ? std::to_string(workers) + " workers" : "no workers";
}

} // namespace

session_context& session_state::in(std::string_view context) {
  if (const auto found = contexts.find(context); found != contexts.end()) return *found->second;
  std::array<std::uint32_t, tune::space::k_max_dimensions> now{};
  for (std::size_t i = 0; i < knobs.size(); ++i) now[i] = knobs[i]->index();
  auto made = std::make_unique<session_context>(
      session_context{std::string(context), tune::search(space, space.point(now), options)});
  if (store) {
    made->before = store->load(key_of(made->name));
    made->search.believe(made->before);
  }
  return *contexts.emplace(made->name, std::move(made)).first->second;
}

/// With what earlier runs have measured, or a short run would leave less than it found.
std::vector<tuned_point> session_context::all_known() const {
  auto known = search.records();
  if (search.epoch() > 0) return known;
  for (const tuned_point& old : before) {
    const auto now = std::find_if(known.begin(), known.end(), [&](const tuned_point& p) { return p.at == old.at; });
    if (now == known.end()) {
      known.push_back(old);
      continue;
    }
    constexpr unsigned k_most = 1000; // windows: what was long ago does not outweigh everything
    const unsigned weight = std::min(old.windows, k_most);
    now->mean += (old.mean - now->mean) * weight / (weight + now->windows);
    if (weight > now->windows) now->deviation = old.deviation;
    now->windows += weight;
  }
  return known;
}

/// One thread at a time brings `present_at` to the knobs, and goes on when it changes meanwhile. Throws what
/// on_change() has thrown first, with all knobs set.
void session_state::install(std::unique_lock<std::mutex>& held) {
  if (std::exchange(installing, true)) return;
  std::exception_ptr error;
  while (installed != present_at) {
    const tune::arm at = present_at;
    held.unlock();
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      try {
        knobs[i]->set_index(space.index(at, i));
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
  if (!present || closed) return;
  present_at = present->search.best();
  present = nullptr;
  for (const auto& [context, c] : contexts) c->search.interrupt();
  process_turns().done(this);
  try {
    install(guard);
  } catch (...) { // by on_change(), which has been told
  }
}

void session_state::finish(session_context& of, tune::arm at, std::optional<double> cost) {
  const std::uint64_t windows = of.search.windows(), voids = of.search.voids();
  if (cost)
    of.search.report(at, *cost);
  else
    of.search.fail(at);
  tuning_totals::add(tuning_total.windows, of.search.windows() - windows);
  tuning_totals::add(tuning_total.voids, of.search.voids() - voids);
  if (of.search.windows() != windows) process_turns().done(this);
}

std::string session_state::text_of(tune::arm at) const {
  std::string text;
  for (std::size_t i = 0; i < knobs.size(); ++i) text += (i == 0 ? "" : ", ") + knobs[i]->text(space.index(at, i));
  return text;
}

/// Names and domains; two domains look alike only when they are.
std::string session_state::described_knobs() const {
  std::string text;
  for (const knob_base* k : knobs) {
    std::uint64_t hash = fnv1a("");
    for (std::uint32_t i = 0; i < k->choices(); ++i) hash = fnv1a(k->text(i) + ",", hash);
    char digits[20];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    text += (text.empty() ? "" : "; ") + k->name() + ": " + k->text(0) + " .. " + k->text(k->choices() - 1) + " (" +
            std::to_string(k->choices()) + ", " + digits + ")";
  }
  return text;
}

tuning_store::key session_state::key_of(const std::string& context) const {
  return {name, described_knobs(), context, machine};
}

void session_state::save() noexcept {
  try {
    struct entry {
      session_context* of;
      tuning_store::key key;
      tuning_store::summary about;
      std::vector<tuned_point> points;
    };
    std::vector<entry> entries;
    tuning_store* to = nullptr;
    {
      std::lock_guard guard(mutex);
      to = store;
      for (const auto& [context, c] : contexts) {
        if (c->saved_windows == c->search.windows()) continue;
        entry e{
            c.get(), key_of(context), {c->search.windows(), c->search.epoch(), c->search.converged()}, c->all_known()};
        for (tuned_point& p : e.points) p.values = text_of(p.at);
        if (!e.points.empty()) entries.push_back(std::move(e));
      }
    }
    for (const entry& e : entries) {
      if (!to->save(e.key, e.about, e.points)) continue; // the next time again
      std::lock_guard guard(mutex);
      e.of->saved_windows = e.about.windows;
    }
  } catch (...) { // no memory: what is in the store stays
  }
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

void trial::report(double cost) { end(cost); }
void trial::fail() { end(std::nullopt); }

void trial::end(std::optional<double> cost) {
  const auto of = std::exchange(m_session, nullptr);
  if (!of) return;
  std::unique_lock guard(of->mutex);
  if (of->closed) return;
  unsigned reopened = 0;
  {
    detail::stopwatch timed(*of);
    --of->open_trials;
    // A trial of another context than those it overlapped has no number of its own.
    if (m_number == of->number && m_context == of->present) of->finish(*m_context, m_at, cost);
    const unsigned epoch = m_context->search.epoch();
    reopened = epoch - std::exchange(m_context->told_epoch, epoch);
  }
  if (reopened == 0) return;
  detail::tuning_totals::add(detail::tuning_total.epochs, reopened);
  guard.unlock();
  events::emit("tuning reopened");
}

void trial::report_time(double units) {
  const double ns = static_cast<double>(detail::steady_now_ns() - m_start_ns);
  report(units > 0 ? std::max(ns, 1.0) * 1e-9 / units : std::numeric_limits<double>::quiet_NaN());
}

// Sessions
// --------------------------------------------------------------------------------------------------------------------

session::session(std::string name, const search_options& wanted, std::vector<detail::knob_base*> knobs) {
  if (name.empty()) throw std::invalid_argument("a session needs a name");
  detail::publish_thread_counters();
  if (!(wanted.budget >= 0) || !(wanted.memory >= 2) || std::isnan(wanted.credit) || wanted.repeats == 0 ||
      wanted.repeats > 32)
    throw std::invalid_argument("session '" + name +
                                "': expected 1 <= repeats <= 32, budget >= 0, memory >= 2 windows and a credit");
  try {
    m_state = std::make_shared<session_state>(name, wanted, std::move(knobs));
    tune::search(m_state->space, 0, wanted); // a strategy that does not fit the knobs shows here
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
  m_state->saving.reset();
  m_state->install_best();
  {
    std::lock_guard guard(m_state->mutex);
    for (const auto& [context, c] : m_state->contexts) c->saved_windows = 0; // the file may be another one by now
  }
  if (m_state->store) m_state->save();
  {
    std::lock_guard guard(m_state->mutex);
    m_state->closed = true;
  }
  detail::process_turns().leave(m_state.get());
  for (detail::knob_base* k : m_state->knobs) k->release();
}

void session::remember_in(tuning_store& store) {
  const machine_info machine = describe_machine();
  session_state& s = *m_state;
  std::unique_ptr<detail::periodic> before; // which may be saving, and needs the mutex for that
  std::lock_guard guard(s.mutex);
  before.swap(s.saving);
  s.machine = machine.processor + ", " + std::to_string(machine.usable_cores) + " cores, " + detail::describe_workers();
  s.store = &store;
  s.saving = std::make_unique<detail::periodic>(s, detail::k_saving_period_ns);
}

trial session::next(std::string_view context) {
  session_state& s = *m_state;
  trial made;
  std::unique_lock guard(s.mutex);
  bool first = false;
  {
    detail::stopwatch timed(s);
    detail::session_context& c = s.in(context);
    // Trials may overlap all the time: when a window is complete those still open say nothing any more.
    const bool complete = !s.present || s.open_trials == 0 || s.present->search.windows() != s.windows_before;
    if (complete && !s.installing) {
      const bool may_try = !s.paused && (c.search.converged() || detail::process_turns().take(&s));
      const tune::arm at = c.search.next(may_try);
      first = s.open_trials == 0 || s.present != &c || s.present_at != at;
      s.present = &c;
      s.present_at = at;
      s.windows_before = c.search.windows();
      s.number += first;
      if (!c.search.is_trying()) detail::process_turns().done(&s);
    }
    ++s.open_trials;
    made.m_context = &c;
    made.m_number = s.present == &c && (first || !s.installing) ? s.number : 0;
    made.m_at = s.present_at;
    made.m_session = m_state;
  }
  if (first) {
    s.installed.reset(); // the program may have set them
    s.install(guard);
  }
  made.m_start_ns = detail::steady_now_ns();
  return made;
}

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
  for (auto& [name, context] : m_state->contexts) context->search.reopen();
}

session::status session::look(std::string_view context) const {
  const session_state& s = *m_state;
  std::lock_guard guard(s.mutex);
  status result;
  result.tuner_ns = static_cast<double>(detail::ticks_to_ns(s.spent_ticks));
  const auto found = s.contexts.find(context);
  if (found == s.contexts.end()) return result;
  const tune::search& search = found->second->search;
  result.trying = search.is_trying();
  result.converged = search.converged();
  result.best = s.text_of(search.best());
  for (std::size_t i = 0; i < s.knobs.size(); ++i) result.best_choices.push_back(s.space.index(search.best(), i));
  result.epoch = search.epoch();
  result.windows = search.windows();
  result.voids = search.voids();
  result.regret = search.regret();
  result.known = search.records();
  for (tuned_point& p : result.known) p.values = s.text_of(p.at);
  return result;
}

const std::string& session::name() const noexcept { return m_state->name; }

// Sessions that run by themselves
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// A counter over a window; NaN when it cannot be read.
class windowed_counter {
 public:
  explicit windowed_counter(std::string_view name) : m_counter(name) {}
  void begin() { m_counter.reset(); }
  double value() const {
    try {
      return m_counter.value();
    } catch (const std::runtime_error&) { // no runtime at the moment
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  counters::counter m_counter;
};

class rate_objective final : public objective {
 public:
  rate_objective(std::string_view cost, std::string_view per) : m_cost(cost), m_per(per) {}
  void begin() override {
    m_cost.begin();
    m_per.begin();
  }
  double end() override { return m_cost.value() / m_per.value(); } // nothing done: infinite, which is void

 private:
  windowed_counter m_cost, m_per;
};

class speed_objective final : public objective {
 public:
  explicit speed_objective(std::string_view counter) : m_counter(counter) {}
  void begin() override {
    m_counter.begin();
    m_start_ns = detail::steady_now_ns();
  }
  double end() override { return static_cast<double>(detail::steady_now_ns() - m_start_ns) / m_counter.value(); }

 private:
  windowed_counter m_counter;
  std::int64_t m_start_ns = 0;
};

} // namespace

std::unique_ptr<objective> minimize_rate(std::string_view counter, std::string_view per) {
  return std::make_unique<rate_objective>(counter, per);
}
std::unique_ptr<objective> maximize_rate(std::string_view counter) {
  return std::make_unique<speed_objective>(counter);
}

class detail::session_driver {
 public:
  session_driver(session& what, std::unique_ptr<objective> cost)
      : m_session(&what), m_state(what.m_state), m_cost(std::move(cost)) {}
  session_driver(session_driver&&) noexcept = default;
  ~session_driver() {
    if (m_state) m_state->install_best();
  }

  void operator()() {
    try {
      if (m_running) {
        const double spent = m_cost->end();
        m_trial.report(spent);
      }
      m_trial = m_session->next();
      m_cost->begin();
      m_running = true;
    } catch (...) { // and so it was called the last time
      m_trial = {};
      m_state->install_best();
      throw;
    }
  }

 private:
  session* m_session;
  std::shared_ptr<session_state> m_state;
  std::unique_ptr<objective> m_cost;
  trial m_trial{};
  bool m_running = false;
};

policy detail::drive_session(session& what, double period_ns, std::unique_ptr<objective> cost) {
  using function = policy_function_of<session_driver>;
  return policy(start_periodic_policy(period_ns, std::make_unique<function>(session_driver(what, std::move(cost)))));
}

} // namespace treadle

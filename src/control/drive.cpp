// Sessions that run by themselves, by the clock.
#include <treadle/tune/session.hpp>

#include "base/clock.hpp"
#include "observe/emit.hpp"
#include "task/engine/scheduler.hpp"

#include <treadle/executors.hpp>
#include <treadle/observe/counters.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

namespace treadle {
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

/// Each period is a step: the trial that is going on ends, and the next begins. It is a task where there is a runtime,
/// because what the program does when a knob changes may take long, and may wait: the clock has other rules to run.
class detail::session_driver {
 public:
  session_driver(const session& what, std::unique_ptr<objective> cost)
      : m_state(std::make_shared<state>(what.m_state, std::move(cost))) {}
  session_driver(session_driver&&) noexcept = default;
  ~session_driver() {
    if (m_state) m_state->end();
  }
  void operator()() { m_state->tick(m_state); }

 private:
  struct state {
    state(std::shared_ptr<session_state> what, std::unique_ptr<objective> c)
        : driven(std::move(what)), cost(std::move(c)) {}

    void tick(const std::shared_ptr<state>& self);
    void run() noexcept;
    void step();
    void end() noexcept;

    const std::shared_ptr<session_state> driven; // not the session itself, which may be moved meanwhile
    const std::unique_ptr<objective> cost;
    // By the thread that runs a step
    trial open{};
    bool is_measuring = false;
    std::exception_ptr failure; // of the latest step

    spinlock lock; // of the next
    enum class stage : std::uint8_t { idle, queued, stepping } now = stage::idle;
    bool is_over = false, is_left_alone = false; // nobody waits for the last step
    const job* stepper = nullptr;
    future<void> latest; // the end of the task that steps
  };

  std::shared_ptr<state> m_state;
};

/// On the clock's thread. While a step takes longer than a period there is no other.
void detail::session_driver::state::tick(const std::shared_ptr<state>& self) {
  {
    const scoped_lock guard(lock);
    if (now != stage::idle) return;
    now = stage::queued;
  }
  if (failure) std::rethrow_exception(failure); // which ends the rule
  scheduler* const here = enter_present_scheduler();
  if (!here) {
    run();
    if (failure) std::rethrow_exception(failure);
    return;
  }
  const struct leaves {
    ~leaves() { pool->leave(); }
    scheduler* pool;
  } guard{here};
  auto step_once = [self] { self->run(); };
  auto* const made = new task_state<void, decltype(step_once)>(std::move(step_once), false);
  auto result = access::make<future<void>>(intrusive_ptr<value_state<void>>::adopt(made));
  {
    const scoped_lock held(lock);
    std::swap(latest, result);
  }
  queue_new(*made, [here](job& queued) { schedule_at(queued, {here}); });
}

void detail::session_driver::state::run() noexcept {
  {
    const scoped_lock guard(lock);
    now = is_over ? stage::idle : stage::stepping;
    if (is_over) return;
    stepper = running_job();
  }
  try {
    step();
  } catch (...) { // and so this was the last step
    failure = std::current_exception();
    open = {};
    session::leave_best(*driven);
  }
  bool leaves_best = false;
  {
    const scoped_lock guard(lock);
    now = stage::idle;
    leaves_best = is_left_alone;
  }
  if (leaves_best) session::leave_best(*driven);
}

void detail::session_driver::state::step() {
  if (is_measuring) {
    const double spent = cost->end();
    open.report(spent);
  }
  open = session::next_of(driven, {});
  cost->begin();
  is_measuring = true;
}

/// Waits for a step that is going on, unless from inside of it, or of a rule or listener.
void detail::session_driver::state::end() noexcept {
  future<void> last;
  {
    const scoped_lock guard(lock);
    is_over = true;
    if (now == stage::stepping) {
      is_left_alone = is_running_here(stepper) || callback_scope::is_inside() || !latest.valid();
      if (is_left_alone) return;
      last = std::move(latest);
    }
  }
  if (last.valid()) last.wait();
  session::leave_best(*driven);
}

rule detail::drive_session(session& what, double period_ns, std::unique_ptr<objective> cost) {
  using function = rule_function_of<session_driver>;
  return rule(start_periodic_rule(period_ns, std::make_unique<function>(session_driver(what, std::move(cost)))));
}

} // namespace treadle

// Sessions that run by themselves, by the clock.
#include <treadle/tune/session.hpp>

#include "base/clock.hpp"

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

class detail::session_driver {
 public:
  session_driver(const session& what, std::unique_ptr<objective> cost)
      : m_session(what.m_state), m_cost(std::move(cost)) {}
  session_driver(session_driver&&) noexcept = default;
  ~session_driver() {
    if (m_session) session::leave_best(*m_session);
  }

  void operator()() {
    try {
      if (m_running) {
        const double spent = m_cost->end();
        m_trial.report(spent);
      }
      m_trial = session::next_of(m_session, {});
      m_cost->begin();
      m_running = true;
    } catch (...) { // and so it was called the last time
      m_trial = {};
      session::leave_best(*m_session);
      throw;
    }
  }

 private:
  std::shared_ptr<session_state> m_session; // not the session itself, which may be moved meanwhile
  std::unique_ptr<objective> m_cost;
  trial m_trial{};
  bool m_running = false;
};

rule detail::drive_session(session& what, double period_ns, std::unique_ptr<objective> cost) {
  using function = rule_function_of<session_driver>;
  return rule(start_periodic_rule(period_ns, std::make_unique<function>(session_driver(what, std::move(cost)))));
}

} // namespace treadle

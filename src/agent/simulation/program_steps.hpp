// What the workers of a simulated program do.
#pragma once

#include "agent/simulation/scenario.hpp"
#include "base/rng.hpp"

#include <array>
#include <optional>
#include <vector>

namespace treadle::agent {

/// Takes steps when it is told what has happened, and says what begins then: tasks, with their work, each on a thread,
/// and threads that look for work after a while. It knows nothing of time and cores.
class program_steps {
 public:
  /// Shares by which tasks, and iterations, cost more or less.
  program_steps(const simulated_program& is, double noise, double iteration_noise, std::uint64_t seed);

  struct begins {
    std::vector<double> work_s;  ///< of each thread that begins a task now
    std::vector<double> looks_s; ///< threads that look for work after so long
    bool rests = false;          ///< one waits for rest_s now
    bool made_item = false;      ///< an iteration has ended
  };
  /// It comes, with this many active workers.
  begins start(unsigned allowed);
  begins allow(unsigned workers);
  begins task_ended();
  begins rest_ended();
  begins look();
  /// An item is there for an iteration that waits for one.
  begins item_made(unsigned items);

  bool is_here() const noexcept { return m_is_here; } ///< has started and not ended
  bool has_ended() const noexcept { return m_iteration == m_is.iterations; }
  bool is_idle() const noexcept { return m_is_here && m_running + m_resting + m_waiting == 0; }
  unsigned allowed() const noexcept { return m_allowed; }
  unsigned finished() const noexcept { return m_iteration; } ///< iterations
  /// As the program tells it: a producer what is finished, a consumer what it has begun.
  double progress() const noexcept;

 private:
  static constexpr std::size_t k_tasks = 1, k_stages = 3; // before, tasks, after

  double varied(double work_s, double noise);
  unsigned tasks_of(std::size_t stage) const noexcept;
  bool can_take() const noexcept { return m_waiting > 0 && m_running + m_resting < m_allowed; }
  void take(begins& b);
  void open_iteration(begins& b);
  void open_stage(std::size_t stage, begins& b);
  void wake(unsigned threads, begins& b);

  const simulated_program& m_is;
  const double m_noise, m_iteration_noise;
  detail::xorshift m_random;
  bool m_is_here = false;
  unsigned m_allowed = 0, m_running = 0, m_resting = 0;
  unsigned m_iteration = 0, m_items = 0;
  std::size_t m_stage = k_stages;
  unsigned m_waiting = 0; // tasks of the stage that nobody has begun
  unsigned m_open = 0;    // that have not ended
  double m_cost = 1;      // of the iteration
};

} // namespace treadle::agent

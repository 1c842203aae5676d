#pragma once

#include <cstdint>

namespace treadle::loop {

/// What was measured while one choice was in force.
struct sample {
  double cost = 0; ///< of each unit of work, in any unit of its own
  double work = 1; ///< units
  double ns = 0;   ///< that it took
};

/// The span over which a choice is measured: whole samples that together are long enough for the clock, and for what
/// interrupts a thread now and then, not to decide. Longer ones would tell more, and try less.
class window {
 public:
  static constexpr double k_least_ns = 2e6; // some wake-ups of a worker, a tick of the operating system

  void add(const sample& s) noexcept {
    m_cost += s.cost * s.work;
    m_work += s.work;
    m_ns += s.ns;
    ++m_samples;
  }
  bool is_empty() const noexcept { return m_samples == 0; }
  bool is_complete(double least_ns, unsigned least_samples) const noexcept {
    return m_samples >= least_samples && m_ns >= least_ns;
  }
  double cost() const noexcept { return m_cost / m_work; } ///< of a unit of work
  double work() const noexcept { return m_work; }
  double ns() const noexcept { return m_ns; }

 private:
  double m_cost = 0, m_work = 0, m_ns = 0;
  std::uint32_t m_samples = 0;
};

} // namespace treadle::loop

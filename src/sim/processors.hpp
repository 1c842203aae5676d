#pragma once

#include <treadle/sim/prediction.hpp>

#include <span>
#include <vector>

namespace treadle::sim {

/// How fast each worker runs, which depends on what the others do: hardware threads of a core share it, workers on one
/// hardware thread take turns, and those who use the memory of a domain share its bandwidth.
class processors {
 public:
  /// What a piece of work needs beside the processor.
  struct need {
    double bytes_per_ns = 0;
    int home = -1; ///< a domain; none: the worker's own
  };

  /// `places` are the units of the workers.
  processors(const machine& on, std::vector<unsigned> places);

  void begin(unsigned worker, const need& what);
  void end(unsigned worker);
  /// Work in ns that it does in a ns.
  double rate(unsigned worker) const;
  /// Busy workers whose rate may have changed with the last begin or end, without the one that it was of.
  std::span<const unsigned> affected() const noexcept { return m_affected; }

  /// The work in ns that all of them together can do in a ns.
  double capacity() const;
  const processing_unit& unit_of(unsigned worker) const { return m_machine.shape.units[m_places[worker]]; }
  /// 1 in the same domain; 2 to another one where distances are not known.
  double distance(unsigned domain, unsigned other) const;

 private:
  double core_speed(unsigned busy_threads) const {
    return m_machine.core_speed * (1 + m_machine.smt_gain * (busy_threads - 1));
  }
  void change(unsigned worker, int by);

  const machine& m_machine;
  std::vector<unsigned> m_places;
  std::vector<std::vector<unsigned>> m_of_core; // workers
  std::vector<unsigned> m_busy_on_unit, m_busy_units_of_core, m_users_of_memory;
  std::vector<char> m_busy; // by worker
  std::vector<need> m_needs;
  std::vector<unsigned> m_affected;
};

} // namespace treadle::sim

// Policies that decide how much work a task gets, its grain. Pure functions of what was measured: no threads, no clock,
// no I/O.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace treadle::policies {

/// What is known of tasks that do the same to more or less work, without having tried sizes. Times in ns.
struct grain_model {
  double work = 0;        ///< between two waits for all tasks, in units such as points
  double ns_per_unit = 0; ///< of execution
  double overhead_ns = 0; ///< per task, all that is not execution
  unsigned workers = 1;

  /// The grain g at which that takes least: (W c / P) (1 + t_o / (g c)) + g c / 2, half a task being the mean time that
  /// the last of them keeps the others waiting.
  double best() const noexcept;
  /// From here on tasks cost no more than 5 % of what they do.
  double smallest_useful() const noexcept { return 19 * overhead_ns / ns_per_unit; }
  /// The useful grain closest to another one, of which the model does not know what speaks for it, such as caches. What
  /// a task costs is about known, so one that is off by less than a factor of two stays.
  double closest(double grain) const noexcept;
};

/// Searches the grain with the highest speed (units of work per second), while the program runs: the program measures a
/// window with next(), reports its speed, and so on. The speed over the logarithm of the grain rises, is flat and
/// falls, but for noise and a last rise where a few huge tasks fit the workers.
///
/// From the start steps of a factor of 4 go to the better side, then of 2, then of sqrt(2); one counts as better when
/// it is so by twice the noise, which is learned from repetitions, and is tried again when that cannot be told. A try
/// has to be paid for: it is made when what earlier ones lost, against the best, stays below 3 % of all windows. Some
/// credit is there at the start, unless that is trusted to be good; a gain is credit too. Then the speed is watched:
/// when it leaves what was known for good (a cumulative sum, as in CUSUM-UCB, Liu et al., AAAI 2018), everything known
/// is forgotten, and the search goes on from the present grain.
class grain_search {
 public:
  /// Between two grains, both at least 1; `start` is moved in between. `credit`: windows that the first tries may lose;
  /// 0 for a start that is trusted, from which the first step is 2; infinite where a try costs nothing that counts.
  grain_search(double smallest, double largest, double start, double credit = 1);

  double next() const noexcept { return grain_at(m_trying); }
  /// The speed of a window with next(); one that is no positive number is void.
  void report(double speed) noexcept;

  double best() const noexcept { return grain_at(m_best); }
  bool settled() const noexcept { return m_step == 0; }
  unsigned windows() const noexcept { return m_windows; } ///< that were reported
  unsigned reopened() const noexcept { return m_reopened; }

 private:
  struct place {
    double mean = 0; // of the logarithms of the speeds
    unsigned count = 0;
  };

  double grain_at(int at) const noexcept;
  place& here(int at) noexcept { return m_places[static_cast<std::size_t>(at)]; }
  void learn(int at, double log_speed) noexcept;
  void compare() noexcept;
  void accept() noexcept;
  void reject() noexcept;
  void try_next() noexcept;
  void watch(double log_speed) noexcept;

  double m_smallest;
  std::vector<place> m_places; // half octaves, one of them the start
  int m_best, m_trying;
  int m_step = 4; // in places; 0: settled
  int m_direction = 1;
  double m_credit;       // in windows
  unsigned m_failed = 0; // directions in which this step was no better
  bool m_again = false;  // the best is measured once more, and then what is compared to it
  double m_noise = 0.04; // of a logarithm, mean deviation
  double m_up = 0, m_down = 0;
  unsigned m_windows = 0, m_reopened = 0;
};

/// Grubel et al., "The Performance Implication of Task Size for Applications on the HPX Runtime System", CLUSTER 2015,
/// IV-A: the smallest grain with an idle-rate of at most 30 %; from small to large, factor by factor.
class idle_rate_rule {
 public:
  idle_rate_rule(double smallest, double largest) noexcept : m_grain(smallest), m_largest(largest) {}

  double next() const noexcept { return m_grain; }
  /// Of a window with next(), in percent; void when it is no number. How much was done does not matter.
  void report(double idle_rate, double = 0) noexcept {
    if (m_settled || !(idle_rate >= 0)) return;
    if (idle_rate <= k_threshold || m_grain >= m_largest)
      m_settled = true;
    else
      m_grain = m_grain * 2 < m_largest ? m_grain * 2 : m_largest;
  }
  bool settled() const noexcept { return m_settled; }

 private:
  static constexpr double k_threshold = 30;

  double m_grain, m_largest;
  bool m_settled = false;
};

/// The same, IV-E: the grain with the fewest looks at pending queues. Searched as the speed is.
class pending_access_rule {
 public:
  pending_access_rule(double smallest, double largest)
      : m_search(smallest, largest, smallest, std::numeric_limits<double>::infinity()) {}

  double next() const noexcept { return m_search.next(); }
  /// Looks of a window with next(), and the units of work that were done in it.
  void report(double looks, double units) noexcept { m_search.report(units / looks); }
  bool settled() const noexcept { return m_search.settled(); }

 private:
  grain_search m_search;
};

} // namespace treadle::policies

// What one decision knows in one context: a strategy, and around it what makes it fit for noise and change. Pure.
#pragma once

#include "loop/drift.hpp"
#include "loop/window.hpp"
#include "search/strategy.hpp"

#include <treadle/tune/tuning_store.hpp>

#include <array>
#include <limits>
#include <optional>

namespace treadle::loop {

using tune::arm;

class state {
 public:
  static constexpr double k_no_limit = std::numeric_limits<double>::infinity();
  static constexpr double k_no_tries = -k_no_limit;

  /// `wanted.budget` is not used here: the caller of next() gives the credit. `first`: what is tried before anything
  /// that the search would try, whenever it begins.
  state(const tune::space& over, arm start, const search_options& wanted, std::vector<arm> first = {});

  /// What to run now. A try is made when what it is expected to lose is there; otherwise that is the best known point.
  arm next(double credit_ns = k_no_limit);
  /// What next() is expected to lose, where that would be a try that has not begun yet; 0: it would not.
  double next_loss_ns() const;

  struct outcome {
    bool is_void = false;
    bool completes_window = false;
    bool reopens = false;
    bool changes = false; ///< another choice is the best known
    double lost_ns = 0;   ///< by trying, against the best
  };
  /// What a sample with this point cost. One that is not positive and finite is void; so is one of another point than
  /// the present.
  outcome report(arm at, const sample& s);
  /// The point does not work at all, which took so long to find out.
  outcome fail(arm at, double ns = 0);
  /// Forgets the samples of the window that is going on: the next one may be of another point. Gives what a try has
  /// lost by then, about.
  double interrupt() noexcept;
  /// Something else has changed, as the input: searches again, beginning with what is best now.
  void reopen() { reopen(best()); }
  void reopen(arm from);

  /// What next() would give, outside of a window and with credit. The program may not allow it: see refuse().
  arm wanted() const;
  /// The program does not allow the point now. It costs no window; what is wanted is another one then, and what was
  /// measured of it is forgotten. It may still be the best, where nothing else is known: that is what reopen(from) is
  /// for.
  void refuse(arm at);

  /// Before the first next(); is dropped when the first windows at its best point tell otherwise. `is_earlier`: of an
  /// earlier run, as is_believed() says then.
  void believe(const std::vector<tuned_point>& known, bool is_earlier = true);

  arm best() const;
  /// Whether that was found by an earlier run, and nothing has told otherwise yet.
  bool is_believed() const { return m_believed && *m_believed == best(); }
  arm present() const noexcept { return m_present; }   ///< what next() gave
  bool is_trying() const noexcept { return m_trying; } ///< the present window is of another point than the best
  bool is_in_window() const noexcept { return m_has_present && m_has_begun; } ///< next() gives the present point
  bool converged() const noexcept { return m_chosen.has_value(); }
  bool settled() const { return converged() || (!m_belief && m_finalists.empty() && m_strategy->settled()); }
  unsigned epoch() const noexcept { return m_epoch; } ///< how often it has begun again
  std::uint64_t windows() const noexcept { return m_windows; }
  std::uint64_t voids() const noexcept { return m_voids; }
  double usual_ns() const noexcept { return m_usual_ns; }         ///< of a window
  double exploring_ns() const noexcept { return m_exploring_ns; } ///< lost so far
  /// Of the present epoch, most windows first.
  std::vector<tuned_point> records() const;

 private:
  struct known_arm {
    arm at = 0;
    drift_detector drift;
    unsigned windows = 0;
    double sum = 0;
    double mean() const noexcept { return sum / windows; }
  };
  /// The result of an earlier run, until it is confirmed.
  struct belief {
    arm at;
    double mean, deviation;
    double sum = 0;
    unsigned windows = 0;
  };
  struct finalist {
    arm at = 0;
    double sum = 0;
    unsigned windows = 0;
  };

  static constexpr unsigned k_recent = 15;

  void end_window() noexcept {
    m_window = {};
    m_has_begun = false;
    m_unsettled = 0;
  }
  double relative(double cost) noexcept;
  double clipped(double x) noexcept;
  double expected_loss_ns(arm at, arm leading) const noexcept;
  double charge(double x, double ns) noexcept;
  double charge_unknown(double ns) noexcept;
  outcome complete(double x, double ns, bool failed);
  outcome ignore(bool expected, arm at, double ns);
  bool is_refuted(double x);
  void learn(double x);
  void follow(bool looks_first);
  void end_search();
  void play_finals(double x);
  known_arm& here(arm at);
  std::vector<known_arm>::const_iterator position(arm at) const noexcept;
  const known_arm* find(arm at) const noexcept;

  tune::space m_space;
  search_options m_options;
  std::unique_ptr<tune::strategy> m_strategy;
  std::vector<arm> m_first;
  std::optional<double> m_reference; // logarithm of the first cost: all others are relative to it

  // The present window
  arm m_present = 0;
  bool m_has_present = false, m_trying = false;
  bool m_has_begun = false; // the window, if only with what settles
  window m_window;
  unsigned m_unsettled = 0;
  unsigned m_voids_in_a_row = 0;
  double m_usual_ns = 0; // of the latest one of the best point

  // The present epoch
  std::vector<known_arm> m_known; // sorted
  std::optional<arm> m_leading;   // the best, where the strategy goes on learning; see follow()
  std::size_t m_first_tried = 0;  // of what is tried first
  std::optional<belief> m_belief;
  std::optional<arm> m_believed;     // also when it is confirmed
  std::vector<finalist> m_finalists; // the best points of a strategy that has converged, measured once more
  std::optional<arm> m_chosen;       // by these
  std::uint64_t m_epoch_windows = 0;
  double m_patience = 1; // of the drift detectors

  std::array<double, k_recent> m_recent{};
  unsigned m_recents = 0;
  std::uint64_t m_windows = 0, m_voids = 0;
  unsigned m_epoch = 0;
  double m_exploring_ns = 0;
};

} // namespace treadle::loop

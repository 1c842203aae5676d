// One search that goes on for as long as the program runs: a strategy, and around it what makes it fit for noise and
// change. Pure, like the strategies.
#pragma once

#include "tune/drift.hpp"
#include "tune/strategy.hpp"

#include <treadle/tune/tuning_store.hpp>

#include <array>
#include <optional>

namespace treadle::tune {

class search {
 public:
  search(const space& over, arm start, const search_options& wanted);

  /// What to run now. Where `may_try` is false, or the budget is used up, that is the best known point.
  arm next(bool may_try = true);

  /// What a sample with this point cost. One that is not positive and finite is void; so is one of another point than
  /// the present. `work`: how many units it is the cost of each of, where windows have other numbers of them.
  void report(arm at, double cost, double work = 1);
  /// The point does not work at all.
  void fail(arm at);
  /// Forgets the samples of the window that is going on: the next one may be of another point.
  void interrupt() noexcept {
    m_has_present = m_trying = false;
    end_window();
  }
  /// Something else has changed, as the input: searches again, beginning with what is best now.
  void reopen();

  /// Of an earlier run. Before the first next(); is dropped when the first windows at its best point tell otherwise.
  void believe(const std::vector<tuned_point>& known);

  arm best() const;
  bool is_trying() const noexcept { return m_trying; } ///< the present window is of another point than the best
  bool is_settling() const noexcept { return m_has_present && m_unsettled > 0; } ///< the next sample tells nothing
  bool converged() const noexcept { return m_chosen.has_value(); }
  unsigned epoch() const noexcept { return m_epoch; } ///< how often it has begun again
  std::uint64_t windows() const noexcept { return m_windows; }
  std::uint64_t voids() const noexcept { return m_voids; }
  /// What the search has cost so far, in windows of the best point: the sum of (cost / best - 1).
  double regret() const noexcept { return m_regret; }
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

  static constexpr unsigned k_samples_most = 32, k_recent = 15;

  void end_window() noexcept {
    m_in_window = false;
    m_samples = m_unsettled = 0;
    m_work = 0;
  }
  double relative(double cost) noexcept;
  double aggregated() noexcept;
  double clipped(double x) noexcept;
  double allowance() const noexcept;
  bool may_pay() const noexcept;
  void complete(double x, bool failed);
  void charge(double x, double work);
  bool is_refuted(double x);
  void play_finals(double x);
  known_arm& here(arm at);
  std::vector<known_arm>::const_iterator position(arm at) const noexcept;
  const known_arm* find(arm at) const noexcept;

  space m_space;
  search_options m_options;
  std::unique_ptr<strategy> m_strategy;
  std::optional<double> m_reference; // logarithm of the first cost: all others are relative to it

  // The present window
  arm m_present = 0;
  bool m_has_present = false, m_trying = false;
  std::array<double, k_samples_most> m_window{};
  bool m_in_window = false;
  unsigned m_samples = 0, m_unsettled = 0;
  double m_work = 0, m_usual_work = 0; // of the present window; of the latest one of the best point
  unsigned m_voids_in_a_row = 0;

  // The present epoch
  std::vector<known_arm> m_known; // sorted
  std::optional<belief> m_belief;
  std::vector<finalist> m_finalists; // the best points of a strategy that has converged, measured once more
  std::optional<arm> m_chosen;       // by these
  std::uint64_t m_epoch_windows = 0;
  double m_credit;       // for tries, in windows
  double m_patience = 1; // of the drift detectors

  std::array<double, k_recent> m_recent{};
  unsigned m_recents = 0;
  std::uint64_t m_windows = 0, m_voids = 0;
  unsigned m_epoch = 0;
  double m_regret = 0;
};

} // namespace treadle::tune

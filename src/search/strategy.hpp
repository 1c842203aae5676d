// Search strategies: which point of a space is tried next. Pure: no clock, no threads, and what one does depends on its
// seed and on what was reported, nothing else.
#pragma once

#include "search/space.hpp"

#include <treadle/tune/search_options.hpp>

#include <memory>

namespace treadle::tune {

/// Minimises over a space, one window at a time: measure next(), report it, and so on. Costs come as logarithms, so
/// that their scale changes no choice, and are finite.
class strategy {
 public:
  virtual ~strategy() = default;

  /// What to measure now; the same until report() or restart().
  virtual arm next() = 0;
  /// The cost of a window. Also told when something else than next() was measured, which some can use.
  virtual void report(arm at, double x) = 0;
  /// The program does not allow the point now: it costs no window, and next() is another one. That may change, so a
  /// strategy that never ends forgets it.
  virtual void refuse(arm at) = 0;
  /// The best that is known; the start, when nothing is.
  virtual arm best() const = 0;
  /// There is nothing left to try: next() is best() from now on. Those that never freeze are never done.
  virtual bool converged() const { return false; }
  /// There is nothing new to try at the moment.
  virtual bool settled() const { return converged(); }
  /// It ends when it has converged, so a point that is known from an earlier run makes it superfluous.
  virtual bool freezes() const { return true; }
  /// All that was reported is void. Searches again, beginning here.
  virtual void restart(arm from) = 0;
  /// Something like x is known of a point from an earlier run, as sure as `weight` windows. Before the first next().
  virtual void believe(arm, double /*x*/, double /*weight*/) {}
};

/// What the options name.
std::unique_ptr<strategy> make_strategy(const search_options& wanted, const space& over, arm start);

// One factory for each file.
std::unique_ptr<strategy> make_exhaustive(const space& over, arm start);
std::unique_ptr<strategy> make_random(const space& over, arm start, std::uint64_t seed);
std::unique_ptr<strategy> make_nelder_mead(const space& over, arm start);
std::unique_ptr<strategy> make_parallel_rank_order(const space& over, arm start, std::uint64_t seed);
std::unique_ptr<strategy> make_published_rank_order(const space& over, arm start, std::uint64_t seed);
std::unique_ptr<strategy> make_local_ucb(const space& over, arm start, std::uint64_t seed);

} // namespace treadle::tune

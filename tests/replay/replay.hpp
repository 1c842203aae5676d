// Decisions on recorded surfaces: the product's state and account, in a program whose windows cost what was recorded.
#pragma once

#include "loop/state.hpp"
#include "replay/recording.hpp"

#include <optional>

namespace treadle::replay {

/// How a run is made of the situations of a recording. The first and the last are recorded as they are; the others are
/// composed of recorded pieces.
enum class character {
  stationary,  ///< the first situation
  abrupt,      ///< a third of the run in each of three situations
  slow,        ///< from the first to the second, more and more of each window's work
  periodic,    ///< between the first and the second, 250 windows each
  heavy_tails, ///< the first situation, disturbed by other threads
};
constexpr character k_characters[] = {character::stationary, character::abrupt, character::slow, character::periodic,
                                      character::heavy_tails};
const char* to_string(character c) noexcept;

constexpr unsigned k_windows = 4000;

/// What a run costs at each window, with each choice. What the machine did in a round of the recording meets all
/// choices alike; rounds go by in blocks of eight, which are drawn at random.
class surface {
 public:
  surface(const recording& of, character how) : m_of(of), m_how(how) {}

  /// Between two situations: `share` of the work is the second one's.
  struct moment {
    std::size_t first, second;
    double share;
  };
  moment at(unsigned window) const noexcept;
  double cost(const moment& now, arm choice, std::size_t round) const noexcept {
    const auto of = [&](std::size_t s) { return m_of.samples[s][choice][round]; };
    return now.share == 0 ? of(now.first) : (1 - now.share) * of(now.first) + now.share * of(now.second);
  }
  /// Without luck.
  double mean(const moment& now, arm choice) const noexcept {
    return (1 - now.share) * m_of.means[now.first][choice] + now.share * m_of.means[now.second][choice];
  }
  arm best(const moment& now) const noexcept;
  /// The windows at which another situation begins, or is over half way; the first is 0.
  std::vector<unsigned> changes() const;
  const recording& of() const noexcept { return m_of; }
  character how() const noexcept { return m_how; }

 private:
  const recording& m_of;
  character m_how;
};

/// Costs are in windows of the best choice at each moment, without luck.
struct result {
  double spent = 0;
  double best_fixed = 0; ///< of the choices, had it been taken all the time
  double explored = 0;   ///< of `spent`: by tries, beyond what was known to be best
  unsigned epochs = 0;   ///< times that it began again
  /// For each change: windows until what is known to be best is within 5 % of it; k_windows: not before the next.
  std::vector<unsigned> found_after;
  /// For each change but the first: windows until it began again; k_windows: it did not before the next.
  std::vector<unsigned> told_after;
};

/// What the search of a state does on that surface. `share`: of the time that it may lose (0: without a limit).
result replay(const surface& on, search_options how, double share, std::uint64_t seed);
/// No search: where the runtime begins in each situation.
result replay_model(const surface& on);

} // namespace treadle::replay

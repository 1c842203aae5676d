// A bandit for lattices of any size: it plays the best point, or one 1, 2 or 4 steps from it along one dimension (of an
// unordered one all values, or the next some on both sides). Combes and Proutiere, "Unimodal Bandits: Regret Lower
// Bounds and Optimal Algorithms", ICML 2014, show that neighbours are enough where the cost has one valley; the wider
// steps jump over small ones, and one window in a hundred is played anywhere. Among these points it takes the one with
// the lowest optimistic mean (UCB1; Auer et al., 2002). Means forget: each is that of the latest hundred windows of its
// point, about. Where a step is refused, it looks beside it: for a best point with a + b = 8, along the line of these.
#include "search/strategy.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace treadle::tune {
namespace {

class local_ucb final : public strategy {
 public:
  local_ucb(const space& over, arm start, std::uint64_t seed) : m_space(over), m_random(seed), m_best(start) {}

  arm next() override {
    if (!m_next) m_next = choose();
    return *m_next;
  }
  void report(arm at, double x) override {
    believe(at, x, 1);
    m_draws = 0;
    if (++m_reports % k_refused_windows == 0) m_refused.clear();
  }
  void refuse(arm at) override {
    m_refused.insert(at);
    m_known.erase(at);
    if (at == m_best && !m_known.empty()) m_best = lowest(&known::mean)->first;
    m_next.reset();
  }
  arm best() const override { return m_best; }
  bool settled() const override { return m_settled || m_space.size() == 1; }
  bool freezes() const override { return false; }
  void restart(arm from) override {
    m_known.clear();
    m_refused.clear();
    m_windows = 0;
    m_draws = 0;
    m_best = from;
    m_next.reset();
    m_settled = false;
  }
  void believe(arm at, double x, double windows) override {
    if (m_known.size() == k_most && !m_known.contains(at)) m_known.erase(lowest(&known::windows));
    known& here = m_known[at];
    here.windows = std::min(here.windows + windows, k_memory);
    here.mean += (x - here.mean) * windows / here.windows;
    m_windows += windows;
    m_best = lowest(&known::mean)->first;
    m_next.reset();
  }

 private:
  static constexpr std::size_t k_most = 256;              // points that it remembers
  static constexpr double k_memory = 100;                 // windows
  static constexpr double k_optimism = 0.02;              // suits relative noise of some percent
  static constexpr std::uint32_t k_seldom = 100;          // of these windows, one
  static constexpr unsigned k_draws = 32;                 // until an allowed point comes, in these
  static constexpr std::uint64_t k_refused_windows = 100; // then the program is asked again
  static constexpr std::size_t k_candidates = k_most / 2; // or one of them would always look new
  static constexpr std::int64_t k_steps[] = {4, -4, 2, -2, 1, -1};

  struct known {
    double windows = 0, mean = 0;
  };

  std::map<arm, known>::const_iterator lowest(double known::* by) const noexcept {
    return std::min_element(m_known.begin(), m_known.end(),
                            [by](const auto& a, const auto& b) { return a.second.*by < b.second.*by; });
  }

  arm choose() {
    if (m_draws == 0 && !m_known.empty() && m_random.below(k_seldom) == 0) m_draws = k_draws;
    if (m_draws > 0 && --m_draws > 0) return m_random() % m_space.size();
    constexpr double k_infinity = std::numeric_limits<double>::infinity();
    const double log_windows = std::log(std::max(m_windows, 2.0));
    arm chosen = m_best;
    double least = k_infinity;
    for_each_candidate([&](arm at) {
      const auto found = m_known.find(at);
      const double optimistic = found == m_known.end()
                                    ? -k_infinity
                                    : found->second.mean - std::sqrt(k_optimism * log_windows / found->second.windows);
      if (optimistic < least) {
        least = optimistic;
        chosen = at;
      }
    });
    m_settled = std::isfinite(least);
    return chosen;
  }

  /// The best first; of its neighbours far ones first: out of a bad region.
  template <class F>
  void for_each_candidate(F f) const {
    f(m_best);
    for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) {
      std::size_t beside = k_candidates / m_space.dimensions().size();
      const auto moved = [&](std::int64_t steps) {
        arm to = m_best;
        if (steps == 0 || !m_space.move(to, d, steps)) return;
        if (!m_refused.contains(to))
          f(to);
        else
          for_each_beside(to, d, steps, [&](arm at) {
            if (beside == 0) return;
            --beside;
            f(at);
          });
      };
      const dimension& along = m_space.dimensions()[d];
      if (along.ordered) {
        for (const std::int64_t step : k_steps) moved(step);
      } else {
        const auto most = static_cast<std::int64_t>(k_candidates / m_space.dimensions().size());
        const std::int64_t size = along.size, here = m_space.index(m_best, d);
        const std::int64_t first = size <= most ? 0 : here - most / 2;
        for (std::int64_t i = 0; i < std::min(size, most); ++i) moved((first + i + size) % size - here);
      }
    }
  }

  /// A refused point came of this many steps along `d`: as many along another dimension too, back or forth. Without an
  /// order one step is as good as another.
  template <class F>
  void for_each_beside(arm refused, std::size_t d, std::int64_t steps, F f) const {
    for (std::size_t other = 0; other < m_space.dimensions().size(); ++other) {
      if (other == d) continue;
      const bool alike = m_space.dimensions()[d].ordered && m_space.dimensions()[other].ordered;
      for (const std::int64_t step : k_steps) {
        if (alike && std::abs(step) != std::abs(steps)) continue;
        arm to = refused;
        if (m_space.move(to, other, step) && !m_refused.contains(to)) f(to);
      }
    }
  }

  space m_space;
  detail::xorshift m_random;
  std::map<arm, known> m_known; // what was played
  std::set<arm> m_refused;      // lately
  double m_windows = 0;
  std::uint64_t m_reports = 0;
  unsigned m_draws = 0; // anywhere, that are left
  arm m_best;
  std::optional<arm> m_next;
  bool m_settled = false; // around the best point nothing was new
};

} // namespace

std::unique_ptr<strategy> make_local_ucb(const space& over, arm start, std::uint64_t seed) {
  return std::make_unique<local_ucb>(over, start, seed);
}

} // namespace treadle::tune

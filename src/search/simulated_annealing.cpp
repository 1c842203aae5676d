// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983) over a lattice. Costs are logarithms, so a
// difference is a ratio and one temperature suits every scale: it falls from 30 % to half a percent. Steps shrink with
// it but can always move; every tenth of the way the search goes on from the best.
#include "search/strategy.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace treadle::tune {
namespace {

class simulated_annealing final : public strategy {
 public:
  simulated_annealing(const space& over, arm start, std::uint64_t seed)
      : m_space(over), m_random(seed), m_windows(static_cast<unsigned>(std::clamp<arm>(4 * over.size(), 40, 500))) {
    restart(start);
  }

  arm next() override { return converged() ? m_best : m_trying; }

  void report(arm at, double x) override {
    if (converged() || at != m_trying) return;
    const double temperature = 0.3 * std::pow(0.005 / 0.3, progress());
    if (x <= m_here_x || uniform() < std::exp((m_here_x - x) / temperature)) {
      m_here = at;
      m_here_x = x;
    }
    if (x < m_best_x) {
      m_best = at;
      m_best_x = x;
    }
    ++m_window;
    if (m_window % std::max(m_windows / 10, 1u) == 0) {
      m_here = m_best;
      m_here_x = m_best_x;
    }
    m_trying = neighbour();
  }

  arm best() const override { return m_best; }
  bool converged() const override { return m_window >= m_windows; }
  void restart(arm from) override {
    m_here = m_best = m_trying = from;
    m_here_x = m_best_x = std::numeric_limits<double>::infinity();
    m_window = 0;
  }

 private:
  double progress() const noexcept { return static_cast<double>(m_window) / m_windows; }
  double uniform() noexcept { return static_cast<double>(m_random() >> 11) * 0x1p-53; }

  arm neighbour() noexcept {
    arm to = m_here;
    if (m_space.size() == 1) return to;
    while (to == m_here) {
      for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) {
        const dimension& along = m_space.dimensions()[d];
        if (along.size == 1) continue;
        const auto reach =
            along.ordered ? std::max<std::int64_t>(1, std::lround(0.25 * along.size * (1 - progress()))) // either way
                          : std::int64_t{along.size} - 1;
        const auto step = static_cast<std::int64_t>(m_random.below(static_cast<std::uint32_t>(2 * reach + 1))) - reach;
        m_space.move(to, d, step);
      }
    }
    return to;
  }

  space m_space;
  detail::xorshift m_random;
  unsigned m_windows, m_window = 0;
  arm m_here = 0, m_best = 0, m_trying = 0;
  double m_here_x = 0, m_best_x = 0;
};

} // namespace

std::unique_ptr<strategy> make_simulated_annealing(const space& over, arm start, std::uint64_t seed) {
  return std::make_unique<simulated_annealing>(over, start, seed);
}

} // namespace treadle::tune

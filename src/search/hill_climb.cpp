// Discrete hill climbing: measures the neighbours of a point, one step away along each dimension, and goes to the best
// of them. When none is better the step is halved; when it is 1, that was the summit. An unordered dimension has all
// its values as neighbours.
#include "search/strategy.hpp"

#include <algorithm>
#include <limits>

namespace treadle::tune {
namespace {

class hill_climb final : public strategy {
 public:
  hill_climb(const space& over, arm start, std::uint32_t first_step) : m_space(over), m_first_step(first_step) {
    restart(start);
  }

  arm next() override { return m_done ? m_centre : m_round[m_at].where; }

  void report(arm at, double x) override {
    if (m_done || at != next()) return;
    m_round[m_at].x = x;
    if (++m_at < m_round.size()) return;
    const auto better = std::min_element(m_round.begin(), m_round.end(),
                                         [](const candidate& a, const candidate& b) { return a.x < b.x; });
    if (better->where != m_centre) {
      m_centre = better->where;
    } else {
      m_done = m_step <= 1;
      m_step = std::max(m_step / 2, 1u);
    }
    begin_round();
  }

  arm best() const override { return m_centre; }
  bool converged() const override { return m_done; }

  void restart(arm from) override {
    m_centre = from;
    m_done = false;
    std::uint32_t widest = 1;
    for (const dimension& d : m_space.dimensions()) {
      if (d.ordered) widest = std::max(widest, d.size);
    }
    m_step = m_first_step > 0 ? m_first_step : std::max(widest / 4, 1u);
    begin_round();
  }

 private:
  struct candidate {
    arm where;
    double x;
  };

  void consider(arm where) { m_round.push_back({where, std::numeric_limits<double>::infinity()}); }

  /// The centre is measured again with each of its neighbourhoods: no luck lasts.
  void begin_round() {
    m_round.clear();
    m_at = 0;
    consider(m_centre);
    for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) {
      const dimension& along = m_space.dimensions()[d];
      const std::int64_t here = m_space.index(m_centre, d);
      for (std::int64_t to = 0; !along.ordered && to < along.size; ++to) add_moved(d, to - here);
      if (along.ordered) {
        add_moved(d, std::max<std::int64_t>(-std::int64_t{m_step}, -here));
        add_moved(d, std::min<std::int64_t>(m_step, along.size - 1 - here));
      }
    }
  }
  void add_moved(std::size_t d, std::int64_t steps) {
    arm to = m_centre;
    if (steps != 0 && m_space.move(to, d, steps)) consider(to);
  }

  space m_space;
  const std::uint32_t m_first_step;
  arm m_centre = 0;
  std::uint32_t m_step = 1;
  bool m_done = false;
  std::vector<candidate> m_round;
  std::size_t m_at = 0; // of the round
};

} // namespace

std::unique_ptr<strategy> make_hill_climb(const space& over, arm start, std::uint32_t first_step) {
  return std::make_unique<hill_climb>(over, start, first_step);
}

} // namespace treadle::tune

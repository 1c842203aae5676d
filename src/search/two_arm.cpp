// Compares the best known point with one neighbour at a time, in windows in the order best, other, other, best: what
// drifts slowly meets both alike. The difference is decided by Student's t, unless it is obvious: a neighbour of which
// one window costs twice as much has lost at once, and 40 % in both halves of four windows are enough either way.
// The winner becomes the best, and is compared with what lies further on. When all neighbours have lost, steps along
// ordered dimensions are halved; after the smallest it rests, and looks again after 64 windows, then twice as many, and
// so on up to 4096: it never freezes. For windows that are expensive or very noisy.
#include "search/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treadle::tune {
namespace {

class two_arm final : public strategy {
 public:
  two_arm(const space& over, arm start, std::uint32_t first_step)
      : m_space(over), m_first_step(std::max(first_step, 1u)), m_best(start) {
    begin_climb(m_first_step);
  }

  arm next() override { return is_resting() || m_at == 0 || m_at == 3 ? m_best : m_others[m_other]; }

  void report(arm at, double x) override {
    if (is_resting()) {
      if (--m_rest == 0) begin_climb(1);
      return;
    }
    if (at != next()) return;
    m_four[m_at] = x;
    if (m_at == 1 && m_four[1] - m_four[0] > k_obvious) return decide(false);
    if (m_at++ < 3) return;
    m_at = 0;
    const double first = m_four[1] - m_four[0], second = m_four[2] - m_four[3];
    const double difference = (first + second) / 2, before = m_mean;
    m_mean += (difference - m_mean) / ++m_pairs;
    m_squares += (difference - before) * (difference - m_mean);
    if (m_pairs == 1 && std::max(first, second) < -k_obvious / 2) return decide(true);
    if (m_pairs == 1 && std::min(first, second) > k_obvious / 2) return decide(false);
    if (m_pairs < k_least) return;
    const double error = std::sqrt(m_squares / (m_pairs - 1) / m_pairs);
    const bool clear = std::abs(m_mean) > k_confidence * error && std::abs(m_mean) > k_worthwhile;
    if (!clear && m_pairs < k_most) return;
    decide(clear && m_mean < 0);
  }

  arm best() const override { return m_best; }
  bool settled() const override { return is_resting(); }
  bool freezes() const override { return false; }
  void restart(arm from) override {
    m_best = from;
    m_next_rest = k_first_rest;
    begin_climb(m_first_step);
  }

 private:
  static constexpr int k_least = 3, k_most = 10; // pairs of pairs
  static constexpr double k_confidence = 3;      // 95 % with two degrees of freedom is 4.3, with nine 2.3
  static constexpr double k_worthwhile = 0.005, k_obvious = 0.7;
  static constexpr unsigned k_first_rest = 64, k_last_rest = 4096;

  bool is_resting() const noexcept { return m_rest > 0; }

  void begin_climb(std::uint32_t step) {
    m_step = step;
    m_beaten.clear();
    m_rest = 0;
    begin_round();
  }

  /// All neighbours that have not lost yet in this climb.
  void begin_round() {
    begin_pair();
    for (;; m_step /= 2) {
      m_others.clear();
      m_other = 0;
      for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) add_neighbours(d);
      if (!m_others.empty()) return;
      if (m_step > 1) continue;
      const bool is_alone = m_beaten.empty(); // nothing to compare with
      m_rest = is_alone ? k_last_rest : m_next_rest;
      m_next_rest = std::min(2 * m_next_rest, k_last_rest);
      return;
    }
  }
  void add_neighbours(std::size_t d) {
    const dimension& along = m_space.dimensions()[d];
    const std::int64_t here = m_space.index(m_best, d);
    if (along.ordered) {
      for (const std::int64_t step : {std::int64_t{m_step}, -std::int64_t{m_step}})
        add(d, std::clamp<std::int64_t>(here + step, 0, along.size - 1) - here);
    } else {
      for (std::int64_t to = 0; to < along.size; ++to) add(d, to - here);
    }
  }
  void add(std::size_t d, std::int64_t steps) {
    arm other = m_best;
    if (steps == 0 || !m_space.move(other, d, steps)) return;
    if (std::find(m_beaten.begin(), m_beaten.end(), other) == m_beaten.end()) m_others.push_back(other);
  }
  void begin_pair() {
    m_at = 0;
    m_pairs = 0;
    m_mean = m_squares = 0;
  }
  void decide(bool other_is_better) {
    m_beaten.push_back(other_is_better ? m_best : m_others[m_other]);
    if (other_is_better) {
      m_best = m_others[m_other];
      m_next_rest = k_first_rest;
    } else if (++m_other < m_others.size()) {
      return begin_pair();
    }
    begin_round();
  }

  space m_space;
  const std::uint32_t m_first_step;
  std::uint32_t m_step = 1;
  arm m_best;
  std::vector<arm> m_beaten; // in this climb
  std::vector<arm> m_others; // to be compared with it
  std::size_t m_other = 0;
  int m_at = 0, m_pairs = 0; // in the order of four; those that are complete
  double m_four[4] = {};     // best, other, other, best
  double m_mean = 0, m_squares = 0;
  unsigned m_rest = 0, m_next_rest = k_first_rest; // windows
};

} // namespace

std::unique_ptr<strategy> make_two_arm(const space& over, arm start, std::uint32_t first_step) {
  return std::make_unique<two_arm>(over, start, first_step);
}

} // namespace treadle::tune

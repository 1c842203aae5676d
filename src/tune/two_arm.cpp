// Compares the best known point with one neighbour at a time, in windows in the order best, other, other, best: what
// drifts slowly meets both alike. The difference is decided by Student's t; then comes the next neighbour. When all
// have lost, it rests, and looks again after 64 windows, then twice as many, and so on up to 4096: it never freezes.
// For windows that are expensive or very noisy.
#include "tune/strategy.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace treadle::tune {
namespace {

class two_arm final : public strategy {
 public:
  two_arm(const space& over, arm start) : m_space(over), m_best(start) { begin_round(); }

  arm next() override { return resting() || m_at == 0 || m_at == 3 ? m_best : m_others[m_other]; }

  void report(arm at, double x) override {
    if (resting()) {
      if (--m_rest == 0) begin_round();
      return;
    }
    if (at != next()) return;
    m_difference += m_at == 0 || m_at == 3 ? -x / 2 : x / 2;
    if (m_at++ < 3) return;
    m_at = 0;
    const double difference = std::exchange(m_difference, 0.0), before = m_mean;
    m_mean += (difference - m_mean) / ++m_pairs;
    m_squares += (difference - before) * (difference - m_mean);
    if (m_pairs < k_least) return;
    const double error = std::sqrt(m_squares / (m_pairs - 1) / m_pairs);
    const bool clear = std::abs(m_mean) > k_confidence * error && std::abs(m_mean) > k_worthwhile;
    if (!clear && m_pairs < k_most) return;
    decide(clear && m_mean < 0);
  }

  arm best() const override { return m_best; }
  bool freezes() const override { return false; }
  void restart(arm from) override {
    m_best = from;
    m_next_rest = k_first_rest;
    begin_round();
  }

 private:
  static constexpr int k_least = 3, k_most = 10; // pairs of pairs
  static constexpr double k_confidence = 3;      // 95 % with two degrees of freedom is 4.3, with nine 2.3
  static constexpr double k_worthwhile = 0.005;
  static constexpr unsigned k_first_rest = 64, k_last_rest = 4096;

  bool resting() const noexcept { return m_rest > 0; }

  void begin_round() {
    m_others.clear();
    for (std::size_t d = 0; d < m_space.dimensions().size(); ++d) {
      const dimension& along = m_space.dimensions()[d];
      const std::int64_t here = m_space.index(m_best, d);
      for (std::int64_t to = 0; to < along.size; ++to) {
        arm other = m_best;
        if (to != here && (!along.ordered || std::abs(to - here) == 1) && m_space.move(other, d, to - here))
          m_others.push_back(other);
      }
    }
    m_other = 0;
    m_rest = 0;
    begin_pair();
    if (m_others.empty()) m_rest = k_last_rest; // nothing to compare with
  }
  void begin_pair() {
    m_at = 0;
    m_pairs = 0;
    m_difference = m_mean = m_squares = 0;
  }
  void decide(bool other_is_better) {
    if (other_is_better) {
      m_best = m_others[m_other];
      m_next_rest = k_first_rest;
      return begin_round();
    }
    begin_pair();
    if (++m_other < m_others.size()) return;
    m_rest = m_next_rest;
    m_next_rest = std::min(2 * m_next_rest, k_last_rest);
  }

  space m_space;
  arm m_best;
  std::vector<arm> m_others; // to be compared with it
  std::size_t m_other = 0;
  int m_at = 0, m_pairs = 0; // in the order of four; those that are complete
  double m_difference = 0, m_mean = 0, m_squares = 0;
  unsigned m_rest = 0, m_next_rest = k_first_rest; // windows
};

} // namespace

std::unique_ptr<strategy> make_two_arm(const space& over, arm start) { return std::make_unique<two_arm>(over, start); }

} // namespace treadle::tune

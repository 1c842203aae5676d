// Discounted UCB (Garivier and Moulines, "On Upper-Confidence Bound Policies for Switching Bandit Problems", ALT 2011)
// over few arms: plays the one with the lowest optimistic mean, for ever, so that what has become better is found. In
// ordered dimensions an arm also believes 0.3 of what its neighbours saw, so one beyond a bad neighbour has to wait
// until that is nearly forgotten.
#include "search/bandit.hpp"
#include "search/strategy.hpp"

#include <limits>

namespace treadle::tune {
namespace {

class discounted_ucb final : public strategy {
 public:
  discounted_ucb(const space& over, arm start, double memory) : m_space(over), m_weight(memory), m_arms(over.size()) {
    for (arm at = 0; at < over.size(); ++at) {
      for (std::size_t d = 0; d < over.dimensions().size(); ++d) {
        for (const int step : {-1, 1}) {
          arm to = at;
          if (over.dimensions()[d].ordered && over.move(to, d, step)) m_arms[at].neighbours.push_back(to);
        }
      }
    }
    restart(start);
  }

  arm next() override {
    if (!m_chosen) choose();
    return m_next;
  }
  void report(arm at, double x) override {
    add(at, x, 1);
    m_chosen = false;
  }
  arm best() const override {
    arm best = m_start;
    double lowest = std::numeric_limits<double>::infinity();
    for (arm at = 0; at < m_arms.size(); ++at) {
      const double mean = m_arms[at].own.mean(); // not a number where it was never played
      if (mean < lowest) {
        lowest = mean;
        best = at;
      }
    }
    return best;
  }
  bool freezes() const override { return false; }
  void restart(arm from) override {
    for (known& k : m_arms) k.own = k.smoothed = {};
    m_weight.clear();
    m_start = from;
    m_chosen = false;
    m_first.assign(1, from);
    for (arm at = 0; at < m_space.size(); ++at)
      if (at != from && differs_in_unordered_only(at, from)) m_first.push_back(at);
  }
  void believe(arm at, double x, double weight) override { add(at, x, weight); }

 private:
  static constexpr double k_kernel = 0.3;

  struct known {
    discounted_sums own, smoothed;
    std::vector<arm> neighbours;
  };

  void add(arm at, double x, double windows) noexcept {
    const double weight = m_weight.next(windows);
    m_arms[at].own.add(weight, x);
    m_arms[at].smoothed.add(weight, x);
    for (const arm to : m_arms[at].neighbours) m_arms[to].smoothed.add(k_kernel * weight, x);
    if (const double by = m_weight.scale_down(); by > 0) {
      for (known& k : m_arms) {
        k.own.divide(by);
        k.smoothed.divide(by);
      }
    }
  }

  bool differs_in_unordered_only(arm a, arm b) const noexcept {
    for (std::size_t d = 0; d < m_space.dimensions().size(); ++d)
      if (m_space.dimensions()[d].ordered && m_space.index(a, d) != m_space.index(b, d)) return false;
    return true;
  }

  void choose() noexcept {
    m_chosen = true;
    for (const arm at : m_first) {
      m_next = at;
      if (m_arms[at].smoothed.count == 0) return;
    }
    const double log_total = std::log(std::max(m_weight.windows(), 2.0));
    double lowest = std::numeric_limits<double>::infinity();
    for (arm at = 0; at < m_arms.size(); ++at) {
      const known& k = m_arms[at];
      if (k.smoothed.count == 0) continue; // first those of which something is known
      const double index = k.smoothed.mean() - optimism(log_total, m_weight.windows(k.smoothed.count));
      if (index < lowest) {
        lowest = index;
        m_next = at;
      }
    }
  }

  space m_space;
  growing_weight m_weight;
  std::vector<known> m_arms;
  std::vector<arm> m_first; // the start, and what no neighbourhood leads to from there: to be played in any case
  arm m_start = 0, m_next = 0;
  bool m_chosen = false;
};

} // namespace

std::unique_ptr<strategy> make_discounted_ucb(const space& over, arm start, double memory) {
  if (over.size() > 256)
    throw std::invalid_argument("discounted-ucb plays every point and takes at most 256, not " +
                                std::to_string(over.size()) + ": use local-ucb");
  return std::make_unique<discounted_ucb>(over, start, memory);
}

} // namespace treadle::tune

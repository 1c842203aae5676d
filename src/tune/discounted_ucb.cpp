// Discounted UCB (Garivier and Moulines, "On Upper-Confidence Bound Policies for Switching Bandit Problems", ALT 2011)
// over few arms: plays the one with the lowest optimistic mean, for ever, so that what has become better is found. In
// ordered dimensions an arm also believes 0.3 of what its neighbours saw, so one beyond a bad neighbour has to wait
// until that is nearly forgotten.
#include "tune/bandit.hpp"
#include "tune/strategy.hpp"

#include <limits>

namespace treadle::tune {
namespace {

class discounted_ucb final : public strategy {
 public:
  discounted_ucb(const space& over, arm start, double memory) : m_space(over), m_arms(memory), m_start(start) {
    for (arm at = 0; at < over.size(); ++at) {
      for (std::size_t d = 0; d < over.dimensions().size(); ++d) {
        arm to = at;
        // An arm that has a later neighbour along d.
        if (over.dimensions()[d].ordered && over.move(to, d, 1)) m_neighbours.push_back({at, to});
      }
    }
    m_smoothed.resize(over.size());
    m_alone.assign(over.size(), true);
    for (const auto& [a, b] : m_neighbours) m_alone[a] = m_alone[b] = false;
  }

  arm next() override {
    if (!m_chosen) choose();
    return m_next;
  }
  void report(arm at, double x) override {
    m_arms.add(at, x);
    m_chosen = false;
  }
  arm best() const override {
    const auto* lowest = m_arms.lowest();
    return lowest ? lowest->at : m_start;
  }
  bool freezes() const override { return false; }
  void restart(arm from) override {
    m_arms.clear();
    m_start = from;
    m_chosen = false;
  }
  void believe(arm at, double x, double weight) override { m_arms.add(at, x, weight); }

 private:
  static constexpr double k_kernel = 0.3;

  struct smoothed {
    double count = 0, sum = 0;
  };

  void choose() {
    m_chosen = true;
    m_next = m_start;
    if (!m_arms.find(m_start)) return;
    std::fill(m_smoothed.begin(), m_smoothed.end(), smoothed{});
    for (const auto& e : m_arms.all()) m_smoothed[e.at] = {e.count, e.sum};
    for (const auto& [a, b] : m_neighbours) {
      believe_neighbour(a, b);
      believe_neighbour(b, a);
    }
    const double log_total = std::log(std::max(m_arms.windows(), 2.0));
    double lowest = std::numeric_limits<double>::infinity();
    for (arm at = 0; at < m_smoothed.size(); ++at) {
      const smoothed& s = m_smoothed[at];
      if (s.count == 0 && m_alone[at]) { // nothing tells about it
        m_next = at;
        return;
      }
      const double index = s.sum / s.count - optimism(log_total, m_arms.windows(s.count));
      if (index < lowest) { // not where only neighbours of neighbours are known, which is no number
        lowest = index;
        m_next = at;
      }
    }
  }
  void believe_neighbour(arm who, arm whom) noexcept {
    const auto* e = m_arms.find(whom);
    if (!e) return;
    m_smoothed[who].count += k_kernel * e->count;
    m_smoothed[who].sum += k_kernel * e->sum;
  }

  space m_space;
  discounted_arms m_arms;
  std::vector<std::pair<arm, arm>> m_neighbours;
  std::vector<smoothed> m_smoothed;
  std::vector<bool> m_alone; // have no neighbours
  arm m_start, m_next = 0;
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

// A bandit for lattices of any size: the arms that it may play are the best one and those 1, 2 and 4 steps from it
// along each dimension (of an unordered one all values, or the next some on both sides). Combes and Proutiere,
// "Unimodal Bandits: Regret Lower Bounds and Optimal Algorithms", ICML 2014, show that neighbours are enough where the
// cost has one valley; the wider steps jump over small ones, and one window in a hundred is played anywhere.
#include "search/bandit.hpp"
#include "search/strategy.hpp"

#include "base/rng.hpp"

namespace treadle::tune {
namespace {

class local_ucb final : public strategy {
 public:
  local_ucb(const space& over, arm start, std::uint64_t seed, double memory)
      : m_space(over), m_arms(memory), m_random(seed), m_start(start) {}

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
  void choose() {
    m_chosen = true;
    if (m_random.below(100) == 0 && !m_arms.all().empty()) {
      m_next = m_random() % m_space.size();
      return;
    }
    const arm leader = best();
    m_log_total = std::log(std::max(m_arms.weight().windows(), 2.0));
    m_lowest = 0;
    m_next = leader;
    m_unplayed = false;
    m_first = true;
    consider(leader);
    for (std::size_t d = 0; d < m_space.dimensions().size() && !m_unplayed; ++d) {
      const dimension& along = m_space.dimensions()[d];
      if (along.ordered) {
        for (const int step : {4, 2, 1}) { // far ones first: out of a bad region
          consider_moved(leader, d, step);
          consider_moved(leader, d, -step);
        }
      } else {
        // As many as can be remembered together, or one of them would always look new.
        const auto reach = static_cast<std::int64_t>(discounted_arms::k_most / 4 / m_space.dimensions().size());
        const std::int64_t size = along.size;
        const std::int64_t here = m_space.index(leader, d), first = size <= 2 * reach ? 0 : here - reach;
        for (std::int64_t i = 0; i < std::min(size, 2 * reach); ++i)
          consider_moved(leader, d, (first + i + size) % size - here);
      }
    }
  }
  void consider_moved(arm leader, std::size_t d, std::int64_t steps) {
    arm to = leader;
    if (steps != 0 && m_space.move(to, d, steps)) consider(to);
  }
  /// Takes it when it has the lowest index so far; the first one that was never played ends the choice.
  void consider(arm at) {
    if (m_unplayed) return;
    const auto* e = m_arms.find(at);
    if (!e) {
      m_next = at;
      m_unplayed = true;
      return;
    }
    const double index = e->mean() - optimism(m_log_total, m_arms.weight().windows(e->count));
    if (m_first || index < m_lowest) {
      m_lowest = index;
      m_next = at;
    }
    m_first = false;
  }

  space m_space;
  discounted_arms m_arms;
  detail::xorshift m_random;
  arm m_start, m_next = 0;
  bool m_chosen = false;
  // Of the choice that is being made:
  double m_log_total = 0, m_lowest = 0;
  bool m_unplayed = false, m_first = true;
};

} // namespace

std::unique_ptr<strategy> make_local_ucb(const space& over, arm start, std::uint64_t seed, double memory) {
  return std::make_unique<local_ucb>(over, start, seed, memory);
}

} // namespace treadle::tune

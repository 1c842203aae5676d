// The two searches without an idea: every point, and points drawn at random.
#include "search/strategy.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <limits>

namespace treadle::tune {
namespace {

/// Tries points that someone else enumerates.
class enumeration : public strategy {
 public:
  arm next() override { return converged() ? m_best : m_trying; }
  void report(arm at, double x) override {
    if (converged() || at != m_trying) return;
    if (x < m_best_x) {
      m_best = at;
      m_best_x = x;
    }
    ++m_tried;
    m_trying = following(at);
  }
  void refuse(arm at) override {
    if (converged() || at != m_trying) return;
    m_tried += counts_refused();
    m_trying = instead_of(at);
  }
  arm best() const override { return m_best; }
  bool converged() const override { return m_tried >= m_wanted; }
  void restart(arm from) override {
    m_best = from;
    m_best_x = std::numeric_limits<double>::infinity();
    m_tried = 0;
    m_trying = first();
  }

 protected:
  enumeration(arm start, arm wanted) : m_best(start), m_wanted(wanted) {}
  virtual arm first() = 0;
  virtual arm following(arm last) = 0;
  virtual arm instead_of(arm refused) = 0;
  virtual bool counts_refused() const = 0;
  void begin() { m_trying = first(); } // last of the constructor

 private:
  arm m_best, m_trying = 0;
  double m_best_x = std::numeric_limits<double>::infinity();
  arm m_tried = 0, m_wanted;
};

class exhaustive final : public enumeration {
 public:
  exhaustive(const space& over, arm start) : enumeration(start, over.size()) { begin(); }

 private:
  arm first() override { return 0; }
  arm following(arm last) override { return last + 1; }
  arm instead_of(arm refused) override { return refused + 1; }
  bool counts_refused() const override { return true; }
};

class random_points final : public enumeration {
 public:
  // As many as the coupons that show nearly every point of a small space, within reason.
  random_points(const space& over, arm start, std::uint64_t seed)
      : enumeration(start, std::clamp<arm>(over.size(), 100, 500)), m_size(over.size()), m_random(seed) {
    begin();
  }

 private:
  arm first() override { return m_random() % m_size; }
  arm following(arm) override { return first(); }
  // The next that is allowed, or few of those would be tried where they are rare.
  arm instead_of(arm refused) override { return (refused + 1) % m_size; }
  bool counts_refused() const override { return false; }

  arm m_size;
  detail::xorshift m_random;
};

} // namespace

std::unique_ptr<strategy> make_exhaustive(const space& over, arm start) {
  return std::make_unique<exhaustive>(over, start);
}
std::unique_ptr<strategy> make_random(const space& over, arm start, std::uint64_t seed) {
  return std::make_unique<random_points>(over, start, seed);
}

} // namespace treadle::tune

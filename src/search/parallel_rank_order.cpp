// Parallel Rank Order, the search of Active Harmony: Tabatabaee, Tiwari, Hollingsworth, "Parallel Parameter Tuning for
// Applications with Performance Variability", SC 2005. A simplex is reflected through its best vertex as a whole; when
// that finds a better point it is expanded, otherwise shrunk towards the best.
//
// One process measures the vertices of a round one after the other. The code of Active Harmony (4.6) differs from the
// paper and from what its authors must have meant, in four places. Here the search is repaired, or, as published_*, is
// as that code has it:
//   * the best of a round is taken when the round is complete; published: while its vertices are reported, among costs
//     that are still those of the round before;
//   * the best vertex is measured again in each reflection, and others are compared with that, so that one lucky sample
//     does not block the search; published: its old cost stays until the simplex shrinks;
//   * that all vertices cost the same means: to a percent; published: up to a variance of 1e-4, whatever the unit;
//   * when the simplex has collapsed, the unit neighbours of the best are probed, as in the paper; published: it ends.
#include "search/simplex.hpp"
#include "search/strategy.hpp"

#include "base/rng.hpp"

#include <limits>
#include <numbers>

namespace treadle::tune {
namespace {

class parallel_rank_order final : public strategy {
 public:
  enum class form : bool { repaired, published };

  parallel_rank_order(const space& over, arm start, std::uint64_t seed, form as)
      : m_space(over), m_dimensions(over.dimensions().size()), m_published(as == form::published), m_random(seed) {
    restart(start);
  }

  arm next() override { return m_phase == phase::done ? best() : to_arm(m_space, m_round[m_measured].at); }

  void report(arm at, double x) override {
    if (m_phase == phase::done || at != next()) return;
    m_detours.end();
    m_round[m_measured].x = x;
    if (m_published && x < m_round[m_round_best].x) m_round_best = m_measured; // the others may be of an earlier round
    if (++m_measured == m_round.size()) finish_round();
  }

  void refuse(arm at) override {
    if (m_phase == phase::done || at != next()) return;
    if (!m_detours.move(m_space, m_round[m_measured])) report(at, std::numeric_limits<double>::infinity());
  }

  arm best() const override { return to_arm(m_space, m_simplex[m_best].at); }
  bool converged() const override { return m_phase == phase::done; }

  void restart(arm from) override {
    m_probes = 0;
    m_detours = {};
    m_simplex.assign(1, {to_fractions(m_space, from), std::numeric_limits<double>::infinity()});
    m_round.clear();
    m_best = m_round_best = 0;
    measure(phase::simplex, simplex_around(to_fractions(m_space, from), k_radius));
  }

 private:
  enum class phase : std::uint8_t { simplex, reflection, expansion_check, probe, done };

  static constexpr double k_radius = 0.25; // of the box
  static constexpr unsigned k_probes_max = 8;

  void measure(phase p, std::vector<vertex> round) {
    for (std::size_t i = 0; i < round.size(); ++i)
      round[i].x = i < m_round.size() ? m_round[i].x : std::numeric_limits<double>::infinity();
    m_phase = p;
    m_round = std::move(round);
    m_measured = 0;
  }

  static std::size_t lowest(const std::vector<vertex>& of) noexcept {
    const auto found =
        std::min_element(of.begin(), of.end(), [](const vertex& a, const vertex& b) { return a.x < b.x; });
    return static_cast<std::size_t>(found - of.begin());
  }

  std::size_t best_of_round() const noexcept { return m_published ? m_round_best : lowest(m_round); }

  void accept(std::vector<vertex> simplex, std::size_t best) {
    m_simplex = std::move(simplex);
    m_best = best;
    if (!collapsed())
      reflect();
    else if (m_published)
      m_phase = phase::done;
    else
      probe();
  }

  void finish_round() {
    switch (m_phase) {
    case phase::simplex:
      return accept(m_round, best_of_round());
    case phase::reflection:
      return finish_reflection();
    case phase::expansion_check:
      if (m_round.front().x < m_reflected[m_reflected_best].x) {
        auto expanded = images(2);
        if (in_box(expanded)) return measure(phase::simplex, std::move(expanded));
      }
      return accept(std::move(m_reflected), m_reflected_best);
    case phase::probe:
      return finish_probe();
    case phase::done:
      return;
    }
  }

  /// Every vertex through the best one, `factor` times as far; the best stays.
  std::vector<vertex> images(double factor) const {
    auto result = m_simplex;
    for (vertex& v : result) v.at = along(m_simplex[m_best].at, v.at, -factor);
    return result;
  }

  void reflect() {
    auto reflected = images(1);
    if (in_box(reflected))
      measure(phase::reflection, std::move(reflected));
    else
      shrink(); // what lies outside counts as infinitely bad
  }

  void finish_reflection() {
    if (!m_published) m_simplex[m_best].x = m_round[m_best].x;
    const std::size_t better = best_of_round();
    if (!(m_round[better].x < m_simplex[m_best].x)) return shrink();
    m_reflected = m_round;
    m_reflected_best = better;
    // The published search runs the best vertex again in the others' places.
    std::vector<vertex> check(m_published ? m_simplex.size() : 1, m_simplex[m_best]);
    check.front().at = along(m_simplex[m_best].at, m_simplex[better].at, -2);
    if (in_box(check))
      measure(phase::expansion_check, std::move(check));
    else
      accept(std::move(m_reflected), better);
  }

  void shrink() { measure(phase::simplex, images(-0.5)); }

  void probe() {
    const arm centre = best();
    std::vector<vertex> round{{to_fractions(m_space, centre), 0}};
    for (std::size_t d = 0; d < m_dimensions; ++d) {
      for (const int step : {-1, 1}) {
        arm to = centre;
        if (m_space.move(to, d, step)) round.push_back({to_fractions(m_space, to), 0});
      }
    }
    measure(phase::probe, std::move(round));
  }

  void finish_probe() {
    const std::size_t better = lowest(m_round);
    m_simplex.assign(1, m_round[better]);
    m_best = 0;
    m_phase = phase::done;
    if (better == 0 || ++m_probes > k_probes_max) return;
    double cell = 0; // the widest
    for (const dimension& d : m_space.dimensions()) cell = std::max(cell, 1.0 / d.size);
    measure(phase::simplex, simplex_around(m_simplex.front().at, std::min(1.5 * cell, k_radius)));
  }

  bool in_box(const std::vector<vertex>& vertices) const noexcept {
    for (const vertex& v : vertices) {
      for (std::size_t d = 0; d < m_dimensions; ++d)
        if (v.at[d] < 0 || v.at[d] >= 1) return false;
    }
    return true;
  }

  /// In one cell; or as good as one point, in cost (a percent) and place.
  bool collapsed() const {
    const auto cost = [&](const vertex& v) { return m_published ? std::exp(v.x) : v.x; };
    bool one_cell = true;
    fractions centroid{};
    double mean = 0;
    const auto count = static_cast<double>(m_simplex.size());
    for (const vertex& v : m_simplex) {
      one_cell = one_cell && to_arm(m_space, v.at) == best();
      for (std::size_t d = 0; d < m_dimensions; ++d) centroid[d] += v.at[d] / count;
      mean += cost(v) / count;
    }
    double deviation = 0, farthest = 0;
    for (const vertex& v : m_simplex) {
      deviation += (cost(v) - mean) * (cost(v) - mean) / count;
      double square = 0;
      for (std::size_t d = 0; d < m_dimensions; ++d) square += (v.at[d] - centroid[d]) * (v.at[d] - centroid[d]);
      farthest = std::max(farthest, square);
    }
    const double tolerance = 0.005 * std::sqrt(static_cast<double>(m_dimensions));
    return one_cell || (deviation < 1e-4 && std::sqrt(farthest) < tolerance) || std::sqrt(farthest) < 1e-6;
  }

  /// Regular, turned by random angles, moved into the box.
  std::vector<vertex> simplex_around(const fractions& centre, double radius) {
    const std::size_t n = m_dimensions;
    std::vector<vertex> result(n + 1);
    // Unit vertices with equal angles: each has -1/n of the others on the axes it shares with them.
    for (std::size_t d = 0; d < n; ++d) {
      double square = 0;
      for (std::size_t i = 0; i < d; ++i) square += result[d].at[i] * result[d].at[i];
      result[d].at[d] = std::sqrt(1 - square);
      double shared = 0; // the same for all later ones
      for (std::size_t i = 0; i < d; ++i) shared += result[d].at[i] * result[d + 1].at[i];
      const double rest = (-1.0 / static_cast<double>(n) - shared) / result[d].at[d];
      for (std::size_t later = d + 1; later <= n; ++later) result[later].at[d] = rest;
    }
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        const double angle = static_cast<double>(m_random() >> 11) * 0x1p-53 * 2 * std::numbers::pi;
        const double s = std::sin(angle), c = std::cos(angle);
        for (vertex& v : result) {
          const double old = v.at[a];
          v.at[a] = c * old - s * v.at[b];
          v.at[b] = s * old + c * v.at[b];
        }
      }
    }
    constexpr double k_inside = 1 - 1e-9;
    for (std::size_t d = 0; d < n; ++d) {
      double low = 1, high = 0;
      for (vertex& v : result) {
        v.at[d] = centre[d] + radius * v.at[d];
        low = std::min(low, v.at[d]);
        high = std::max(high, v.at[d]);
      }
      const double shift = low < 0 ? -low : high > k_inside ? k_inside - high : 0;
      for (vertex& v : result) v.at[d] += shift;
    }
    return result;
  }

  space m_space;
  std::size_t m_dimensions;
  bool m_published;
  detail::xorshift m_random;
  std::vector<vertex> m_simplex, m_round, m_reflected;
  std::size_t m_best = 0, m_measured = 0, m_round_best = 0, m_reflected_best = 0;
  phase m_phase = phase::simplex;
  detours m_detours;
  unsigned m_probes = 0;
};

} // namespace

std::unique_ptr<strategy> make_parallel_rank_order(const space& over, arm start, std::uint64_t seed) {
  return std::make_unique<parallel_rank_order>(over, start, seed, parallel_rank_order::form::repaired);
}

std::unique_ptr<strategy> make_published_rank_order(const space& over, arm start, std::uint64_t seed) {
  return std::make_unique<parallel_rank_order>(over, start, seed, parallel_rank_order::form::published);
}

} // namespace treadle::tune

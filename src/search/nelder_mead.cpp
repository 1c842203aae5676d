// Nelder and Mead, "A Simplex Method for Function Minimization", Computer Journal 7, 1965, with its usual coefficients
// (1, 2, 1/2, 1/2), on the lattice: points outside go to the border. It has converged when the simplex lies in one
// cell, or is so small that it only straddles the line between some. What a shrink leaves is all measured again.
#include "search/simplex.hpp"
#include "search/strategy.hpp"

#include <limits>

namespace treadle::tune {
namespace {

class nelder_mead final : public strategy {
 public:
  nelder_mead(const space& over, arm start) : m_space(over), m_vertices(over.dimensions().size() + 1) {
    restart(start);
  }

  arm next() override { return m_step == step::done ? best() : to_arm(m_space, m_trial.at); }

  void report(arm at, double x) override {
    if (m_step == step::done || at != next()) return;
    m_detours.end();
    m_trial.x = x;
    const vertex &lowest = m_vertices.front(), &highest = m_vertices.back();
    switch (m_step) {
    case step::vertices:
      m_vertices[m_measured++] = m_trial;
      if (m_measured == m_vertices.size()) return reflect();
      m_trial = m_vertices[m_measured];
      return;
    case step::reflect:
      m_reflected = m_trial;
      if (x < lowest.x) return try_at(step::expand, 2);
      if (x < m_vertices[m_vertices.size() - 2].x) return accept(m_reflected);
      return x < highest.x ? try_at(step::contract_outside, 0.5) : try_at(step::contract_inside, -0.5);
    case step::expand:
      return accept(x < m_reflected.x ? m_trial : m_reflected);
    case step::contract_outside:
      return x <= m_reflected.x ? accept(m_trial) : shrink();
    case step::contract_inside:
      return x < highest.x ? accept(m_trial) : shrink();
    case step::done:
      return;
    }
  }

  void refuse(arm at) override {
    if (m_step == step::done || at != next()) return;
    if (!m_detours.move(m_space, m_trial)) report(at, std::numeric_limits<double>::infinity());
  }

  arm best() const override {
    // While vertices are measured again, those at the front are; the first is the best of before.
    const auto end =
        m_vertices.begin() + static_cast<std::ptrdiff_t>(m_step == step::vertices ? std::max<std::size_t>(m_measured, 1)
                                                                                  : m_vertices.size());
    return to_arm(m_space, std::min_element(m_vertices.begin(), end, lower)->at);
  }
  bool converged() const override { return m_step == step::done; }

  void restart(arm from) override {
    m_detours = {};
    const fractions centre = to_fractions(m_space, from);
    for (std::size_t i = 0; i < m_vertices.size(); ++i) {
      m_vertices[i] = {centre, std::numeric_limits<double>::infinity()};
      if (i > 0) m_vertices[i].at[i - 1] += centre[i - 1] < 0.5 ? 0.35 : -0.35;
    }
    measure_vertices();
  }

 private:
  enum class step : std::uint8_t { vertices, reflect, expand, contract_outside, contract_inside, done };

  static bool lower(const vertex& a, const vertex& b) noexcept { return a.x < b.x; }

  void measure_vertices() {
    m_step = step::vertices;
    m_measured = 0;
    m_trial = m_vertices.front();
  }

  void reflect() {
    std::sort(m_vertices.begin(), m_vertices.end(), lower);
    if (collapsed()) {
      m_step = step::done;
      return;
    }
    m_centroid = {};
    for (std::size_t i = 0; i + 1 < m_vertices.size(); ++i) {
      for (std::size_t d = 0; d < m_centroid.size(); ++d)
        m_centroid[d] += m_vertices[i].at[d] / static_cast<double>(m_vertices.size() - 1);
    }
    try_at(step::reflect, 1);
  }

  /// From the highest vertex through the centroid of the others.
  void try_at(step s, double factor) {
    m_step = s;
    m_trial.at = along(m_centroid, m_vertices.back().at, -factor);
    for (double& f : m_trial.at) f = std::clamp(f, 0.0, 1.0);
  }

  void accept(const vertex& v) {
    m_vertices.back() = v;
    reflect();
  }

  void shrink() {
    for (vertex& v : m_vertices) v.at = along(m_vertices.front().at, v.at, 0.5);
    measure_vertices();
  }

  bool collapsed() const {
    bool one_cell = true, small = true;
    for (const vertex& v : m_vertices) {
      one_cell = one_cell && to_arm(m_space, v.at) == to_arm(m_space, m_vertices.front().at);
      for (std::size_t d = 0; d < m_space.dimensions().size(); ++d)
        small = small && std::abs(v.at[d] - m_vertices.front().at[d]) * m_space.dimensions()[d].size < 0.5;
    }
    return one_cell || small;
  }

  space m_space;
  std::vector<vertex> m_vertices; // the lowest first, when all are measured
  std::size_t m_measured = 0;
  fractions m_centroid{};
  vertex m_trial, m_reflected;
  detours m_detours;
  step m_step = step::vertices;
};

} // namespace

std::unique_ptr<strategy> make_nelder_mead(const space& over, arm start) {
  return std::make_unique<nelder_mead>(over, start);
}

} // namespace treadle::tune

#include "sim/processors.hpp"

#include <algorithm>

namespace treadle::sim {

processors::processors(const machine& on, std::vector<unsigned> places)
    : m_machine(on), m_places(std::move(places)), m_busy(m_places.size()), m_needs(m_places.size()) {
  unsigned cores = 0;
  for (const processing_unit& one : on.shape.units) cores = std::max(cores, one.core + 1);
  m_of_core.resize(cores);
  for (unsigned w = 0; w < m_places.size(); ++w) m_of_core[unit_of(w).core].push_back(w);
  m_busy_on_unit.resize(on.shape.units.size());
  m_busy_units_of_core.resize(cores);
  m_users_of_memory.resize(std::max(on.shape.domains, 1u));
}

void processors::begin(unsigned worker, const need& what) {
  m_needs[worker] = what;
  if (m_needs[worker].home < 0) m_needs[worker].home = static_cast<int>(unit_of(worker).domain);
  if (m_machine.bandwidth_gbs <= 0) m_needs[worker].bytes_per_ns = 0;
  m_busy[worker] = 1;
  change(worker, 1);
}

void processors::end(unsigned worker) {
  m_busy[worker] = 0;
  change(worker, -1);
}

void processors::change(unsigned worker, int by) {
  const auto step = static_cast<unsigned>(by); // -1 wraps round, as intended
  const unsigned core = unit_of(worker).core;
  unsigned& on_unit = m_busy_on_unit[m_places[worker]];
  if (on_unit == 0) ++m_busy_units_of_core[core];
  on_unit += step;
  if (on_unit == 0) --m_busy_units_of_core[core];
  m_affected.clear();
  for (const unsigned other : m_of_core[core])
    if (other != worker && m_busy[other]) m_affected.push_back(other);
  const need& own = m_needs[worker];
  if (own.bytes_per_ns <= 0) return;
  m_users_of_memory[static_cast<std::size_t>(own.home)] += step;
  for (unsigned other = 0; other < m_places.size(); ++other)
    if (other != worker && m_busy[other] && m_needs[other].bytes_per_ns > 0 && m_needs[other].home == own.home &&
        unit_of(other).core != core)
      m_affected.push_back(other);
}

double processors::rate(unsigned worker) const {
  const unsigned unit = m_places[worker], core = unit_of(worker).core;
  const unsigned threads = m_busy_units_of_core[core];
  const double own = core_speed(threads) / threads / m_busy_on_unit[unit];
  const need& what = m_needs[worker];
  if (what.bytes_per_ns <= 0) return own;
  const auto home = static_cast<unsigned>(what.home);
  const double share = m_machine.bandwidth_gbs / m_users_of_memory[home] / distance(unit_of(worker).domain, home);
  return std::min(own, share / what.bytes_per_ns); // GB/s are bytes per ns
}

double processors::capacity() const {
  double sum = 0;
  for (const std::vector<unsigned>& workers : m_of_core) {
    std::vector<unsigned> units;
    for (const unsigned w : workers) units.push_back(m_places[w]);
    std::sort(units.begin(), units.end());
    units.erase(std::unique(units.begin(), units.end()), units.end());
    if (!units.empty()) sum += core_speed(static_cast<unsigned>(units.size()));
  }
  return sum;
}

double processors::distance(unsigned domain, unsigned other) const {
  if (domain == other) return 1;
  return m_machine.shape.distances.empty() ? 2 : m_machine.shape.distance(domain, other);
}

} // namespace treadle::sim

#include "policy/grain.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::policies {
namespace {

constexpr double k_share = 0.03;     // of all windows that may be lost by trying
constexpr double k_usual_loss = 0.3; // by a try, of a window: also of changing the grain twice

} // namespace

double grain_model::best() const noexcept {
  // d/dg of W t_o / (P g) + g c / 2 = 0
  return std::sqrt(2 * work * ns_per_unit * overhead_ns / workers) / ns_per_unit;
}

double grain_model::closest(double grain) const noexcept {
  constexpr double k_about = 2;
  const double smallest = smallest_useful(), largest = std::max(smallest, best());
  return grain * k_about >= smallest && grain <= largest * k_about ? grain : std::clamp(grain, smallest, largest);
}

grain_search::grain_search(double smallest, double largest, double start, double credit) : m_credit(credit) {
  smallest = std::max(smallest, 1.0);
  largest = std::max(largest, smallest);
  start = std::clamp(start, smallest, largest);
  const auto half_octaves = [](double factor) { return static_cast<int>(2 * std::log2(factor) + 1e-9); };
  m_best = m_trying = half_octaves(start / smallest);
  m_smallest = start * std::exp2(-0.5 * m_best);
  m_places.resize(static_cast<std::size_t>(half_octaves(largest / m_smallest)) + 1);
  if (credit > 0) return;
  m_step = 2;
  m_direction = -1; // too small costs little by little, too large a cache at once
}

double grain_search::grain_at(int at) const noexcept { return m_smallest * std::exp2(0.5 * at); }

void grain_search::learn(int at, double log_speed) noexcept {
  place& p = here(at);
  if (p.count > 0) {
    // One interruption must not pass for noise, nor for a slow grain.
    const double deviation = std::clamp(log_speed - p.mean, -4 * m_noise - 0.05, 4 * m_noise + 0.05);
    m_noise += (std::fabs(deviation) - m_noise) / 8;
    log_speed = p.mean + deviation;
  }
  ++p.count;
  p.mean += (log_speed - p.mean) / std::min(p.count, 8U);
}

void grain_search::report(double speed) noexcept {
  if (!(speed > 0) || !std::isfinite(speed)) return;
  ++m_windows;
  const double log_speed = std::log(speed);
  if (settled()) return watch(log_speed);
  m_credit += k_share;
  if (m_trying != m_best) m_credit -= std::max(0.0, 1 - std::exp(log_speed - here(m_best).mean));
  learn(m_trying, log_speed);
  if (m_trying == m_best) // the first window, the best once more, or no credit
    m_again ? void(m_trying = std::clamp(m_best + m_direction * m_step, 0, static_cast<int>(m_places.size()) - 1))
            : try_next();
  else
    compare();
}

void grain_search::compare() noexcept {
  constexpr unsigned k_tries_max = 2;
  const place &candidate = here(m_trying), &best = here(m_best);
  const double margin = 2 * m_noise / std::sqrt(std::min(candidate.count, best.count));
  const double gain = candidate.mean - best.mean;
  if (gain > margin) return accept();
  if (gain < -margin || candidate.count >= k_tries_max) return reject();
  m_again = true; // the best first: it may have changed meanwhile
  m_trying = m_best;
}

void grain_search::accept() noexcept {
  m_credit += here(m_trying).mean - here(m_best).mean;
  m_best = m_trying;
  m_failed = 0;
  m_again = false;
  try_next();
}

void grain_search::reject() noexcept {
  m_direction = -m_direction;
  ++m_failed;
  m_again = false;
  try_next();
}

/// The next place that is not known yet, or the best as long as that cannot be afforded.
void grain_search::try_next() noexcept {
  while (m_step != 0) {
    for (; m_failed < 2; ++m_failed, m_direction = -m_direction) {
      const int candidate = m_best + m_direction * m_step;
      if (candidate < 0 || candidate >= static_cast<int>(m_places.size())) continue;
      if (here(candidate).count > 0 && here(candidate).mean <= here(m_best).mean) continue;
      m_trying = m_credit < k_usual_loss ? m_best : candidate;
      return;
    }
    m_step /= 2;
    m_failed = 0;
  }
  m_trying = m_best;
  m_up = m_down = 0;
}

void grain_search::watch(double log_speed) noexcept {
  constexpr double k_slack = 0.75, k_alarm = 12, k_noise_min = 0.02;
  const place& known = here(m_best);
  const double z = std::clamp((log_speed - known.mean) / std::max(m_noise, k_noise_min), -3.0, 3.0);
  m_up = std::max(0.0, m_up + z - k_slack);
  m_down = std::max(0.0, m_down - z - k_slack);
  if (std::max(m_up, m_down) <= k_alarm) return learn(m_best, log_speed);
  std::fill(m_places.begin(), m_places.end(), place{});
  m_step = 4;
  m_credit = std::max(m_credit, 2 * k_usual_loss); // a try to either side
  m_failed = 0;
  m_again = false;
  ++m_reopened;
}

} // namespace treadle::policies

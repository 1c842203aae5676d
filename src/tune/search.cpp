#include "tune/search.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::tune {
namespace {

constexpr double k_failed = 3.0;          // what a failure costs, as a logarithm: 20 times the usual
constexpr std::size_t k_arms_known = 256; // what was seen of others is forgotten
constexpr unsigned k_voids_allowed = 10;  // then a point counts as one that does not work
constexpr unsigned k_final_windows = 3, k_finalists = 3;
constexpr double k_usual_loss = 0.3;   // of a try, in windows
constexpr double k_saved_windows = 10; // what a long calm leaves for tries
constexpr double k_debt = 4;           // windows: after a bad surprise, tries do not stop for ever
constexpr double k_most_patience = 8;
constexpr double k_refill_windows = 500; // after so many a new epoch has all of the credit of the first

} // namespace

search::search(const space& over, arm start, const search_options& wanted)
    : m_space(over),
      m_options(wanted),
      m_strategy(make_strategy(wanted.how, over, start, wanted.seed, wanted.memory)),
      m_credit(allowance()) {
  m_options.repeats = std::clamp(wanted.repeats, 1u, k_samples_most);
}

double search::allowance() const noexcept {
  return m_options.credit < 0 ? 4 + 0.2 * static_cast<double>(std::min<arm>(m_space.size(), 64)) : m_options.credit;
}
/// A try takes what it loses only afterwards, so there must be enough for a usual loss.
bool search::may_pay() const noexcept { return m_options.budget <= 0 || m_credit >= k_usual_loss; }

arm search::best() const { return m_belief ? m_belief->at : m_chosen ? *m_chosen : m_strategy->best(); }

arm search::next(bool may_try) {
  if (m_has_present && m_in_window) return m_present;
  const arm leading = best();
  arm wanted = leading;
  if (!m_finalists.empty()) {
    wanted = std::min_element(m_finalists.begin(), m_finalists.end(), [](const finalist& a, const finalist& b) {
               return a.windows < b.windows;
             })->at;
  } else if (!m_belief && !converged()) {
    wanted = m_strategy->next();
  }
  m_trying = wanted != leading;
  if (m_trying && (!may_try || !may_pay())) {
    wanted = leading;
    m_trying = false;
  }
  if (!m_has_present || wanted != m_present) m_unsettled = m_options.settling;
  m_present = wanted;
  m_has_present = true;
  return wanted;
}

/// Rounded, so that another unit, which shifts all logarithms, does not turn a tie.
double search::relative(double cost) noexcept {
  const double x = std::log(cost);
  if (!m_reference) m_reference = x;
  return std::nearbyint((x - *m_reference) * 0x1p32) * 0x1p-32;
}

void search::report(arm at, double cost, double work) {
  const bool expected = m_has_present && at == m_present;
  if (!expected || !(cost > 0) || !std::isfinite(cost)) {
    ++m_voids;
    // What worked before is idle: only a new point may be one that never gives a cost.
    if (expected && !find(at) && ++m_voids_in_a_row == k_voids_allowed) fail(at);
    return;
  }
  m_voids_in_a_row = 0;
  m_in_window = true;
  const double x = relative(cost);
  if (m_unsettled > 0) {
    --m_unsettled;
    charge(x, work); // though it tells nothing
    return;
  }
  m_window[m_samples++] = x;
  m_work += work;
  if (m_samples == m_options.repeats) complete(clipped(aggregated()), false);
}

void search::fail(arm at) {
  if (!m_has_present || at != m_present) return;
  const known_arm* leading = find(best());
  complete((leading ? leading->mean() : 0) + k_failed, true);
}

double search::aggregated() noexcept {
  const auto begin = m_window.begin(), end = begin + m_samples;
  switch (m_options.by) {
  case aggregate::minimum:
    break;
  case aggregate::median: {
    std::sort(begin, end);
    return (m_window[(m_samples - 1) / 2] + m_window[m_samples / 2]) / 2;
  }
  case aggregate::mean: {
    double sum = 0;
    for (auto x = begin; x != end; ++x) sum += *x;
    return sum / m_samples;
  }
  }
  return *std::min_element(begin, end);
}

/// One spike must not spoil an arm for long: to within a factor of 20 of the median of late.
double search::clipped(double x) noexcept {
  const unsigned count = std::min(m_recents, k_recent);
  auto sorted = m_recent;
  m_recent[m_recents++ % k_recent] = x;
  if (count < 3) return x;
  std::nth_element(sorted.begin(), sorted.begin() + count / 2, sorted.begin() + count);
  return std::clamp(x, sorted[count / 2] - k_failed, sorted[count / 2] + k_failed);
}

void search::complete(double x, bool failed) {
  charge(x, m_work);
  if (!m_trying) m_usual_work = m_work;
  end_window();
  m_voids_in_a_row = 0;
  ++m_windows;
  ++m_epoch_windows;
  known_arm& here_now = here(m_present);
  here_now.sum += x;
  ++here_now.windows;
  const bool drifted = !failed && here_now.drift.add(x);
  if (drifted && m_options.drift) {
    // An alarm soon after the last one was probably a burst of noise.
    m_patience = static_cast<double>(m_epoch_windows) < k_refill_windows ? std::min(m_patience * 1.5, k_most_patience)
                                                                         : std::max(m_patience / 1.5, 1.0);
    return reopen();
  }
  if (is_refuted(x)) return reopen();
  if (!m_finalists.empty()) return play_finals(x);
  if (m_chosen) return;
  m_strategy->report(m_present, x);
  if (!m_strategy->converged()) return;
  // What looked best may have been lucky once: the best few are measured again.
  auto known = records();
  std::sort(known.begin(), known.end(), [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
  for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), k_finalists); ++i)
    m_finalists.push_back({known[i].at, 0, 0});
}

void search::play_finals(double x) {
  const auto played =
      std::find_if(m_finalists.begin(), m_finalists.end(), [&](const finalist& f) { return f.at == m_present; });
  if (played == m_finalists.end()) return; // the budget did not allow it
  played->sum += x;
  ++played->windows;
  if (std::any_of(m_finalists.begin(), m_finalists.end(),
                  [](const finalist& f) { return f.windows < k_final_windows; }))
    return;
  m_chosen = std::min_element(m_finalists.begin(), m_finalists.end(), [](const finalist& a, const finalist& b) {
               return a.sum / a.windows < b.sum / b.windows;
             })->at;
  m_finalists.clear();
}

/// A window of so much time does less work where that costs more, and so loses less than one of so much work.
void search::charge(double x, double work) {
  const double windows = work > 0 && m_usual_work > 0 ? work / m_usual_work : 1;
  m_credit = std::min(m_credit + windows * m_options.budget, std::max(m_credit, allowance() + k_saved_windows));
  if (!m_trying) return;
  const known_arm* leading = find(best());
  if (!leading) return;
  const double excess = windows * std::max(0.0, std::exp(std::min(x - leading->mean(), 2 * k_failed)) - 1);
  m_regret += excess;
  m_credit = std::max(m_credit - excess, -k_debt);
}

/// The first windows at what was believed to be best decide whether it is.
bool search::is_refuted(double x) {
  if (!m_belief || m_present != m_belief->at) return false;
  m_belief->sum += x;
  if (++m_belief->windows < 3) return false;
  const belief b = *m_belief;
  m_belief.reset();
  return std::abs(b.sum / b.windows - b.mean) > 4 * b.deviation;
}

void search::believe(const std::vector<tuned_point>& known) {
  const auto leading = std::min_element(known.begin(), known.end(),
                                        [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
  if (leading == known.end() || leading->at >= m_space.size()) return;
  m_reference = leading->mean;
  m_strategy->restart(leading->at);
  for (const tuned_point& r : known)
    if (r.at < m_space.size()) m_strategy->believe(r.at, r.mean - *m_reference, std::min(r.windows, 4u));
  m_belief = belief{leading->at, 0, std::max(leading->deviation, 0.05)};
  if (m_strategy->freezes()) m_chosen = leading->at;
}

void search::reopen() {
  const arm from = best();
  m_strategy->restart(from);
  m_known.clear();
  m_belief.reset();
  m_finalists.clear();
  m_chosen.reset();
  end_window();
  m_recents = 0;
  const double refill = allowance() * std::min(1.0, static_cast<double>(m_epoch_windows) / k_refill_windows);
  m_credit = std::min(std::max(m_credit, 0.0) + refill, std::max(m_credit, allowance()));
  m_epoch_windows = 0;
  ++m_epoch;
}

search::known_arm& search::here(arm at) {
  auto found = position(at);
  if (found != m_known.end() && found->at == at) return m_known[static_cast<std::size_t>(found - m_known.begin())];
  if (m_known.size() == k_arms_known) {
    const arm leading = best();
    const auto least = std::min_element(m_known.begin(), m_known.end(), [&](const known_arm& a, const known_arm& b) {
      return (a.at == leading ? ~0u : a.windows) < (b.at == leading ? ~0u : b.windows);
    });
    m_known.erase(least);
    found = position(at);
  }
  return *m_known.insert(found, {at, drift_detector(m_patience), 0, 0});
}

std::vector<search::known_arm>::const_iterator search::position(arm at) const noexcept {
  return std::lower_bound(m_known.begin(), m_known.end(), at, [](const known_arm& k, arm a) { return k.at < a; });
}

const search::known_arm* search::find(arm at) const noexcept {
  const auto found = position(at);
  return found != m_known.end() && found->at == at ? &*found : nullptr;
}

std::vector<tuned_point> search::records() const {
  std::vector<tuned_point> result;
  for (const known_arm& k : m_known)
    result.push_back({k.at, k.mean() + m_reference.value_or(0), k.drift.deviation(), k.windows});
  std::sort(result.begin(), result.end(),
            [](const tuned_point& a, const tuned_point& b) { return a.windows > b.windows; });
  return result;
}

} // namespace treadle::tune

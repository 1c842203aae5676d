#include "loop/state.hpp"

#include <algorithm>
#include <cmath>

namespace treadle::loop {
namespace {

constexpr double k_failed = 3.0;          // what a failure costs, as a logarithm: 20 times the usual
constexpr std::size_t k_arms_known = 256; // what was seen of others is forgotten
constexpr unsigned k_voids_allowed = 10;  // then a point counts as one that does not work
constexpr unsigned k_final_windows = 3, k_finalists = 3;
constexpr double k_usual_loss = 0.3; // of a window, by a try of which nothing is known
constexpr double k_some_ns = 1;      // where none is expected, it still is a try
constexpr double k_most_patience = 8;
constexpr double k_calm_windows = 500; // an alarm that comes sooner was probably a burst of noise

} // namespace

state::state(const tune::space& over, arm start, const search_options& wanted, std::vector<arm> first)
    : m_space(over), m_options(wanted), m_strategy(make_strategy(wanted, over, start)), m_first(std::move(first)) {}

arm state::best() const {
  return m_belief ? m_belief->at : m_chosen ? *m_chosen : m_leading ? *m_leading : m_strategy->best();
}

arm state::wanted() const {
  if (!m_finalists.empty())
    return std::min_element(m_finalists.begin(), m_finalists.end(),
                            [](const finalist& a, const finalist& b) { return a.windows < b.windows; })
        ->at;
  if (m_belief || converged() || m_strategy->best() != best()) return best();
  return m_first_tried < m_first.size() && !m_known.empty() ? m_first[m_first_tried] : m_strategy->next();
}

double state::next_loss_ns() const {
  if (is_in_window()) return 0;
  const arm at = wanted(), leading = best();
  return at == leading ? 0 : std::max(expected_loss_ns(at, leading), k_some_ns);
}

arm state::next(double credit_ns) {
  if (is_in_window()) return m_present;
  const arm leading = best();
  arm at = wanted();
  if (at != leading && !(expected_loss_ns(at, leading) <= credit_ns)) at = leading;
  m_trying = at != leading;
  if (!m_has_present || at != m_present) m_unsettled = m_options.settling;
  m_present = at;
  m_has_present = true;
  return at;
}

double state::interrupt() noexcept {
  const double lost = charge_unknown(m_window.ns());
  m_has_present = m_trying = false;
  end_window();
  return lost;
}

/// Before the first window nobody knows how long one is.
double state::expected_loss_ns(arm at, arm leading) const noexcept {
  if (m_usual_ns <= 0) return k_no_limit;
  const known_arm *tried = find(at), *best = find(leading);
  const double loss = tried && best ? std::max(0.0, 1 - std::exp(best->mean() - tried->mean())) : k_usual_loss;
  return loss * m_usual_ns;
}

/// Rounded, so that another unit, which shifts all logarithms, does not turn a tie.
double state::relative(double cost) noexcept {
  const double x = std::log(cost);
  if (!m_reference) m_reference = x;
  return std::nearbyint((x - *m_reference) * 0x1p32) * 0x1p-32;
}

state::outcome state::report(arm at, const sample& s) {
  const bool expected = m_has_present && at == m_present;
  if (!expected || !(s.cost > 0) || !(s.work > 0) || !std::isfinite(s.cost * s.work)) return ignore(expected, at, s.ns);
  m_voids_in_a_row = 0;
  m_has_begun = true;
  if (m_unsettled > 0) { // is paid for, though it tells nothing
    --m_unsettled;
    return {.lost_ns = charge(relative(s.cost), s.ns)};
  }
  m_window.add(s);
  if (!m_window.is_complete(m_options.window_ns, m_options.repeats)) return {};
  if (!std::isfinite(m_window.cost())) {
    const double ns = m_window.ns();
    end_window();
    return ignore(true, at, ns);
  }
  return complete(clipped(relative(m_window.cost())), m_window.ns(), false);
}

/// What worked before may be idle, unless it is tried: then a point that never gives a cost would be tried for ever.
state::outcome state::ignore(bool expected, arm at, double ns) {
  ++m_voids;
  outcome result;
  if (expected && (!find(at) || m_trying) && ++m_voids_in_a_row == k_voids_allowed)
    result = fail(at, ns);
  else if (expected)
    result.lost_ns = charge_unknown(ns);
  result.is_void = true;
  return result;
}

state::outcome state::fail(arm at, double ns) {
  if (!m_has_present || at != m_present) return {};
  const known_arm* leading = find(best());
  return complete((leading ? leading->mean() : 0) + k_failed, m_window.ns() + ns, true);
}

/// One spike must not spoil an arm for long: to within a factor of 20 of the median of late.
double state::clipped(double x) noexcept {
  const unsigned count = std::min(m_recents, k_recent);
  auto sorted = m_recent;
  m_recent[m_recents++ % k_recent] = x;
  if (count < 3) return x;
  std::nth_element(sorted.begin(), sorted.begin() + count / 2, sorted.begin() + count);
  return std::clamp(x, sorted[count / 2] - k_failed, sorted[count / 2] + k_failed);
}

/// What a window of a try has lost: the time that it took beyond what the best choice would have taken for the same
/// work. The loss of a thread that was stopped for an hour counts as no more than that of a failure.
double state::charge(double x, double ns) noexcept {
  if (!m_trying) return 0;
  const known_arm* leading = find(best());
  if (!leading) return 0;
  const double lost = std::max(0.0, 1 - std::exp(leading->mean() - x)) * std::min(ns, std::exp(k_failed) * m_usual_ns);
  m_exploring_ns += lost;
  return lost;
}

double state::charge_unknown(double ns) noexcept {
  if (!m_trying) return 0;
  const double lost = k_usual_loss * std::min(ns, std::exp(k_failed) * m_usual_ns);
  m_exploring_ns += lost;
  return lost;
}

state::outcome state::complete(double x, double ns, bool failed) {
  outcome result{.completes_window = true, .lost_ns = charge(x, ns)};
  const arm before = best();
  if (!m_trying && ns > 0) m_usual_ns = ns;
  end_window();
  m_voids_in_a_row = 0;
  ++m_windows;
  ++m_epoch_windows;
  known_arm& here_now = here(m_present);
  here_now.sum += x;
  ++here_now.windows;
  const bool drifted = !failed && here_now.drift.add(x) && m_options.drift;
  if (drifted)
    m_patience = static_cast<double>(m_epoch_windows) < k_calm_windows ? std::min(m_patience * 1.5, k_most_patience)
                                                                       : std::max(m_patience / 1.5, 1.0);
  result.reopens = drifted || is_refuted(x);
  if (result.reopens)
    reopen();
  else if (!m_finalists.empty())
    play_finals(x);
  else if (!m_chosen)
    learn(x);
  result.changes = best() != before;
  return result;
}

void state::learn(double x) {
  const bool looks_first = m_first_tried < m_first.size();
  while (m_first_tried < m_first.size() && find(m_first[m_first_tried])) ++m_first_tried;
  m_strategy->report(m_present, x);
  if (m_strategy->converged()) end_search();
  if (!m_strategy->freezes()) follow(looks_first);
}

/// When everything becomes cheaper, what is measured next looks better than what was best, whose old windows say what
/// it used to cost, and which nobody would measure any more. So another point leads only after the best one has been
/// measured once more, and was found as it used to be. What is tried first is measured while nothing is old, so the
/// best of it leads at once: a bad start is not played again.
void state::follow(bool looks_first) {
  const arm next = m_strategy->best();
  const known_arm* const leading = m_leading ? find(*m_leading) : nullptr;
  const bool is_as_usual = m_leading == m_present && leading && leading->drift.is_calm();
  if (!leading || next == *m_leading || is_as_usual || looks_first) m_leading = next;
}

/// What looked best may have been lucky once: the best few are measured again.
void state::end_search() {
  auto known = records();
  std::sort(known.begin(), known.end(), [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
  for (std::size_t i = 0; i < std::min<std::size_t>(known.size(), k_finalists); ++i)
    m_finalists.push_back({known[i].at, 0, 0});
}

void state::play_finals(double x) {
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

/// The first windows at what was believed to be best decide whether it is.
bool state::is_refuted(double x) {
  if (!m_belief || m_present != m_belief->at) return false;
  m_belief->sum += x;
  if (++m_belief->windows < 3) return false;
  const belief b = *m_belief;
  m_belief.reset();
  return std::abs(b.sum / b.windows - b.mean) > 4 * b.deviation;
}

void state::believe(const std::vector<tuned_point>& known, bool is_earlier) {
  const auto leading = std::min_element(known.begin(), known.end(),
                                        [](const tuned_point& a, const tuned_point& b) { return a.mean < b.mean; });
  if (leading == known.end() || leading->at >= m_space.size()) return;
  m_reference = leading->mean;
  m_strategy->restart(leading->at);
  for (const tuned_point& r : known)
    if (r.at < m_space.size()) m_strategy->believe(r.at, r.mean - *m_reference, std::min(r.windows, 4u));
  m_belief = belief{leading->at, 0, std::max(leading->deviation, 0.05)};
  if (is_earlier) m_believed = leading->at;
  m_first_tried = m_first.size(); // by then
  if (m_strategy->freezes()) m_chosen = leading->at;
}

void state::refuse(arm at) {
  m_strategy->refuse(at);
  if (m_first_tried < m_first.size() && m_first[m_first_tried] == at) ++m_first_tried;
  if (m_leading == at) m_leading.reset();
  std::erase_if(m_known, [at](const known_arm& k) { return k.at == at; });
  std::erase_if(m_finalists, [at](const finalist& f) { return f.at == at; });
  if (m_finalists.empty() && !m_chosen && m_strategy->converged()) end_search();
}

void state::reopen(arm from) {
  m_strategy->restart(from);
  m_known.clear();
  m_leading.reset();
  m_first_tried = 0;
  m_belief.reset();
  m_believed.reset();
  m_finalists.clear();
  m_chosen.reset();
  m_has_present = m_trying = false; // what is measured at the moment began before
  end_window();
  m_recents = 0;
  m_epoch_windows = 0;
  ++m_epoch;
}

state::known_arm& state::here(arm at) {
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

std::vector<state::known_arm>::const_iterator state::position(arm at) const noexcept {
  return std::lower_bound(m_known.begin(), m_known.end(), at, [](const known_arm& k, arm a) { return k.at < a; });
}

const state::known_arm* state::find(arm at) const noexcept {
  const auto found = position(at);
  return found != m_known.end() && found->at == at ? &*found : nullptr;
}

std::vector<tuned_point> state::records() const {
  std::vector<tuned_point> result;
  for (const known_arm& k : m_known)
    result.push_back({k.at, k.mean() + m_reference.value_or(0), k.drift.deviation(), k.windows});
  std::sort(result.begin(), result.end(),
            [](const tuned_point& a, const tuned_point& b) { return a.windows > b.windows; });
  return result;
}

} // namespace treadle::loop

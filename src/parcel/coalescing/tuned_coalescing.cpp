#include "parcel/coalescing/tuned_coalescing.hpp"

#include "control/deciding_time.hpp"
#include "control/recall.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace treadle::detail {

class tuned_coalescing::names final : public loop::choice_names {
 public:
  explicit names(const decide::coalescing_choices& of) : m_of(of) {}
  std::string operator()(tune::arm at) const override { return m_of.text(at); }
  std::string all() const override { return m_of.all(); }

 private:
  const decide::coalescing_choices& m_of;
};

tuned_coalescing::tuned_coalescing(std::string name, const coalescing& asked, unsigned workers,
                                   std::optional<tune::arm> begins_at)
    : m_asked(asked),
      m_choices(asked),
      m_begins_at(begins_at),
      m_decision(loop::decision_kind::coalescing, std::move(name), is_ours() ? -1 : 0),
      m_at(begins_at.value_or(m_choices.start())) {
  const scoped_lock held(m_lock); // explain() may ask already
  m_known = &m_contexts.add(std::make_unique<known>(begin(workers)));
}

tuned_coalescing::known tuned_coalescing::begin(unsigned workers) {
  const loop::context of{workers, {}};
  search_options wanted;
  if (!is_ours()) // as published: a window each, and nothing more once it has converged
    wanted = {.how = m_asked.search, .window_ns = 0, .budget = 0, .drift = false, .seed = m_asked.seed};
  loop::state search(m_choices.over(), m_begins_at.value_or(m_choices.start()), wanted);
  const std::vector<tuned_point> before =
      is_ours() ? recall(*this, m_decision, of, m_choices.all()) : std::vector<tuned_point>();
  search.believe(before);
  known begun{of, std::move(search), {}};
  if (is_ours() && before.empty() && !m_begins_at) begun.start.emplace(m_choices);
  return begun;
}

std::uint64_t tuned_coalescing::parcels_to_next_look() const noexcept {
  if (is_ours()) return k_parcels_per_look;
  switch (m_asked.trigger) {
  case coalescing_trigger::parcels:
    return static_cast<std::uint64_t>(m_asked.every);
  case coalescing_trigger::event:
    return k_parcels_until_told;
  default:
    return k_parcels_per_trigger_look;
  }
}

/// The longer a hold, the fewer: where each parcel waits for its answer, that is what all of them take.
std::uint64_t tuned_coalescing::parcels_to_first_look() const noexcept {
  constexpr std::uint64_t k_least = 2;
  constexpr std::int64_t k_longest_ns = 3'200'000;
  const std::int64_t hold_ns = std::max<std::int64_t>(m_choices.settings(m_at).hold_ns, 1);
  return std::clamp(static_cast<std::uint64_t>(k_longest_ns / hold_ns), k_least, k_most_to_first_look);
}

bool tuned_coalescing::is_due(const sender_totals& now, std::int64_t now_ns) noexcept {
  if (is_ours()) return now.parcels != m_last.parcels;
  const auto every = static_cast<std::uint64_t>(m_asked.every);
  switch (m_asked.trigger) {
  case coalescing_trigger::parcels:
    return now.parcels - m_last.parcels >= every;
  case coalescing_trigger::messages:
    return now.messages - m_last.messages >= every;
  case coalescing_trigger::period:
    return now_ns - m_last_ns >= m_asked.every;
  case coalescing_trigger::event:
    return std::exchange(m_event, false);
  }
  return false;
}

/// `share`: what a message costs of the time between two parcels.
bool tuned_coalescing::is_felt(double share) noexcept {
  return m_is_felt = !is_ours() || share >= (m_is_felt ? k_not_felt : k_felt);
}

/// What waiting for the choice in force, for room and for messages can have taken.
double tuned_coalescing::own_ns(const spell& s, double holds_at_once) const noexcept {
  const double messages = static_cast<double>(s.now.messages - s.before.messages);
  const double hold_ns = static_cast<double>(m_choices.settings(s.at).hold_ns) / holds_at_once;
  return messages * (hold_ns + s.now.message_ns) + std::min(s.now.waited_ns - s.before.waited_ns, s.ns);
}

/// Where parcels took far longer than before, and not because of how they are sent, the program did something else, as
/// between two bursts: that tells nothing. After two such looks in a row, that is what parcels take now.
bool tuned_coalescing::is_usual(const spell& s) noexcept {
  const double most_ns = k_pause * m_usual_ns * s.parcels();
  const bool is = m_usual_ns > 0 && s.ns <= most_ns + 2 * own_ns(s, s.now.destinations);
  // What took longer because of the choice in force does not change what is usual.
  if (s.ns <= most_ns || m_usual_ns == 0 || m_was_unusual) m_usual_ns = s.ns / s.parcels();
  m_was_unusual = !is && !m_was_unusual;
  return is;
}

/// Of the start, before there is a search; of the search, time per parcel, or as published, the share of messages in
/// the time of all workers.
void tuned_coalescing::report(const spell& s) {
  if (m_known->start) {
    m_known->start->add({.parcels = s.parcels(),
                         .messages = static_cast<double>(s.now.messages - s.before.messages),
                         .bytes = static_cast<double>(s.now.bytes - s.before.bytes),
                         .ns = s.ns,
                         .destinations = s.now.destinations});
    if (m_known->start->is_over()) end_start();
    return;
  }
  if (!is_ours() && !(s.now.awake_ns > s.before.awake_ns)) return; // nobody was, or it is another runtime
  const double cost =
      is_ours() ? s.ns / s.parcels() : (s.now.network_ns - s.before.network_ns) / (s.now.awake_ns - s.before.awake_ns);
  m_decision.report(m_known->search, s.at, {cost, s.parcels(), s.ns}, names(m_choices));
}
void tuned_coalescing::end_start() {
  m_known->search.believe(m_known->start->measured(), false);
  m_known->start.reset();
}

/// What was being tried in the last spell cannot be measured.
void tuned_coalescing::interrupt(const spell& last) {
  const spell tried = std::exchange(m_rare, {}).value_or(last);
  const double left_out_ns = std::min(m_left_out_ns, k_pause * tried.ns); // some of it by a pause of the program
  if (m_known->start) {
    if (tried.at != m_choices.start() && ++m_known->interrupted == k_most_interrupted) end_start();
    return;
  }
  if (is_ours() && m_known->search.is_trying()) // a try without a result is charged to the budget, too
    m_decision.report(m_known->search, tried.at, {.ns = tried.ns + left_out_ns}, names(m_choices));
  m_decision.interrupt(m_known->search);
}

tune::arm tuned_coalescing::next(std::int64_t now_ns) {
  if (!m_is_felt) return m_choices.start();
  return m_known->start ? m_known->start->at() : m_decision.next(m_known->search, now_ns, names(m_choices));
}

std::optional<coalescing> tuned_coalescing::look(const sender_totals& now, std::int64_t now_ns, unsigned workers) {
  const scoped_try_lock held(m_lock);
  if (!held) return {};
  m_next_look = now.parcels + parcels_to_next_look();
  if (m_has_begun && !is_due(now, now_ns)) return {};
  const deciding_time timed(m_decision);
  const sender_totals before = std::exchange(m_last, now);
  const spell last{before, now, static_cast<double>(now_ns - std::exchange(m_last_ns, now_ns)), m_at};
  const bool was_felt = m_is_felt, begins = !std::exchange(m_has_begun, true);
  if (begins || workers != m_known->of.workers) { // what was sent tells nothing
    interrupt(last);
    m_known = &m_contexts.in(workers, "", [&] { return std::make_unique<known>(begin(workers)); });
  } else if (is_ours() && !is_usual(last)) {
    m_left_out_ns += last.ns;
    m_next_look = now.parcels + parcels_to_first_look();
    return {};
  } else if (is_felt(now.message_ns * last.parcels() / last.ns)) {
    if (was_felt)
      report(last);
    else if (m_rare)
      report(*m_rare);
    m_rare.reset();
  } else if (was_felt && m_at != m_choices.start() && 2 * own_ns(last, 1) >= last.ns) {
    m_rare = last;
  } else {
    interrupt(last);
  }
  m_left_out_ns = 0;
  const tune::arm was = std::exchange(m_at, next(now_ns));
  if (is_ours() && (m_at != was || (begins && m_begins_at))) m_next_look = now.parcels + parcels_to_first_look();
  if (m_at == was) return {};
  return m_choices.settings(m_at);
}

void tuned_coalescing::explain(std::vector<decision_report>& to) {
  scoped_lock held(m_lock);
  for (const auto& one : m_contexts) {
    decision_report& r = to.emplace_back(loop::report(m_decision, one->of, one->search, names(m_choices)));
    r.present = one.get() == m_known;
    if (one->start) {
      r.trying = r.present && m_is_felt;
      r.chosen = m_choices.text(r.trying ? one->start->at() : m_choices.start());
      r.why = r.trying ? "is measured, to find where to begin" : "messages were not felt for long enough";
    } else if (is_ours() && one->search.windows() == 0 && !one->search.is_believed()) {
      r.why = m_begins_at ? "was found for all localities together" : "measured at the beginning";
    }
  }
}

} // namespace treadle::detail

#include "parcel/tuned_coalescing.hpp"

#include "control/deciding_time.hpp"
#include "control/recall.hpp"

#include <algorithm>
#include <cmath>
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

tuned_coalescing::tuned_coalescing(std::string name, const coalescing& asked, unsigned workers)
    : m_asked(asked),
      m_choices(asked),
      m_decision(loop::decision_kind::coalescing, std::move(name), is_ours() ? -1 : 0),
      m_at(m_choices.start()) {
  const scoped_lock held(m_lock); // explain() may ask already
  m_known = &m_contexts.add(std::make_unique<known>(begin(workers)));
}

tuned_coalescing::known tuned_coalescing::begin(unsigned workers) {
  const loop::context of{workers, {}};
  search_options wanted;
  if (!is_ours()) // as published: a window each, and nothing more once it has converged
    wanted = {.how = m_asked.search, .window_ns = 0, .budget = 0, .drift = false, .seed = m_asked.seed};
  loop::state search(m_choices.over(), m_choices.start(), wanted);
  const std::vector<tuned_point> before =
      is_ours() ? recall(*this, m_decision, of, m_choices.all()) : std::vector<tuned_point>();
  search.believe(before);
  return {of, std::move(search), !is_ours() || !before.empty()};
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

bool tuned_coalescing::is_due(const sender_totals& now, std::int64_t now_ns) noexcept {
  if (is_ours()) return true;
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

/// What the first parcels took, and a message, says with which choice messages should not be felt any more. The search
/// begins there instead of coming there try by try.
void tuned_coalescing::begin_where_it_should_be(const sender_totals& before, const sender_totals& now, double ns) {
  const auto parcels = static_cast<double>(now.parcels - before.parcels);
  const double messages_ns = now.message_ns * static_cast<double>(now.messages - before.messages);
  const double parcel_ns = std::max(ns - messages_ns, ns / 100) / parcels;
  const auto found =
      m_choices.least_felt(now.message_ns, parcel_ns, static_cast<double>(now.bytes - before.bytes) / parcels);
  m_known->search.believe({{found.at, std::log(found.parcel_ns), 0, 1, {}}});
  m_known->has_start = true;
  m_known->start_ns = ns / parcels;
}

/// Time per parcel; or as published, the share of messages in the time of all workers.
void tuned_coalescing::report(const sender_totals& before, const sender_totals& now, double ns) {
  const auto parcels = static_cast<double>(now.parcels - before.parcels);
  if (!is_ours() && !(now.awake_ns > before.awake_ns)) return; // nobody was, or it is another runtime
  const double cost =
      is_ours() ? ns / parcels : (now.network_ns - before.network_ns) / (now.awake_ns - before.awake_ns);
  loop::state& search = m_known->search;
  const bool was_believed = search.is_believed();
  m_decision.report(search, m_at, {cost, parcels, ns}, names(m_choices));
  if (was_believed && !search.is_believed() && m_known->start_ns > 0 && cost > m_known->start_ns)
    search.reopen(m_choices.start()); // it was better there
}

std::optional<coalescing> tuned_coalescing::look(const sender_totals& now, std::int64_t now_ns, unsigned workers) {
  const scoped_try_lock held(m_lock);
  if (!held) return {};
  m_next_look = now.parcels + parcels_to_next_look();
  if (m_has_begun && !is_due(now, now_ns)) return {};
  const deciding_time timed(m_decision);
  const sender_totals before = std::exchange(m_last, now);
  const auto ns = static_cast<double>(now_ns - std::exchange(m_last_ns, now_ns));
  const bool was_felt = m_is_felt;
  const tune::arm was = m_at;
  if (!std::exchange(m_has_begun, true) || workers != m_known->of.workers) { // what was sent tells nothing
    m_decision.interrupt(m_known->search);
    m_known = &m_contexts.in(workers, "", [&] { return std::make_unique<known>(begin(workers)); });
  } else if (is_felt(now.message_ns * static_cast<double>(now.parcels - before.parcels) / ns)) {
    if (!m_known->has_start)
      begin_where_it_should_be(before, now, ns);
    else if (was_felt)
      report(before, now, ns);
  } else if (was_felt) {
    m_decision.interrupt(m_known->search);
  }
  m_at = may_search() ? m_decision.next(m_known->search, now_ns, names(m_choices)) : m_choices.start();
  if (m_at == was) return {};
  return m_choices.settings(m_at);
}

void tuned_coalescing::explain(std::vector<decision_report>& to) {
  scoped_lock held(m_lock);
  for (const auto& one : m_contexts) {
    to.push_back(loop::report(m_decision, one->of, one->search, names(m_choices)));
    to.back().present = one.get() == m_known;
  }
}

} // namespace treadle::detail

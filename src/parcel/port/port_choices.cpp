// What a port finds out for the parcels that it sends: for each kind of them, for all destinations and for single ones.
#include "parcel/port/port.hpp"

#include "base/clock.hpp"
#include "task/counters/thread_counters.hpp"
#include "task/engine/present_workers.hpp"

#include <treadle/detail/spinlock.hpp>

#include <algorithm>
#include <utility>

namespace treadle::detail {

/// The parcel has been sent by then: what goes wrong here does not concern it.
void parcel_port::look_at(outbox& box, lane& of) noexcept {
  constexpr std::uint64_t k_later = 100'000;
  const scoped_try_lock held(m_tunes);
  if (!held) return; // with one of the next parcels
  try {
    decide(box, of);
  } catch (...) { // no memory
    const locked guard(box);
    of.next_look = of.parcels + k_later;
  }
}

// With the lock of what is found out

static constexpr std::uint64_t k_few = 1024; // parcels, for which nothing is worth being found out

void parcel_port::decide(outbox& box, lane& of) {
  sender_totals now;
  coalescing asked;
  {
    const locked guard(box);
    if (!wants_look(of)) return; // somebody else has looked meanwhile
    now = totals(box, of);
    asked = of.asked;
  }
  if (!of.tuned) {
    std::optional<tune::arm> begins_at;
    if (shares_choice(asked) && !(begins_at = decide_for_all(box, of, now, asked))) return;
    const std::string name = m_receiver.name_of_lane(of.number) + " to locality " + std::to_string(box.to);
    of.tuned = std::make_unique<tuned_coalescing>(name, asked, present_workers(), begins_at);
    if (begins_at) {
      const locked guard(box);
      of.how = decide::coalescing_choices(asked).settings(*begins_at);
    }
  }
  if (asked.how == coalescing_kind::paper_adaptive) {
    const times network = spent();
    now.network_ns = network.sending_ns + network.looking_ns;
    now.awake_ns = time_awake().ns;
  }
  const auto changed = of.tuned->look(now, steady_now_ns(), present_workers());
  const locked guard(box);
  of.next_look = of.tuned->parcels_at_next_look();
  if (changed) of.how = *changed;
}

/// Where the lane begins to look for itself, because there are many parcels of it, and at least half of all; none: it
/// does not yet. As a small part of all it would find that messages are not felt.
std::optional<tune::arm> parcel_port::decide_for_all(outbox& box, lane& of, const sender_totals& now,
                                                     const coalescing& asked) {
  constexpr std::uint64_t k_many = 16'384;
  if (of.number >= m_shared.size()) m_shared.resize(of.number + 1);
  shared_choice& all = m_shared[of.number];
  if (all.next_look == 0 || all.asked != asked) {
    all = {};
    all.next_look = k_few;
    all.asked = asked;
    all.how = decide::coalescing_choices(asked).first_settings();
  }
  all.told += now.parcels - std::exchange(of.told, now.parcels);
  if (all.told >= all.next_look) {
    if (!all.tuned) {
      const std::string name = m_receiver.name_of_lane(of.number) + " to all localities";
      all.tuned = std::make_unique<tuned_coalescing>(name, asked, present_workers());
    }
    look_at_all(all, of.number, asked);
  }
  const locked guard(box);
  of.how = all.how; // it may be its first look
  of.next_look = of.parcels + parcels_until_told(all);
  const std::uint64_t since_asked = of.parcels - of.asked_at;
  return all.tuned && since_asked >= k_many && 2 * since_asked >= all.told ? all.tuned->found() : std::nullopt;
}

/// So that it is about due when those to which parcels go in turn have told.
std::uint64_t parcel_port::parcels_until_told(const shared_choice& all) const noexcept {
  const std::uint64_t until = all.next_look - std::min(all.next_look, all.told);
  const auto others = all.tuned ? static_cast<std::uint64_t>(all.totals.destinations) : m_outboxes.size() - 1;
  return std::max<std::uint64_t>(until / others, 1);
}

/// Those of one kind, each with the lock of its box.
template <class F>
void parcel_port::for_each_lane(std::uint32_t number, F what) {
  for (outbox& box : m_outboxes) {
    const locked guard(box);
    lane* const one = number < box.lanes.size() ? box.lanes[number].get() : nullptr;
    if (one) what(box, *one);
  }
}

void parcel_port::look_at_all(shared_choice& all, std::uint32_t number, const coalescing& asked) {
  constexpr std::uint64_t k_each = 32; // parcels; to look at a destination costs as much as some of them
  const auto follows = [&](const lane& one) { return !one.tuned && one.asked == asked; };
  double sending_ns = 0, messages = 0;
  all.totals.destinations = 0;
  for_each_lane(number, [&](const outbox& box, lane& one) {
    if (!follows(one)) return;
    const sender_totals now = totals(box, one), before = std::exchange(one.counted, now);
    all.told += now.parcels - std::exchange(one.told, now.parcels);
    all.totals.parcels += now.parcels - before.parcels;
    all.totals.messages += now.messages - before.messages;
    all.totals.bytes += now.bytes - before.bytes;
    all.totals.waited_ns += now.waited_ns - before.waited_ns;
    all.totals.destinations += now.parcels != before.parcels;
    if (now.message_ns == 0) return; // none has been measured
    sending_ns += now.message_ns * static_cast<double>(now.messages - before.messages);
    messages += static_cast<double>(now.messages - before.messages);
  });
  all.totals.destinations = std::max(all.totals.destinations, 1.0);
  if (messages > 0) all.totals.message_ns = sending_ns / messages;
  const auto changed = all.tuned->look(all.totals, steady_now_ns(), present_workers());
  const std::uint64_t at = all.tuned->parcels_at_next_look(), until = at - std::min(at, all.totals.parcels);
  const auto enough = k_each * static_cast<std::uint64_t>(all.totals.destinations);
  all.next_look = all.told + (until < tuned_coalescing::k_parcels_per_look ? until : std::max(until, enough));
  if (!changed) return;
  all.how = *changed;
  for_each_lane(number, [&](const outbox&, lane& one) {
    if (!follows(one)) return;
    one.how = all.how;
    one.next_look = one.parcels + parcels_until_told(all);
  });
}

sender_totals parcel_port::totals(const outbox& box, const lane& of) noexcept {
  return {.parcels = of.parcels,
          .messages = of.messages,
          .message_ns = static_cast<double>(ticks_to_ns(box.message_ticks)),
          .bytes = of.bytes,
          .waited_ns = static_cast<double>(box.waited_ns.load(order::relaxed))};
}

void parcel_port::settings_changed() {
  const scoped_lock tunes(m_tunes);
  std::vector<std::unique_ptr<tuned_coalescing>> ended; // without the lock of a box
  for (outbox& box : m_outboxes) {
    const locked guard(box);
    for (const auto& one : box.lanes) {
      if (!one) continue;
      const coalescing asked = m_receiver.how_to_coalesce(one->number);
      if (one->asked == asked) continue;
      ended.push_back(std::move(one->tuned));
      if (one->number < m_shared.size()) {
        ended.push_back(std::move(m_shared[one->number].tuned));
        m_shared[one->number] = {};
      }
      one->counted = totals(box, *one);
      one->told = one->parcels;
      apply_settings(*one, asked);
    }
  }
}

void parcel_port::event(std::uint32_t number) noexcept {
  const scoped_lock tunes(m_tunes);
  for_each_lane(number, [this](const outbox&, lane& one) {
    if (one.next_look == lane::k_never || m_receiver.how_to_coalesce(one.number).trigger != coalescing_trigger::event)
      return;
    if (one.tuned) one.tuned->event();
    one.next_look = 0; // the next parcel looks
  });
}

lane& parcel_port::make_lane(outbox& box, std::uint32_t number) {
  if (number >= box.lanes.size()) box.lanes.resize(number + 1);
  auto made = std::make_unique<lane>();
  made->number = number;
  made->counted = totals(box, *made);
  apply_settings(*made, m_receiver.how_to_coalesce(number));
  for (std::uint32_t most = m_lanes.load(order::relaxed); most <= number;)
    if (m_lanes.compare_exchange(most, number + 1, order::relaxed, order::relaxed)) break;
  return *(box.lanes[number] = std::move(made));
}

void parcel_port::apply_settings(lane& of, const coalescing& asked) const {
  const decide::coalescing_choices all(asked);
  of.asked = asked;
  of.asked_at = of.parcels;
  of.how = all.first_settings();
  constexpr std::uint64_t k_first = 16; // parcels, after which it does as the others do
  of.next_look = all.is_open() ? of.parcels + (shares_choice(asked) ? k_first : k_few) : lane::k_never;
}

} // namespace treadle::detail

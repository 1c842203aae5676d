#include "tree/run/run_state.hpp"

#include <treadle/detail/own_locality.hpp>
#include <treadle/runtime.hpp>

#include "observe/emit.hpp"

#include <algorithm>

namespace treadle::tree {

physl::timeline timeline_buffer::take() {
  physl::timeline result;
  const auto written = m_next.load(detail::order::acquire);
  if (written > m_records.size())
    result.dropped = written - m_records.size();
  else
    m_records.resize(static_cast<std::size_t>(written));
  for (auto& r : m_records) {
    r.start_ns = static_cast<std::uint64_t>(detail::ticks_to_ns(static_cast<std::int64_t>(r.start_ns)));
    r.end_ns = static_cast<std::uint64_t>(detail::ticks_to_ns(static_cast<std::int64_t>(r.end_ns)));
  }
  result.records = std::move(m_records);
  return result;
}

run_state::run_state(const physl::run_options& options, std::span<node_statistics> statistics,
                     instance_search* searches, splitting& split, terms_of_runs& terms, double size)
    : m_options(options),
      m_baseline{options.count_threshold, options.lower_ns, options.upper_ns},
      m_split(split),
      m_statistics(statistics),
      m_size(size),
      m_searches(searches),
      m_services(options) {
  const bool recorded = detail::forks_are_recorded.load(detail::order::relaxed);
  const auto workers = options.policy == physl::policy::always_inline ? 1 : runtime::current().workers();
  // The paper's spawn instances, and know nothing of parts. How many workers may be active changes meanwhile. Who
  // records what could be given away wants to see it with one worker, too.
  m_adapts = (workers > 1 || recorded) && options.policy == physl::policy::adaptive;
  m_overlaps = m_adapts || (workers > 1 && options.policy == physl::policy::always_async);
  m_least_worth = splitting::to_ticks(options.worth_ns ? static_cast<double>(*options.worth_ns)
                                                       : splitting::k_part.fitting_ns() / 4); // it may grow
  m_threshold_is_fixed = options.worth_ns || recorded;
  m_services.allow_tasks(m_overlaps);
  const bool has_bounds = options.policy == physl::policy::paper_baseline;
  m_terms = terms.record({options.policy, has_bounds ? options.lower_ns : 0, has_bounds ? options.upper_ns : 0,
                          options.policy == physl::policy::adaptive && (!m_adapts || detail::present_workers() < 2)});
  if (options.timeline_capacity != 0) m_timeline = std::make_unique<timeline_buffer>(options.timeline_capacity);
  m_tunes = m_adapts && !m_threshold_is_fixed && split.claim(detail::present_workers());
}

run_state::~run_state() {
  wait_asynchronous();
  m_asynchronous.clear();
  if (m_tunes) m_split.release();
  // A closure kept in a variable of the frame it captured keeps that frame alive for ever: empty what is left.
  while (m_captured) {
    auto* f = m_captured;
    f->m_references.fetch_add(1, detail::order::relaxed);
    remove_captured(*f);
    f->m_run = nullptr;
    f->clear();
    f->release();
  }
  for (std::size_t i = 0; i < m_statistics.size(); ++i) publish(i);
}

void run_state::publish(std::size_t node) noexcept {
  auto& to = m_statistics[node];
  bool evaluated = false;
  auto mode = physl::inline_mode::inlined;
  std::uint64_t part = 0, threshold = 0;
  for (const auto& shard : m_shards) {
    const auto& from = shard[node];
    if (from.count == 0) continue;
    evaluated = true;
    to.count.fetch_add(from.count, detail::order::relaxed);
    to.inclusive.fetch_add(from.inclusive, detail::order::relaxed);
    to.self.fetch_add(from.self, detail::order::relaxed);
    to.spawned.fetch_add(from.spawned, detail::order::relaxed);
    if (from.spawned != 0) mode = physl::inline_mode::spawned;
    if (from.threshold != 0) {
      part = from.part;
      threshold = from.threshold;
    }
    const detail::scoped_lock guard(to.lock);
    if (from.inclusive != 0) to.cost.add(m_size, static_cast<double>(from.inclusive) / static_cast<double>(from.count));
  }
  if (!evaluated) return;
  to.mode.store(static_cast<std::int8_t>(mode), detail::order::relaxed);
  to.part.store(part, detail::order::relaxed);
  to.threshold.store(threshold, detail::order::relaxed);
  to.by.store(m_terms, detail::order::release); // pairs with the loads in reasons.cpp
}

local_statistics* run_state::lease_statistics() {
  if (spawns()) return nullptr;
  {
    detail::scoped_lock guard(m_lock);
    if (!m_free_shards.empty()) {
      auto* shard = m_free_shards.back();
      m_free_shards.pop_back();
      return shard;
    }
  }
  auto fresh = std::make_unique<local_statistics[]>(m_statistics.size());
  auto* shard = fresh.get();
  detail::scoped_lock guard(m_lock);
  m_shards.push_back(std::move(fresh));
  if (m_free_shards.capacity() < m_shards.size()) m_free_shards.reserve(2 * m_shards.size());
  return shard;
}

void run_state::give_back(local_statistics* shard) noexcept {
  detail::scoped_lock guard(m_lock);
  m_free_shards.push_back(shard);
}

bool run_state::is_worth_by_others(std::uint32_t node, std::uint64_t times, local_statistics* shard) const noexcept {
  if (m_options.policy == physl::policy::always_async) return true;
  auto& all = m_statistics[node];
  if (all.waits_elsewhere && detail::number_of_localities.load(detail::order::relaxed) > 1) return true;
  const detail::scoped_lock guard(all.lock);
  const bool known = all.cost.is_known();
  const double work = known ? std::min(all.cost.at(m_size) * static_cast<double>(times), 0x1p62) : 0;
  return shard[node].is_worth(static_cast<std::uint64_t>(work), threshold()) && known;
}

decide::inlining_decision run_state::search_decision(std::uint32_t node, decide::execution previous) noexcept {
  auto& mine = m_searches[node];
  if (!mine.lock.try_lock()) return {previous, false};
  const auto& s = m_statistics[node];
  const auto count = s.count.load(detail::order::relaxed), inclusive = s.inclusive.load(detail::order::relaxed);
  decide::paper_adaptive::outcome result{{previous, false}};
  if (!mine.is_begun || mine.search.how() != m_options.thresholds) mine.begin(m_options.thresholds, count, inclusive);
  const std::uint64_t evaluations = count - mine.count_before;
  const bool ends_window = evaluations >= m_options.thresholds.window && !mine.search.converged();
  const std::int64_t start = ends_window ? detail::ticks_now() : 0;
  try {
    const auto ns = detail::ticks_to_ns(static_cast<std::int64_t>(inclusive - mine.inclusive_before));
    result = mine.search.decide({evaluations, static_cast<std::uint64_t>(ns)}, previous);
  } catch (...) { // no memory for the search: as last time
  }
  if (result.reset) {
    mine.count_before = count;
    mine.inclusive_before = inclusive;
    const auto ns = static_cast<double>(detail::ticks_to_ns(detail::ticks_now() - start));
    mine.searching_ns += ns;
    loop::the_ledger.decided(loop::decision_kind::inlining, ns);
    detail::count(detail::tuning_total[loop::decision_kind::inlining].windows);
  }
  mine.lock.unlock();
  return result.decision;
}

bool run_state::decide_inline(std::uint32_t node) noexcept {
  auto& s = m_statistics[node];
  decide::inlining_decision decision{decide::execution::spawned, true};
  if (m_options.policy != physl::policy::always_async) {
    const auto previous =
        s.last_inlined.load(detail::order::relaxed) ? decide::execution::inlined : decide::execution::spawned;
    if (m_searches) {
      decision = search_decision(node, previous);
    } else {
      const auto ticks = static_cast<std::int64_t>(s.inclusive.load(detail::order::relaxed));
      decision = m_baseline.decide(
          {s.count.load(detail::order::relaxed), static_cast<std::uint64_t>(detail::ticks_to_ns(ticks))}, previous);
    }
    if (decision.mode != previous)
      s.last_inlined.store(decision.mode == decide::execution::inlined, detail::order::relaxed);
  }
  const bool inlined = decision.mode == decide::execution::inlined;
  const auto mode = static_cast<std::int8_t>(!decision.decided ? physl::inline_mode::undecided
                                             : inlined         ? physl::inline_mode::inlined
                                                               : physl::inline_mode::spawned);
  if (s.mode.load(detail::order::relaxed) != mode) s.mode.store(mode, detail::order::relaxed);
  if (s.by.load(detail::order::relaxed) != m_terms) s.by.store(m_terms, detail::order::release); // as in publish()
  return inlined;
}

void run_state::add_captured(frame& f) noexcept {
  detail::scoped_lock guard(m_lock);
  f.m_run = this;
  f.m_next = m_captured;
  if (m_captured) m_captured->m_previous = &f;
  m_captured = &f;
}

void run_state::remove_captured(frame& f) noexcept {
  detail::scoped_lock guard(m_lock);
  (f.m_previous ? f.m_previous->m_next : m_captured) = f.m_next;
  if (f.m_next) f.m_next->m_previous = f.m_previous;
  f.m_previous = f.m_next = nullptr;
}

void run_state::add_asynchronous(shared_future<value> f) {
  std::vector<shared_future<value>> ended; // outlives the lock, which frames in their values take when they go
  detail::scoped_lock guard(m_lock);
  auto& open = m_asynchronous;
  if (open.size() == open.capacity()) {
    const auto ready = std::partition(open.begin(), open.end(), [](const auto& one) { return !one.is_ready(); });
    ended.assign(std::move_iterator(ready), std::move_iterator(open.end()));
    open.erase(ready, open.end());
    if (ended.size() < open.size()) open.reserve(2 * open.capacity()); // or the next ones look at all of them again
  }
  open.push_back(std::move(f));
}

void run_state::wait_asynchronous() noexcept {
  for (;;) {
    std::vector<shared_future<value>> open;
    {
      detail::scoped_lock guard(m_lock);
      open.swap(m_asynchronous);
    }
    if (open.empty()) return;
    for (const auto& f : open) f.wait(); // they may start more
  }
}

} // namespace treadle::tree

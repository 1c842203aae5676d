#include "tree/run_state.hpp"

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

run_state::run_state(const physl::run_options& options, std::span<node_statistics> statistics)
    : m_options(options),
      m_baseline{options.count_threshold, options.lower_ns, options.upper_ns},
      m_statistics(statistics),
      m_services(options) {
  if (!spawns()) m_local = std::make_unique<local_statistics[]>(statistics.size());
  if (options.timeline_capacity != 0) m_timeline = std::make_unique<timeline_buffer>(options.timeline_capacity);
}

run_state::~run_state() {
  wait_asynchronous();
  m_asynchronous.clear();
  // A closure kept in a variable of the frame it captured keeps that frame alive for ever: empty what is left.
  while (m_captured) {
    auto* f = m_captured;
    f->m_references.fetch_add(1, detail::order::relaxed);
    remove_captured(*f);
    f->m_run = nullptr;
    f->clear();
    f->release();
  }
  if (!m_local) return;
  for (std::size_t i = 0; i < m_statistics.size(); ++i) {
    const auto& from = m_local[i];
    if (from.count == 0) continue;
    auto& to = m_statistics[i];
    to.count.fetch_add(from.count, detail::order::relaxed);
    to.inclusive.fetch_add(from.inclusive, detail::order::relaxed);
    to.self.fetch_add(from.self, detail::order::relaxed);
    to.mode.store(static_cast<std::int8_t>(physl::inline_mode::inlined), detail::order::relaxed);
  }
}

bool run_state::decide_inline(std::uint32_t node) noexcept {
  auto& s = m_statistics[node];
  policy::inlining_decision decision{policy::execution::spawned, true};
  if (m_options.policy == physl::policy::paper_baseline) {
    const auto previous =
        s.last_inlined.load(detail::order::relaxed) ? policy::execution::inlined : policy::execution::spawned;
    const auto ticks = static_cast<std::int64_t>(s.inclusive.load(detail::order::relaxed));
    decision = m_baseline.decide(
        {s.count.load(detail::order::relaxed), static_cast<std::uint64_t>(detail::ticks_to_ns(ticks))}, previous);
    if (decision.mode != previous)
      s.last_inlined.store(decision.mode == policy::execution::inlined, detail::order::relaxed);
  }
  const bool inlined = decision.mode == policy::execution::inlined;
  const auto mode = static_cast<std::int8_t>(!decision.decided ? physl::inline_mode::undecided
                                             : inlined         ? physl::inline_mode::inlined
                                                               : physl::inline_mode::spawned);
  if (s.mode.load(detail::order::relaxed) != mode) s.mode.store(mode, detail::order::relaxed);
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
  detail::scoped_lock guard(m_lock);
  if (m_asynchronous.size() == m_asynchronous.capacity())
    std::erase_if(m_asynchronous, [](const auto& one) { return one.is_ready(); });
  m_asynchronous.push_back(std::move(f));
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

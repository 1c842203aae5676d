#include "tree/parallel/splitting.hpp"

#include "base/clock.hpp"
#include "observe/tuning_totals.hpp"

#include <utility>

namespace treadle::tree {

std::uint64_t splitting::to_ticks(double ns) noexcept {
  if (!(ns < 1e15)) return k_never;
  return static_cast<std::uint64_t>(detail::ns_to_ticks(static_cast<std::int64_t>(ns)));
}

bool splitting::claim(unsigned workers) noexcept {
  if (m_claimed.exchange(true, detail::order::acquire)) return false; // pairs with release()
  m_policy.use({.ns = k_part_ns, .workers = workers});
  publish();
  return true;
}

void splitting::publish() noexcept {
  m_threshold.store(to_ticks(m_policy.ns()), detail::order::relaxed);
  m_windows.store(m_policy.windows(), detail::order::relaxed);
}

void splitting::decide(std::int64_t start, double turns, double ns, std::span<const local_statistics> nodes) {
  constexpr std::int64_t k_look_share = 2000; // of the time, for looking at all nodes
  m_policy.period(turns, ns);
  if (nodes.empty()) return;
  ++m_window;
  const bool early = (m_window & (m_window - 1)) == 0; // the first windows tell little
  if (start < m_next_look && !early) return;
  m_parts.clear();
  for (const auto& n : nodes)
    if (const auto asked = std::min(n.asked(), k_never); asked != 0)
      m_parts.push_back(static_cast<double>(detail::ticks_to_ns(static_cast<std::int64_t>(asked))));
  m_policy.parts(m_parts);
  const auto now = detail::ticks_now();
  m_next_look = now + k_look_share * (now - start);
}

// Turns of two loops cannot be compared: the one that takes most of the time counts.
bool splitting::measures(const node& loop, std::int64_t ticks) {
  if (m_loop != &loop) {
    m_in_others += ticks;
    if (m_in_others <= 2 * m_in_loop) return false;
    m_in_loop = std::exchange(m_in_others, 0) - ticks;
    m_loop = &loop;
    m_policy.begin_loop();
  }
  m_in_loop += ticks;
  return true;
}

void splitting::settle() noexcept {
  m_policy.settle();
  publish();
}

void splitting::forget() noexcept {
  if (m_claimed.exchange(true, detail::order::acquire)) return; // pairs with release()
  m_policy = policies::split_threshold({.ns = k_part_ns});
  m_loop = nullptr;
  m_in_loop = m_in_others = m_next_look = 0;
  m_window = 0;
  m_threshold.store(0, detail::order::relaxed);
  m_windows.store(0, detail::order::relaxed);
  m_spent.store(0, detail::order::relaxed);
  release();
}

bool splitting::window(const node& loop, std::uint64_t turns, std::int64_t ticks,
                       std::span<const local_statistics> nodes) noexcept {
  const auto start = detail::ticks_now();
  try {
    if (measures(loop, ticks))
      decide(start, static_cast<double>(turns), static_cast<double>(detail::ticks_to_ns(ticks)), nodes);
  } catch (...) { // no memory: stays as it is
  }
  publish();
  const auto spent = std::max<std::int64_t>(detail::ticks_now() - start, 0);
  m_spent.fetch_add(static_cast<std::uint64_t>(spent), detail::order::relaxed);
  detail::tuning_totals::add(detail::tuning_total.session_ns, static_cast<std::uint64_t>(detail::ticks_to_ns(spent)));
  return !m_policy.is_settling();
}

} // namespace treadle::tree

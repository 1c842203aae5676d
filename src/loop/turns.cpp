#include "loop/turns.hpp"

#include <algorithm>

namespace treadle::loop {

using detail::scoped_lock;

void turns::remove(std::size_t i) noexcept {
  std::move(m_waiting + i + 1, m_waiting + m_count, m_waiting + i);
  --m_count;
}

bool turns::take(const void* who, std::int64_t now_ns, std::int64_t lease_ns) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder.who == who && now_ns < m_holder.until_ns) return true;
  if (now_ns >= m_holder.until_ns) m_holder.who = nullptr;
  for (std::size_t i = m_count; i-- > 0;)
    if (m_waiting[i].who != who && now_ns >= m_waiting[i].until_ns) remove(i);
  const auto mine = static_cast<std::size_t>(
      std::find_if(m_waiting, m_waiting + m_count, [=](const place& p) { return p.who == who; }) - m_waiting);
  const bool is_waiting = mine != m_count;
  const std::int64_t patience_ns = now_ns + std::max(lease_ns, k_patience_ns);
  if (!m_holder.who && (mine == 0 || m_count == 0)) {
    if (is_waiting) remove(mine);
    m_holder = {who, now_ns + lease_ns};
    return true;
  }
  if (is_waiting)
    m_waiting[mine].until_ns = patience_ns;
  else if (m_count < k_places)
    m_waiting[m_count++] = {who, patience_ns};
  return false;
}

void turns::done(const void* who) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder.who == who) m_holder.who = nullptr;
}

void turns::leave(const void* who) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder.who == who) m_holder.who = nullptr;
  for (std::size_t i = m_count; i-- > 0;)
    if (m_waiting[i].who == who) remove(i);
}

} // namespace treadle::loop

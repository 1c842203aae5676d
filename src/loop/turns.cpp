#include "loop/turns.hpp"

#include <algorithm>

namespace treadle::loop {

using detail::scoped_lock;

void turns::remove(std::size_t i) noexcept {
  std::move(m_waiting + i + 1, m_waiting + m_count, m_waiting + i); // of equal ones the first comes first
  --m_count;
}

turns::place* turns::place_of(const request& wanted) noexcept {
  place* const end = m_waiting + m_count;
  place* const known = std::find_if(m_waiting, end, [&](const place& p) { return p.who == wanted.who; });
  if (known != end) return known;
  if (m_count == k_places) return nullptr;
  ++m_count;
  *known = {wanted.who, m_clock + wanted.need_ns};
  return known;
}

bool turns::take(const request& wanted, std::int64_t now_ns) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder == wanted.who && now_ns < m_until_ns) return true;
  if (now_ns >= m_until_ns) m_holder = nullptr;
  for (std::size_t i = m_count; i-- > 0;)
    if (m_waiting[i].who != wanted.who && now_ns >= m_waiting[i].until_ns) remove(i);
  place* const mine = place_of(wanted);
  if (!mine) return false;
  mine->until_ns = now_ns + wanted.lease_ns;
  mine->saves = !wanted.can_pay;
  mine->shares = wanted.shares;
  place* const end = m_waiting + m_count;
  const auto is_before = [](const place& p, const place& q) { return p.tag < q.tag || (p.tag == q.tag && &p < &q); };
  const place* first_saver = nullptr;
  for (const place* p = m_waiting; p != end; ++p)
    if (p->saves && (!first_saver || is_before(*p, *first_saver))) first_saver = p;
  const auto is_ready = [&](const place& p) { return !p.shares || !first_saver || is_before(p, *first_saver); };
  const bool must_wait =
      std::any_of(m_waiting, end, [&](const place& p) { return is_before(p, *mine) && is_ready(p); });
  if (m_holder || must_wait || !is_ready(*mine)) return false;
  m_holder = wanted.who;
  m_until_ns = now_ns + wanted.lease_ns;
  m_clock = std::max(m_clock, mine->tag);
  remove(static_cast<std::size_t>(mine - m_waiting));
  return true;
}

void turns::done(const void* who) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder == who) m_holder = nullptr;
}

void turns::leave(const void* who) noexcept {
  scoped_lock guard(m_lock);
  if (m_holder == who) m_holder = nullptr;
  for (std::size_t i = m_count; i-- > 0;)
    if (m_waiting[i].who == who) remove(i);
}

void turns::clear() noexcept {
  m_lock.~spinlock(); // another thread may have held it
  new (&m_lock) detail::spinlock;
  m_holder = nullptr;
  m_count = 0;
}

} // namespace treadle::loop

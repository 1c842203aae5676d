#include "parcel/calls/replies.hpp"

#include <utility>

namespace treadle::detail {

std::uint64_t reply_table::add(std::unique_ptr<awaited_reply> who, unsigned from) {
  const scoped_lock guard(m_lock);
  if (m_free.empty()) {
    m_entries.emplace_back();
    m_free.reserve(m_entries.capacity()); // so that take() needs no memory
    m_free.push_back(static_cast<std::uint32_t>(m_entries.size() - 1));
  }
  const std::uint32_t at = m_free.back();
  m_free.pop_back();
  entry& one = m_entries[at];
  one.who = std::move(who);
  one.from = from;
  return std::uint64_t{one.generation} << 32U | at;
}

reply_table::entry* reply_table::find(std::uint64_t number, unsigned from) noexcept {
  const auto at = static_cast<std::uint32_t>(number), generation = static_cast<std::uint32_t>(number >> 32U);
  if (at >= m_entries.size()) return nullptr;
  entry& one = m_entries[at];
  return one.who && one.generation == generation && (from == k_any || one.from == from) ? &one : nullptr;
}

arriving_beginner reply_table::beginner(std::uint64_t number, unsigned from) noexcept {
  const scoped_lock guard(m_lock);
  const entry* const one = find(number, from);
  return one ? one->who->beginner() : nullptr;
}

std::unique_ptr<awaited_reply> reply_table::take(std::uint64_t number, unsigned from) noexcept {
  const scoped_lock guard(m_lock);
  entry* const found = find(number, from);
  return found ? take(*found) : nullptr;
}

std::unique_ptr<awaited_reply> reply_table::take(entry& one) noexcept {
  one.generation = one.generation + 1 == 0 ? 1 : one.generation + 1;
  m_free.push_back(static_cast<std::uint32_t>(&one - m_entries.data()));
  return std::move(one.who);
}

void reply_table::fail_all(const std::exception_ptr& why) noexcept {
  for (std::size_t at = 0;; ++at) {
    std::unique_ptr<awaited_reply> who;
    {
      const scoped_lock guard(m_lock);
      if (at >= m_entries.size()) return;
      if (entry& one = m_entries[at]; one.who) who = take(one);
    }
    if (who) who->failed(why);
  }
}

} // namespace treadle::detail

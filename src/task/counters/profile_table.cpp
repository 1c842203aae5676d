#include "task/counters/profile_table.hpp"

#include "base/fnv1a.hpp"

#include <algorithm>
#include <new>

namespace treadle::detail {

profile_table::~profile_table() {
  for (auto& slot : m_slots) delete slot.load(order::relaxed);
}

profile_entry& profile_table::of(std::string_view name) noexcept {
  constexpr std::size_t k_hashed = 24; // at the end, where types differ
  const auto tail = name.substr(name.size() - std::min(name.size(), k_hashed));
  for (std::uint64_t i = fnv1a(tail, name.size());; ++i) { // there is always an empty slot
    auto& slot = m_slots[i % k_slots];
    if (profile_entry* const found = slot.load(order::relaxed)) {
      if (found->name() == name) return *found;
      continue;
    }
    if (m_names == k_names_max) return *m_others;
    try {
      slot.store(new profile_entry(name), order::release); // pairs with visit()
    } catch (const std::bad_alloc&) {
      return *m_others;
    }
    ++m_names;
    return *slot.load(order::relaxed);
  }
}

} // namespace treadle::detail

#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {

bool continuation_list::try_attach(continuation& c) noexcept {
  std::uintptr_t head = m_word.load(order::acquire);
  while (head != k_ready) {
    if (TREADLE_UNLIKELY(head & k_locked)) {
      cpu_relax();
      head = m_word.load(order::acquire);
      continue;
    }
    c.next_continuation = reinterpret_cast<continuation*>(head);
    // release: the completing thread sees `c`; acquire: we see what those did first who found the list without `c`,
    // such as the decision in input_hooks; on failure: when ready, the value.
    if (m_word.compare_exchange(head, reinterpret_cast<std::uintptr_t>(&c), order::acq_rel, order::acquire)) {
      return true;
    }
  }
  return false;
}

bool continuation_list::withdraw(continuation& c) noexcept {
  std::uintptr_t head = m_word.load(order::relaxed);
  do {
    while (head & k_locked) {
      cpu_relax();
      head = m_word.load(order::relaxed);
    }
    if (head == k_ready) return false;
    // acquire: sees the links that others wrote before they attached.
  } while (!m_word.compare_exchange(head, head | k_locked, order::acquire, order::relaxed));
  plain<continuation*> newest = reinterpret_cast<continuation*>(head);
  plain<continuation*>* link = &newest;
  while (*link && *link != &c) link = &(*link)->next_continuation;
  const bool found = *link != nullptr;
  if (found) *link = c.next_continuation;
  continuation* first = newest;
  m_word.store(reinterpret_cast<std::uintptr_t>(first), order::release); // whoever comes next sees the links
  return found;
}

continuation* continuation_list::publish() noexcept {
  std::uintptr_t head = m_word.load(order::relaxed);
  do {
    while (TREADLE_UNLIKELY(head & k_locked)) {
      cpu_relax();
      head = m_word.load(order::relaxed);
    }
    // release: publishes the value to is_ready(); acquire: sees the continuations that were attached.
  } while (!m_word.compare_exchange(head, k_ready, order::acq_rel, order::relaxed));
  auto* newest = reinterpret_cast<continuation*>(head);
  continuation* oldest = nullptr; // fire in the order of attachment
  while (newest) {
    continuation* next = newest->next_continuation;
    newest->next_continuation = oldest;
    oldest = newest;
    newest = next;
  }
  return oldest;
}

void continuation_list::fire(continuation* oldest) noexcept {
  while (oldest) {
    continuation* next = oldest->next_continuation; // firing may destroy it
    oldest->fire();
    oldest = next;
  }
}

} // namespace treadle::detail

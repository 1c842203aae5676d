#include <treadle/detail/continuation_list.hpp>
#include <treadle/detail/spinlock.hpp>

namespace treadle::detail {
namespace {

/// Those that only wake first, and otherwise in the order of attachment.
[[gnu::noinline]] continuation* in_order_to_fire(continuation* newest) noexcept {
  continuation *waking = nullptr, *last_waking = nullptr, *others = nullptr;
  while (newest) {
    continuation* const next = newest->next_continuation;
    continuation*& list = newest->only_wakes() ? waking : others;
    newest->next_continuation = list;
    list = newest;
    if (waking && !last_waking) last_waking = waking;
    newest = next;
  }
  if (!waking) return others;
  last_waking->next_continuation = others;
  return waking;
}

} // namespace

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
  auto* newest = reinterpret_cast<continuation*>(head);
  link_back(newest);
  continuation* const newer = c.previous_continuation;
  const bool found = newer || newest == &c;
  if (found) {
    continuation* const older = c.next_continuation;
    if (newer)
      newer->next_continuation = older;
    else
      newest = older;
    if (older) older->previous_continuation = newer;
    c.previous_continuation = nullptr;
  }
  m_word.store(reinterpret_cast<std::uintptr_t>(newest), order::release); // the one that comes next sees the links
  return found;
}

/// To the first one that is linked back already, as are all behind it.
void continuation_list::link_back(continuation* newest) noexcept {
  while (newest) {
    continuation* const older = newest->next_continuation;
    if (!older || older->previous_continuation) return;
    older->previous_continuation = newest;
    newest = older;
  }
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
  auto* const newest = reinterpret_cast<continuation*>(head);
  return newest && newest->next_continuation ? in_order_to_fire(newest) : newest;
}

void continuation_list::fire(continuation* first) noexcept {
  while (first) {
    continuation* next = first->next_continuation; // firing may destroy it
    first->fire();
    first = next;
  }
}

} // namespace treadle::detail

#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>

#include <pthread.h>
#include <sched.h>

namespace treadle::detail {
namespace {

constinit atomic<fork_participant*> g_first{nullptr};
constinit fork_participant* g_locked = nullptr; // the first that is locked; by the thread that forks
constinit atomic<std::uint32_t> g_generation{0};

} // namespace

void fork_participant::join_forks() noexcept {
  [[maybe_unused]] static const int registered = pthread_atfork(&prepare, &end_in_parent, &end_in_child);
  m_next = g_first.load(order::relaxed);
  // release: publishes what this holds.
  while (!g_first.compare_exchange(m_next, this, order::release, order::relaxed)) {
  }
}

/// Takes all locks or none: elsewhere they may be taken in any order.
void fork_participant::prepare() noexcept {
  for (;;) {
    fork_participant* const first = g_first.load(order::acquire); // pairs with join_forks()
    fork_participant* busy = first;
    while (busy && busy->try_lock()) busy = busy->m_next;
    if (!busy) {
      g_locked = first; // another thread that forks has to wait for the locks
      return;
    }
    for (fork_participant* p = first; p != busy; p = p->m_next) p->unlock();
    sched_yield();
  }
}

void fork_participant::end_in_parent() noexcept {
  for (fork_participant* p = g_locked; p; p = p->m_next) p->unlock();
}

void fork_participant::end_in_child() noexcept {
  g_generation.store(g_generation.load(order::relaxed) + 1, order::relaxed);
  for (fork_participant* p = g_locked; p; p = p->m_next) p->begin_child();
  end_in_parent();
}

std::uint32_t fork_generation() noexcept { return g_generation.load(order::relaxed); }

} // namespace treadle::detail

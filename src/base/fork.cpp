#include "base/fork.hpp"

#include <treadle/detail/atomic.hpp>

#include <pthread.h>
#include <sched.h>
#include <time.h>

namespace treadle::detail {
namespace {

constinit atomic<fork_participant*> g_first{nullptr};
constinit fork_participant* g_locked = nullptr; // the first that is locked; by the thread that forks
constinit atomic<std::uint32_t> g_generation{0};
constinit atomic<int> g_forking{0}; // threads

} // namespace

bool somebody_forks() noexcept { return g_forking.load(order::relaxed) != 0; }

/// No longer than a millisecond: the caller may hold another lock that the forking thread needs.
void wait_for_fork() noexcept {
  constexpr timespec k_moment{0, 100'000};
  for (int i = 0; i < 10 && somebody_forks(); ++i) nanosleep(&k_moment, nullptr);
}

void fork_participant::join_forks() noexcept {
  [[maybe_unused]] static const int registered = pthread_atfork(&prepare, &end_in_parent, &end_in_child);
  m_next = g_first.load(order::relaxed);
  // release: publishes what this holds.
  while (!g_first.compare_exchange(m_next, this, order::release, order::relaxed)) {
  }
}

/// Takes all locks or none: elsewhere they may be taken in any order. Who comes meanwhile waits, otherwise two threads
/// that take turns with one of the locks can keep this one out for seconds.
void fork_participant::prepare() noexcept {
  g_forking.fetch_add(1, order::relaxed);
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
  g_forking.fetch_sub(1, order::relaxed);
  for (fork_participant* p = g_locked; p; p = p->m_next) p->unlock();
}

void fork_participant::end_in_child() noexcept {
  g_generation.store(g_generation.load(order::relaxed) + 1, order::relaxed);
  g_forking.store(1, order::relaxed); // others that fork are not here
  for (fork_participant* p = g_locked; p; p = p->m_next) p->begin_child();
  end_in_parent();
}

std::uint32_t fork_generation() noexcept { return g_generation.load(order::relaxed); }

} // namespace treadle::detail

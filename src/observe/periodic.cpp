#include "observe/periodic.hpp"

#include "base/blocked_signals.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/sync/park.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <pthread.h>

namespace treadle::detail {

struct periodic_entry {
  periodic_action& action;
  const std::int64_t period_ns;
  std::int64_t due_ns;
  atomic<std::uint64_t> missed{0};
};

namespace {

/// The thread, which exists while there is something to do.
class clockwork final : fork_participant {
 public:
  explicit clockwork(const char* name) noexcept : m_name(name) { join_forks(); }

  void add(std::shared_ptr<periodic_entry> entry) {
    std::lock_guard guard(m_mutex);
    m_entries.push_back(std::move(entry));
    if (!m_runs) {
      try {
        start();
      } catch (...) {
        m_entries.pop_back();
        throw;
      }
      m_runs = true;
    }
    announce_change();
  }

  void hurry(periodic_entry& entry) noexcept {
    std::lock_guard guard(m_mutex);
    entry.due_ns = steady_now_ns();
    announce_change();
  }

  void remove(const std::shared_ptr<periodic_entry>& entry) noexcept {
    std::unique_lock guard(m_mutex);
    std::erase(m_entries, entry);
    announce_change();
    while (m_acting == entry && m_actor != std::this_thread::get_id()) {
      const std::uint32_t changes = m_changes.load(order::relaxed);
      guard.unlock();
      futex_wait(m_changes, changes);
      guard.lock();
    }
  }

 private:
  bool try_lock() noexcept override { return m_mutex.try_lock(); }
  void unlock() noexcept override { m_mutex.unlock(); }
  void begin_child() noexcept override { // the thread stays with the parent, as what it did
    m_entries.clear();
    m_acting.reset();
    m_runs = false;
  }

  void start() {
    const blocked_signals guard;
    std::thread thread([this] { run(); });
    pthread_setname_np(thread.native_handle(), m_name);
    thread.detach();
  }

  void run() {
    std::unique_lock guard(m_mutex);
    m_actor = std::this_thread::get_id();
    while (!m_entries.empty()) {
      const auto next = *std::min_element(m_entries.begin(), m_entries.end(),
                                          [](const auto& a, const auto& b) { return a->due_ns < b->due_ns; });
      const std::uint32_t changes = m_changes.load(order::relaxed);
      const std::int64_t wait_ns = next->due_ns - steady_now_ns();
      const std::int64_t due_ns = next->due_ns;
      if (wait_ns <= 0) m_acting = next;
      guard.unlock();
      if (wait_ns > 0)
        futex_wait(m_changes, changes, wait_ns);
      else
        next->action.act();
      guard.lock();
      if (wait_ns > 0) continue;
      m_acting.reset();
      const std::int64_t missed = std::max<std::int64_t>((steady_now_ns() - next->due_ns) / next->period_ns, 0);
      next->missed.fetch_add(static_cast<std::uint64_t>(missed), order::relaxed);
      if (next->due_ns == due_ns) next->due_ns += (missed + 1) * next->period_ns; // or somebody is in a hurry
      announce_change();
    }
    m_runs = false;
  }

  /// Changes happen under the lock, and the one that waits has read the number of them there.
  void announce_change() noexcept {
    m_changes.fetch_add(1, order::relaxed);
    futex_wake(m_changes, 1 << 30);
  }

  const char* const m_name;
  std::mutex m_mutex;
  atomic<std::uint32_t> m_changes{0};
  std::vector<std::shared_ptr<periodic_entry>> m_entries;
  std::shared_ptr<periodic_entry> m_acting;
  std::thread::id m_actor;
  bool m_runs = false;
};

clockwork& shared_clockwork(helper_thread which) {
  static clockwork* clock = new clockwork("treadle-clock"); // never destroyed: actions of static objects end later
  static clockwork* writer = new clockwork("treadle-writer");
  return which == helper_thread::clock ? *clock : *writer;
}

} // namespace

periodic::periodic(periodic_action& action, std::int64_t period_ns, helper_thread on)
    : m_on(on), m_entry(std::make_shared<periodic_entry>(action, period_ns, steady_now_ns() + period_ns)) {
  shared_clockwork(m_on).add(m_entry);
}

periodic::~periodic() { shared_clockwork(m_on).remove(m_entry); }

void periodic::hurry() noexcept { shared_clockwork(m_on).hurry(*m_entry); }

std::uint64_t periodic::missed() const noexcept { return m_entry->missed.load(order::relaxed); }

} // namespace treadle::detail

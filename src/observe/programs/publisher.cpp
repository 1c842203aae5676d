#include "observe/programs/publisher.hpp"

#include "base/blocked_signals.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "base/sync/park.hpp"
#include "observe/programs/page_file.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/program_name.hpp"
#include "observe/programs/progress.hpp"
#include "observe/programs/state_sources.hpp"

#include <treadle/observe/programs.hpp>

#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include <pthread.h>

namespace treadle::detail {
namespace {

class publisher final : fork_participant {
 public:
  publisher() noexcept { join_forks(); }

  void begin() noexcept {
    const std::lock_guard guard(m_mutex);
    if (m_begun) return;
    m_begun = true;
    const char* wanted = std::getenv("TREADLE_PUBLISH");
    if (wanted && std::strcmp(wanted, "0") == 0) return;
    m_began_ns = steady_now_ns();
    m_runs = start();
    static const bool ends = std::atexit([] { the().end(); }) == 0;
    static_cast<void>(ends);
  }

  program_state state() const noexcept {
    program_state now{};
    now.at_ns = steady_now_ns();
    now.began_ns = m_began_ns;
    now.cpu_ns = process_cpu_ns();
    read_progress(now.streams);
    if (const auto add = g_add_workers.load(order::relaxed)) add(now);
    if (const auto add = g_add_decisions.load(order::relaxed)) add(now);
    return now;
  }

  bool is_published() noexcept {
    const std::lock_guard guard(m_mutex);
    return static_cast<bool>(m_page);
  }

  static publisher& the() {
    static publisher* one = new publisher; // never destroyed: its thread may be in the middle of something
    return *one;
  }

 private:
  bool try_lock() noexcept override { return m_mutex.try_lock(); }
  void unlock() noexcept override { m_mutex.unlock(); }
  void begin_child() noexcept override { // the thread and the page stay with the parent
    m_page.leave_to_parent();
    m_page = page_file();
    m_begun = m_runs = false;
    m_ends.store(0, order::relaxed);
  }

  bool start() noexcept {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{512} << 10);
    const blocked_signals guard;
    const auto run_it = [](void* self) -> void* {
      static_cast<publisher*>(self)->run();
      return nullptr;
    };
    const bool started = pthread_create(&m_thread, &attributes, run_it, this) == 0;
    pthread_attr_destroy(&attributes);
    if (started) pthread_setname_np(m_thread, "treadle-page");
    return started;
  }

  void end() noexcept {
    {
      const std::lock_guard guard(m_mutex);
      if (!m_runs) return;
      m_runs = false;
      m_ends.store(1, order::relaxed);
      if (!m_page) { // the thread sleeps, and finds out when it wakes up, if it ever does
        pthread_detach(m_thread);
        return;
      }
      ask(*m_page);
    }
    pthread_join(m_thread, nullptr);
    const std::lock_guard guard(m_mutex);
    m_page = page_file();
  }

  void run() noexcept {
    const std::int64_t visible_ns = m_began_ns + 50'000'000;
    for (std::int64_t left; m_ends.load(order::relaxed) == 0 && (left = visible_ns - steady_now_ns()) > 0;)
      futex_wait(m_ends, 0, left);
    if (m_ends.load(order::relaxed) != 0 || !make_page()) return;
    program_page& page = *m_page;
    std::uint32_t answered = 0, invitations = 0;
    invite();
    while (m_ends.load(order::relaxed) == 0) {
      // acquire: who asks because of something that it has written to sees that it is in the answer
      const std::uint32_t asked = page.asked.load(order::acquire);
      if (asked == answered) {
        shared_futex_wait(page.asked, asked);
        continue;
      }
      if (const std::uint32_t now = page.invitations.load(order::relaxed); std::exchange(invitations, now) != now)
        invite();
      write_state(page, state());
      answered = asked;
      page.answered.store(answered, order::release); // pairs with running_programs(): the state
      shared_futex_wake(page.answered, 1 << 30);
    }
  }

  static void invite() noexcept {
    if (const auto invited = g_invited.load(order::relaxed)) invited();
  }

  bool make_page() noexcept {
    try {
      const std::string folder = require_page_directory(), name = shown_name_of_program();
      const program_state now = state();
      const std::lock_guard guard(m_mutex);
      if (m_ends.load(order::relaxed) != 0) return false;
      m_page = page_file::create(folder, name);
      write_state(*m_page, now);
      return true;
    } catch (const std::exception&) { // nobody sees it
      return false;
    }
  }

  yielding_mutex m_mutex;
  bool m_begun = false, m_runs = false;
  std::int64_t m_began_ns = 0;
  pthread_t m_thread{};
  atomic<std::uint32_t> m_ends{0};
  page_file m_page;
};

} // namespace

void begin_publishing() noexcept { publisher::the().begin(); }
bool is_published() noexcept { return publisher::the().is_published(); }
program_state present_state() noexcept { return publisher::the().state(); }
program_state present_work() noexcept {
  program_state now{};
  if (const auto add = g_add_workers.load(order::relaxed)) add(now);
  return now;
}

} // namespace treadle::detail

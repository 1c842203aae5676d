#include "agent_link/link.hpp"

#include "agent_link/conversation.hpp"
#include "agent_link/environment.hpp"
#include "agent_link/wish.hpp"
#include "agent_link/zeromq.hpp"
#include "base/blocked_signals.hpp"
#include "base/clock.hpp"
#include "base/fork.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/program_name.hpp"
#include "observe/programs/publisher.hpp"
#include "observe/programs/state_sources.hpp"

#include <treadle/observe/events.hpp>
#include <treadle/observe/programs.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace treadle {
namespace detail {
namespace {

constexpr std::int64_t k_need_look_ns = 2'000'000;      // it looks no more often at whether the program has work
constexpr std::int64_t k_alone_ns = 30'000'000'000;     // without an agent it closes the connection after that
constexpr std::int64_t k_unanswered_ns = 3'000'000'000; // where one was asked for

/// Whether a thread of the program, not of this library, runs, or could. Reads a file for each thread.
bool somebody_runs() {
  DIR* const all = opendir("/proc/self/task");
  if (!all) return true; // not known: it keeps its cores
  bool runs = false;
  while (const dirent* const one = runs ? nullptr : readdir(all)) {
    if (one->d_name[0] == '.') continue;
    std::ifstream file(std::string("/proc/self/task/") + one->d_name + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t end = text.rfind(')'); // of the name, which may hold anything
    const bool is_ours = text.find(" (treadle-") != text.npos || text.find(" (ZMQbg") != text.npos;
    runs = !is_ours && end != std::string::npos && text.compare(end, 3, ") R") == 0;
  }
  closedir(all);
  return runs;
}

program_state look_at_work() {
  program_state now = present_work();
  if (now.active == 0 && now.queued == 0) now.outside = somebody_runs();
  return now;
}

/// The thread that talks to the agent.
class agent_link final : fork_participant {
 public:
  agent_link() { join_forks(); }
  static agent_link& the() {
    static agent_link* one = new agent_link; // never destroyed: its thread may be in the middle of something
    return *one;
  }

  void begin() {
    const std::lock_guard guard(m_mutex);
    if (m_ends) return;
    if (!m_begun) {
      std::optional<agent_address> address = address_of_agent();
      const core_wish wish = wish_of_environment();
      if (!address) return;
      m_begun = true;
      m_address = std::move(*address);
      if (!m_has_wish) m_wish = wish;
      g_invited.store([]() noexcept { the().meet(); }, order::relaxed);
      static const bool ends = std::atexit([] { the().end(); }) == 0;
      static_cast<void>(ends);
    }
    m_must_govern = true; // a runtime that is new
    m_must_meet = m_must_meet || m_address.was_asked_for;
    if (m_runs)
      signal();
    else if (m_must_meet)
      start();
  }

  void wish(const core_wish& w) {
    check(w, "wish_for_cores");
    const std::lock_guard guard(m_mutex);
    m_wish = w;
    m_has_wish = m_must_introduce = true;
    if (m_runs) signal();
  }

  agent_status status() {
    const std::lock_guard guard(m_mutex);
    return m_status;
  }

 private:
  /// What workers tell, if anything.
  using watch = std::uint32_t;
  static constexpr watch k_nothing = 0, k_parking = 1, k_waking = 2;

  bool try_lock() noexcept override { return m_mutex.try_lock(); }
  void unlock() noexcept override { m_mutex.unlock(); }
  void begin_child() noexcept override { // the thread and the connection stay with the parent
    if (m_dealer) m_dealer->leave_to_parent();
    m_dealer.reset();
    if (m_event >= 0) close(std::exchange(m_event, -1));
    m_watch.store(k_nothing, order::relaxed);
    m_noted.store(0, order::relaxed);
    m_begun = m_runs = m_ends = false;
    m_status = {};
    g_governed.store(k_not_governed, order::relaxed); // the grant is the parent's
  }

  /// There is an agent, perhaps. By the thread of the page.
  void meet() noexcept {
    const std::lock_guard guard(m_mutex);
    if (!m_begun || m_ends) return;
    m_must_meet = true;
    if (m_runs)
      signal();
    else if (access(m_address.file.c_str(), F_OK) == 0 && is_private_directory(program_directory()))
      start();
  }

  // With the mutex
  void signal() noexcept { eventfd_write(m_event, 1); }
  void start() noexcept {
    m_event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    const blocked_signals guard;
    const auto run_it = [](void* self) -> void* {
      static_cast<agent_link*>(self)->run();
      return nullptr;
    };
    m_runs = m_event >= 0 && pthread_create(&m_thread, nullptr, run_it, this) == 0;
    if (m_runs) {
      pthread_setname_np(m_thread, "treadle-link");
      return;
    }
    m_status.trouble = "no thread for the link to the agent";
    if (m_event >= 0) close(std::exchange(m_event, -1));
  }

  void end() noexcept {
    {
      const std::lock_guard guard(m_mutex);
      m_ends = true;
      if (!std::exchange(m_runs, false)) return;
      signal();
    }
    pthread_join(m_thread, nullptr);
  }

  void run() noexcept {
    try {
      conversation talk(new_program_number(), getpid(), short_name_of_program(), steady_now_ns());
      const auto note = [this](watch which) {
        if (m_watch.load(order::relaxed) == which && m_noted.exchange(1, order::relaxed) == 0) signal();
      };
      const auto parks = events::on<events::worker_parked>([note](const auto&) { note(k_parking); });
      const auto wakes = events::on<events::worker_woken>([note](const auto&) { note(k_waking); });
      while (prepare(talk)) {
        connect(talk);
        if (m_governs_anew && talk.status().is_governed) govern(talk.status().granted);
        if (m_dealer) exchange(talk);
        publish(talk.status());
        wait(talk);
      }
      if (m_dealer) m_dealer->send(to_json(message::bye{}));
    } catch (const std::exception& e) { // a later invitation may find it better
      agent_status failed;
      failed.trouble = e.what();
      publish(failed);
    }
    m_watch.store(k_nothing, order::relaxed);
    replace_dealer(std::nullopt);
    govern(k_not_governed);
    const std::lock_guard guard(m_mutex);
    if (m_ends) return;
    m_runs = false;
    close(std::exchange(m_event, -1));
    pthread_detach(m_thread);
  }

  /// False when the program ends.
  bool prepare(conversation& talk) {
    const std::lock_guard guard(m_mutex);
    if (m_ends) return false;
    m_meets = std::exchange(m_must_meet, false);
    m_governs_anew = std::exchange(m_must_govern, false);
    if (std::exchange(m_must_introduce, false)) talk.introduce(m_wish);
    return true;
  }

  /// Without the mutex: the library is loaded, which may run code of the program.
  void connect(conversation& talk) {
    const std::int64_t alone_ns = steady_now_ns() - talk.alone_since_ns();
    const bool is_alone = talk.alone_since_ns() != k_never_ns;
    if (m_dealer && is_alone && alone_ns > k_alone_ns && !m_address.was_asked_for) replace_dealer(std::nullopt);
    if (!m_dealer && m_meets) {
      replace_dealer(zeromq_dealer(m_address.endpoint, m_address.keys));
      const std::lock_guard guard(m_mutex);
      talk.introduce(m_wish);
    }
    if (is_alone && alone_ns > k_unanswered_ns && m_address.was_asked_for && talk.status().trouble.empty())
      talk.note_trouble("no agent answers at " + m_address.endpoint);
  }
  /// With the mutex only as long as a fork must not see it.
  void replace_dealer(std::optional<zeromq_dealer> by) {
    const std::lock_guard guard(m_mutex);
    m_dealer.swap(by);
  }

  void exchange(conversation& talk) {
    perform(talk.look(steady_now_ns(), look_at_work()));
    while (const std::optional<std::string> text = m_dealer->receive()) {
      try {
        perform(talk.receive(message_from_json(*text), steady_now_ns(), look_at_work()));
      } catch (const std::invalid_argument& e) {
        talk.note_trouble(e.what());
      }
    }
    m_watch.store(!talk.status().is_governed ? k_nothing : talk.said_idle() ? k_waking : k_parking, order::relaxed);
  }

  void perform(const conversation::actions& todo) {
    if (todo.govern) govern(*todo.govern);
    for (const any_message& m : todo.send) m_dealer->send(to_json(m));
  }
  static void govern(unsigned workers) noexcept {
    if (const auto function = g_govern.load(order::relaxed)) function(workers);
  }
  void publish(const agent_status& now) {
    const std::lock_guard guard(m_mutex);
    m_status = now;
  }

  /// Programs whose workers park and wake all the time are looked at now and then only.
  void wait(const conversation& talk) noexcept {
    const std::int64_t now = steady_now_ns();
    const std::int64_t rest = m_last_note_ns + k_need_look_ns - now;
    const std::int64_t until_look = m_dealer ? std::max<std::int64_t>(talk.next_look_ns() - now, 0) : -1;
    const int descriptor = rest > 0 ? -1 : m_event;
    const std::int64_t timeout = rest <= 0 ? until_look : until_look < 0 ? rest : std::min(rest, until_look);
    if (m_dealer) {
      m_dealer->wait(descriptor, timeout);
    } else {
      pollfd events{descriptor, POLLIN, 0};
      poll(&events, 1, timeout < 0 ? -1 : static_cast<int>((timeout + 999'999) / 1'000'000));
    }
    eventfd_t count = 0;
    if (descriptor >= 0 && eventfd_read(m_event, &count) == 0) {
      m_noted.store(0, order::relaxed);
      m_last_note_ns = steady_now_ns();
    }
  }

  yielding_mutex m_mutex; // of the next
  bool m_begun = false, m_runs = false, m_ends = false, m_has_wish = false, m_must_introduce = false,
       m_must_meet = false, m_must_govern = false;
  agent_address m_address;
  core_wish m_wish;
  agent_status m_status;
  int m_event = -1;
  pthread_t m_thread{};
  // Of the thread
  std::optional<zeromq_dealer> m_dealer;
  bool m_meets = false, m_governs_anew = false;
  std::int64_t m_last_note_ns = 0;
  // Of workers that park or wake, too
  atomic<watch> m_watch{k_nothing};
  atomic<std::uint32_t> m_noted{0};
};

} // namespace

void link_to_agent() { agent_link::the().begin(); }

} // namespace detail

void wish_for_cores(const core_wish& wish) { detail::agent_link::the().wish(wish); }
agent_status status_of_agent() { return detail::agent_link::the().status(); }

} // namespace treadle

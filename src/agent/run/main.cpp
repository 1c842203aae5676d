// treadle-run: a command that follows an agent's grants without knowing of it.
#include "agent/grant_page.hpp"
#include "agent/machine.hpp"
#include "agent/process_tree.hpp"
#include "agent_link/conversation.hpp"
#include "agent_link/environment.hpp"
#include "agent_link/wish.hpp"
#include "base/clock.hpp"
#include "observe/programs/invitation.hpp"
#include "observe/programs/page_file.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/state_sources.hpp"

#include <treadle/observe/programs.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

constexpr std::int64_t k_ms = 1'000'000;
constexpr std::int64_t k_look_ns = 100 * k_ms;
constexpr int k_idle_looks = 3;

/// The file of one word that programs under this one map.
class shared_grant {
 public:
  shared_grant() : m_file(program_directory() + "/grant." + std::to_string(getpid())) {
    detail::require_private_directory(program_directory());
    remove_old();
    const detail::posix_file file(open(m_file.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    void* memory = MAP_FAILED;
    if (file && ftruncate(file.get(), sizeof(grant_page)) == 0)
      memory = mmap(nullptr, sizeof(grant_page), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), m_file);
    m_page = static_cast<grant_page*>(memory);
  }
  ~shared_grant() { unlink(m_file.c_str()); }
  shared_grant(const shared_grant&) = delete;
  shared_grant& operator=(const shared_grant&) = delete;

  const std::string& file() const noexcept { return m_file; }
  void set(unsigned threads) noexcept { m_page->threads.store(threads, std::memory_order_relaxed); }

 private:
  /// Those of commands that were killed.
  static void remove_old() {
    for (const auto& one : std::filesystem::directory_iterator(program_directory())) {
      const std::string name = one.path().filename();
      if (!name.starts_with("grant.")) continue;
      const int pid = std::atoi(name.c_str() + 6);
      if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) unlink(one.path().c_str());
    }
  }

  const std::string m_file;
  grant_page* m_page;
};

/// Beside this program, or where the libraries of its installation are.
std::string shim_file() {
  namespace fs = std::filesystem;
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& one : {here / "libtreadle_openmp.so", here / ".." / TREADLE_LIBDIR / "libtreadle_openmp.so"})
    if (fs::exists(one)) return fs::canonical(one).string();
  return "";
}

class command {
 public:
  command(std::vector<std::string> words, core_wish wish)
      : m_words(std::move(words)),
        m_wish(std::move(wish)),
        m_all(own_cpus()),
        m_now(m_all),
        m_talk(detail::new_program_number(), getpid(), std::filesystem::path(m_words[0]).filename().string(),
               detail::steady_now_ns(), true) {
    m_talk.introduce(m_wish);
  }

  /// Its exit code, or 128 and the number of the signal that ended it; 127 when it cannot be started.
  int run() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE})
      sigdelset(&signals, own);
    sigprocmask(SIG_BLOCK, &signals, &m_mask);
    struct sigaction usual{};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &m_child_action); // ignored ones could not be waited for
    prctl(PR_SET_CHILD_SUBREAPER, 1);            // orphans among its processes stay ours
    const detail::posix_file got(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
    if (const int failed = start(); failed != 0) {
      std::fprintf(stderr, "treadle-run: %s: %s\n", m_words[0].c_str(), std::strerror(failed));
      return 127;
    }
    for (;;) {
      look(detail::steady_now_ns());
      wait(got.get());
      for (signalfd_siginfo one; read(got.get(), &one, sizeof one) == sizeof one;) {
        const int number = static_cast<int>(one.ssi_signo);
        if (number == SIGCHLD || one.ssi_code > 0) continue; // the terminal's reach it by themselves
        kill(m_child, number);
        pause(false); // or it would not come
      }
      if (const std::optional<int> code = reap()) {
        leave();
        return *code;
      }
    }
  }

 private:
  /// The command's exit code when it has ended; its orphans are waited for by the way.
  std::optional<int> reap() {
    for (;;) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended == m_child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      if (ended < 0 && errno == ECHILD) return 1; // somebody else has waited for it
      if (ended <= 0) return std::nullopt;
    }
  }
  /// What is left of it is free.
  void leave() {
    if (m_dealer) m_dealer->send(detail::to_json(detail::message::bye{}));
    m_dealer.reset();
    keep(m_all, 0);
  }

  /// 0, or why it could not be executed.
  int start() {
    int told[2];
    if (pipe2(told, O_CLOEXEC) != 0) return errno;
    const std::string shim = shim_file();
    const char* const others = std::getenv("LD_PRELOAD");
    const std::string preload = others && *others && !shim.empty() ? shim + ":" + others : shim;
    std::vector<char*> words;
    for (std::string& one : m_words) words.push_back(one.data());
    words.push_back(nullptr);
    const pid_t parent = getpid();
    m_child = fork();
    if (m_child == 0) {
      sigprocmask(SIG_SETMASK, &m_mask, nullptr);
      sigaction(SIGCHLD, &m_child_action, nullptr);
      prctl(PR_SET_PDEATHSIG, SIGKILL); // ungoverned it would go on with the cores that it has
      if (getppid() != parent) _exit(1);
      setenv(k_grant_page_variable, m_grant.file().c_str(), 1);
      if (!preload.empty()) setenv("LD_PRELOAD", preload.c_str(), 1);
      setenv("TREADLE_AGENT_WISH", detail::to_text(m_wish).c_str(), 1);
      execvp(words[0], words.data());
      const int failed = errno;
      static_cast<void>(!write(told[1], &failed, sizeof failed));
      _exit(127);
    }
    const int failed = m_child < 0 ? errno : 0;
    close(told[1]);
    int said = 0;
    const bool has_said = read(told[0], &said, sizeof said) == sizeof said;
    close(told[0]);
    if (has_said) waitpid(m_child, nullptr, 0);
    return has_said ? said : failed;
  }

  /// One of the processes uses Treadle, and follows the agent itself.
  bool follows_itself() const {
    return std::any_of(m_tree.begin(), m_tree.end(), [](int pid) {
      return bool{detail::page_file::open(detail::page_directory() + '/' + std::to_string(pid))};
    });
  }
  /// The processes of the command, without this one.
  static std::vector<int> processes(const process_table& all = {}) {
    std::vector<int> tree = all.tree(getpid());
    tree.erase(tree.begin());
    return tree;
  }

  void look(std::int64_t now) {
    if (now >= m_next_look_ns) {
      const double seconds = static_cast<double>(now - std::exchange(m_last_look_ns, now)) / 1e9;
      m_next_look_ns = now + k_look_ns;
      const process_table all;
      m_tree = processes(all);
      const double used = all.cpu_s(m_tree);
      const double cores = std::max(used - std::exchange(m_used_s, used), 0.0) / seconds;
      // A tick of the kernel's clock, a tenth of a core here, is less than what a program uses that works, unless it
      // gets no processor.
      m_idle_looks = cores <= 0.1 && !process_table::any_runnable(m_tree) ? m_idle_looks + 1 : 0;
      m_state.workers = static_cast<std::uint32_t>(m_all.size());
      m_state.active = m_idle_looks >= k_idle_looks ? 0 : 1;
      meet();
    }
    if (!m_dealer) return;
    perform(m_talk.look(now, m_state));
    while (const auto text = m_dealer->receive()) {
      try {
        perform(m_talk.receive(detail::message_from_json(*text), now, m_state));
      } catch (const std::invalid_argument&) { // no message
      }
    }
  }

  /// An agent may come at any time; and one of the processes may turn out to follow it itself. Whatever goes wrong with
  /// the agent, the command goes on.
  void meet() try {
    const auto address = detail::address_of_agent();
    const bool there = address && (address->file.empty() || access(address->file.c_str(), F_OK) == 0);
    if (follows_itself()) {
      if (!m_dealer) return;
      m_dealer->send(detail::to_json(detail::message::bye{}));
      m_dealer.reset();
      keep(m_all, 0);
    } else if (there && !m_dealer) {
      m_dealer.emplace(address->endpoint, address->keys);
      m_talk.introduce(m_wish);
    }
  } catch (const std::exception& e) {
    if (!std::exchange(m_has_complained, true)) std::fprintf(stderr, "treadle run: %s\n", e.what());
  }

  void perform(const detail::conversation::actions& todo) {
    if (todo.govern == detail::k_not_governed)
      keep(m_all, 0);
    else if (todo.govern) {
      if (*todo.govern == 0) {
        pause(true);
      } else {
        std::vector<unsigned> mine; // of those that it may have
        std::set_intersection(todo.cpus.begin(), todo.cpus.end(), m_all.begin(), m_all.end(), std::back_inserter(mine));
        keep(mine.empty() ? m_all : mine, *todo.govern);
      }
    }
    for (const detail::any_message& m : todo.send) m_dealer->send(detail::to_json(m));
  }
  void keep(const std::vector<unsigned>& cpus, unsigned threads) {
    pause(false);
    m_grant.set(threads);
    // Once more for those that were begun meanwhile by others that had the old mask.
    for (std::size_t known = 0; known != (m_tree = processes()).size(); known = m_tree.size())
      keep_to(m_tree, m_now, cpus);
    m_now = cpus;
  }
  /// What knows nothing of grants can be stopped as a whole only.
  void pause(bool paused) {
    if (std::exchange(m_paused, paused) == paused) return;
    for (std::size_t known = 0; known != (m_tree = processes()).size(); known = m_tree.size())
      for (const int pid : m_tree) kill(pid, paused ? SIGSTOP : SIGCONT);
  }

  void wait(int signals) noexcept {
    const std::int64_t now = detail::steady_now_ns();
    const std::int64_t next = m_dealer ? std::min(m_next_look_ns, m_talk.next_look_ns()) : m_next_look_ns;
    const std::int64_t left = std::max<std::int64_t>(next - now, 0);
    if (m_dealer) return m_dealer->wait(signals, left);
    pollfd one{signals, POLLIN, 0};
    poll(&one, 1, static_cast<int>((left + k_ms - 1) / k_ms));
  }

  std::vector<std::string> m_words;
  const core_wish m_wish;
  const std::vector<unsigned> m_all; // hardware threads that it may have
  std::vector<unsigned> m_now;
  shared_grant m_grant;
  detail::conversation m_talk;
  std::optional<detail::zeromq_dealer> m_dealer;
  sigset_t m_mask;
  pid_t m_child = -1;
  std::vector<int> m_tree;
  double m_used_s = 0;
  int m_idle_looks = 0;
  detail::program_state m_state{};
  std::int64_t m_next_look_ns = 0, m_last_look_ns = 0;
  struct sigaction m_child_action{};
  bool m_paused = false, m_has_complained = false;
};

} // namespace
} // namespace treadle::agent

int main(int argc, char** argv) {
  CLI::App app(R"(Runs a command under the agent of this user: it, and what it starts, have as many hardware threads as
the agent grants, and parallel regions of OpenMP and calls of OpenBLAS have no more threads than that. Without an agent
it runs as usual; one that comes later is followed. A program that uses Treadle follows the agent itself.)",
               "treadle run");
  treadle::core_wish wish;
  try {
    wish = treadle::detail::wish_of_environment();
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "treadle run: %s\n", e.what());
    return 2;
  }
  std::vector<std::string> words;
  app.add_option("--min", wish.least, "this many cores at a time, or none while others have their turn");
  app.add_option("--max", wish.most, "and no more than that");
  app.add_option("--weight", wish.weight, "relative to others")->capture_default_str();
  app.add_flag("--preferred", wish.is_preferred, "for the strategy half-to-priority");
  app.add_option("--group", wish.group, "programs of one group belong together");
  app.add_option("--role", wish.role, "producer or consumer, in its group");
  app.add_option("command", words, "and its arguments, behind --")->required();
  app.positionals_at_end();
  app.footer("  treadle run --weight 2 -- ./simulation input.dat\n  treadle run --max 4 -- make -j8\n\n"
             "Exit code: that of the command; 128 + N when signal N ended it; 127 when it cannot be started; 2 for "
             "wrong options.");
  try {
    app.parse(argc, argv);
    treadle::detail::check(wish, "options");
    static_cast<void>(treadle::detail::address_of_agent());
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "treadle run: %s\n", e.what());
    return 2;
  }
  try {
    return treadle::agent::command(words, wish).run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "treadle run: %s\n", e.what());
    return 2;
  }
}

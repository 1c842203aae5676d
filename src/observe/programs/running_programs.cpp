#include <treadle/observe/programs.hpp>

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "observe/programs/page_file.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/program_name.hpp"
#include "observe/programs/publisher.hpp"
#include "observe/programs/text.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace treadle {
namespace {

using namespace detail;

struct asked_program {
  page_file page;
  std::uint32_t question;

  /// Whether it has answered this question, or a later one.
  bool has_answered() const noexcept {
    // acquire: pairs with the publisher
    return static_cast<std::int32_t>(page->answered.load(order::acquire) - question) >= 0;
  }
};

program_report report_of(const program_state& state, std::int64_t now_ns) {
  program_report r;
  r.age_ns = std::max<std::int64_t>(now_ns - state.at_ns, 0);
  r.runs_ns = state.at_ns - state.began_ns;
  r.cpu_ns = state.cpu_ns;
  r.workers = state.workers;
  r.granted = state.granted;
  r.active = state.active;
  r.searching = state.searching;
  r.parked = state.parked;
  r.blocked = state.blocked;
  r.queued = state.queued;
  r.executed = state.executed;
  for (const auto& one : state.streams)
    if (one.at_ns != 0) r.streams.push_back({text_of(one.stream), one.value, now_ns - one.at_ns});
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(state.decisions, program_state::k_decisions); ++i) {
    const auto& one = state.in_force[i];
    r.decisions.push_back({text_of(one.kind), text_of(one.instance), text_of(one.chosen)});
  }
  return r;
}

/// The number that a file is called by; 0: it is called something else.
int number_of(const std::string& name) noexcept {
  int pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() ? pid : 0;
}

std::vector<asked_program> ask_all(const std::string& folder) {
  std::vector<asked_program> asked;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const int pid = number_of(file.path().filename());
    if (pid == 0 || pid == getpid()) continue;
    page_file page = page_file::open(file.path());
    if (!page) continue;
    const std::uint32_t question = page->asked.fetch_add(1, order::release) + 1; // pairs with the publisher
    shared_futex_wake(page->asked);
    asked.push_back({std::move(page), question});
  }
  return asked;
}

program_report answer_of(asked_program& to, std::int64_t deadline_ns) {
  while (!to.has_answered()) {
    const std::uint32_t seen = to.page->answered.load(order::relaxed);
    const std::int64_t left = deadline_ns - steady_now_ns();
    if (left <= 0) break;
    if (!to.has_answered()) shared_futex_wait(to.page->answered, seen, left);
  }
  program_state state{};
  const bool answers = to.has_answered() && read_state(*to.page, state);
  if (!answers) static_cast<void>(read_state(*to.page, state)); // the latest there is
  program_report r = report_of(state, steady_now_ns());
  r.answers = answers;
  r.pid = to.page->pid;
  r.name = text_of(to.page->name);
  return r;
}

} // namespace

std::vector<program_report> running_programs(unsigned patience_ms) {
  const std::string folder = program_directory();
  require_private_directory(folder);
  require_private_directory(folder + "/programs");
  std::vector<asked_program> asked = ask_all(folder + "/programs");
  std::vector<program_report> reports;
  const std::int64_t deadline_ns = steady_now_ns() + std::int64_t{patience_ms} * 1'000'000;
  for (asked_program& one : asked) reports.push_back(answer_of(one, deadline_ns));
  if (is_published()) { // a process does not lock out itself
    program_report mine = report_of(present_state(), steady_now_ns());
    mine.answers = true;
    mine.pid = getpid();
    mine.name = name_of_program();
    mine.name.erase(0, mine.name.rfind('/') + 1);
    reports.push_back(std::move(mine));
  }
  std::sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return reports;
}

} // namespace treadle

#include <treadle/observe/programs.hpp>

#include "base/clock.hpp"
#include "base/sync/park.hpp"
#include "observe/programs/invitation.hpp"
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

  /// False when it has not answered this question, or a later one, by then.
  bool answers_by(std::int64_t deadline_ns) const noexcept {
    for (;;) {
      const std::uint32_t answered = page->answered.load(order::acquire); // pairs with the publisher
      if (static_cast<std::int32_t>(answered - question) >= 0) return true;
      const std::int64_t left = deadline_ns - steady_now_ns();
      if (left <= 0) return false;
      shared_futex_wait(page->answered, answered, left);
    }
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

/// The pages of all other programs.
template <class Visit>
void visit_pages(const std::string& folder, Visit visit) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const int pid = number_of(file.path().filename());
    if (pid == 0 || pid == getpid()) continue;
    if (page_file page = page_file::open(file.path())) visit(std::move(page));
  }
}

std::vector<asked_program> ask_all(const std::string& folder) {
  std::vector<asked_program> asked;
  visit_pages(folder, [&](page_file page) {
    const std::uint32_t question = ask(*page);
    asked.push_back({std::move(page), question});
  });
  return asked;
}

program_report answer_of(asked_program& to, std::int64_t deadline_ns) {
  const bool answers = to.answers_by(deadline_ns);
  program_state state{}; // the answer, or the latest there is
  const bool is_whole = read_state(*to.page, state);
  program_report r = report_of(state, steady_now_ns());
  r.answers = answers && is_whole;
  r.pid = to.page->pid;
  r.name = text_of(to.page->name);
  return r;
}

} // namespace

void detail::invite_programs() {
  visit_pages(require_page_directory(), [](page_file page) {
    page->invitations.fetch_add(1, order::relaxed); // ask() publishes it
    ask(*page);
  });
}

std::vector<program_report> running_programs(unsigned patience_ms) {
  std::vector<asked_program> asked = ask_all(require_page_directory());
  std::vector<program_report> reports;
  const std::int64_t deadline_ns = steady_now_ns() + std::int64_t{patience_ms} * 1'000'000;
  for (asked_program& one : asked) reports.push_back(answer_of(one, deadline_ns));
  if (is_published()) { // without its file, whose lock would be lost
    program_report mine = report_of(present_state(), steady_now_ns());
    mine.answers = true;
    mine.pid = getpid();
    mine.name = shown_name_of_program();
    reports.push_back(std::move(mine));
  }
  std::sort(reports.begin(), reports.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return reports;
}

} // namespace treadle

#include "loop/reasons.hpp"

#include "base/fork.hpp"
#include "loop/short_name.hpp"
#include "observe/decision_hooks.hpp"
#include "observe/programs/page.hpp"
#include "observe/programs/state_sources.hpp"
#include "observe/programs/text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

namespace treadle {
namespace loop {
namespace {

struct all_explained final : detail::fork_participant {
  all_explained() { join_forks(); }

  bool try_lock() noexcept override {
    if (!mutex.try_lock()) return false;
    const auto busy = std::find_if(all.begin(), all.end(), [](explained* e) { return !e->try_lock(); });
    if (busy == all.end()) return true;
    std::for_each(all.begin(), busy, [](explained* e) { e->unlock(); });
    mutex.unlock();
    return false;
  }
  void unlock() noexcept override {
    for (explained* e : all) e->unlock();
    mutex.unlock();
  }
  void begin_child() noexcept override {
    the_turns.clear();
    for (explained* e : all) e->begin_child();
  }

  std::mutex mutex;
  std::vector<explained*> all;
  std::vector<decision_report> ended; // what was measured by those that are not there any more; the latest
};
constexpr std::size_t k_ended = 100;
all_explained& registry() {
  static all_explained* r = new all_explained; // never destroyed: decisions may be static objects
  return *r;
}

std::string in_percent(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * ratio);
  return text;
}

/// Of what was measured, cheapest first.
std::string compared(const std::vector<decision_report::alternative>& measured, const std::string& best,
                     bool is_believed) {
  const std::string from = is_believed ? "found by an earlier run; " : "";
  if (measured.empty()) return from + "not measured yet";
  if (measured.size() == 1) return from + "nothing else was tried yet";
  const auto chosen = std::find_if(measured.begin(), measured.end(), [&](const auto& a) { return a.choice == best; });
  const std::string tried = std::to_string(measured.size()) + " were tried; ";
  if (chosen != measured.begin()) return tried + measured.front().choice + " is not surely better";
  return tried + "the next, " + measured[1].choice + ", costs " + in_percent(measured[1].cost / measured[0].cost - 1) +
         " more";
}

/// The decisions in force, for programs such as `treadle top`.
void add_decisions(detail::program_state& to) {
  try {
    for (const decision_report& one : explain()) {
      if (!one.present) continue;
      if (to.decisions++ >= detail::program_state::k_decisions) continue;
      auto& as = to.in_force[to.decisions - 1];
      detail::copy_text(one.kind, as.kind);
      detail::copy_text(one.name, as.instance);
      detail::copy_text(one.chosen, as.chosen);
    }
  } catch (...) { // no memory: those that were added
  }
}

} // namespace

explanation::explanation(explained& of) : m_of(of) {
  all_explained& r = registry();
  const std::lock_guard guard(r.mutex);
  r.all.push_back(&of);
  detail::g_explain_table.store(explain_table, detail::order::relaxed);
  detail::g_add_decisions.store(add_decisions, detail::order::relaxed);
}
void explanation::end() noexcept {
  if (std::exchange(m_ended, true)) return;
  all_explained& r = registry();
  const std::lock_guard guard(r.mutex);
  std::erase(r.all, &m_of);
  try {
    std::vector<decision_report> last;
    m_of.explain(last);
    for (decision_report& one : last) {
      if (one.windows == 0) continue;
      one.present = false;
      if (memory* m = m_of.kept_in()) m->keep(one);
      if (r.ended.size() == k_ended) r.ended.erase(r.ended.begin());
      r.ended.push_back(std::move(one));
    }
  } catch (...) { // no memory
  }
}

std::vector<decision_report> reports_for(const memory& kept_in) {
  std::vector<decision_report> reports;
  all_explained& r = registry();
  const std::lock_guard guard(r.mutex);
  for (explained* one : r.all)
    if (one->kept_in() == &kept_in) one->explain(reports);
  return reports;
}

decision_report report(const decision& made, const context& of, const state& known, const choice_names& names) {
  decision_report r;
  r.kind = detail::k_decision_kinds[static_cast<std::size_t>(made.kind())];
  r.instance = made.instance();
  r.choices = names.all();
  r.context = to_string(of);
  r.trying = known.is_trying();
  r.best = names(known.best());
  r.chosen = r.trying ? names(known.present()) : r.best;
  for (const tuned_point& p : known.records())
    r.measured.push_back({p.at, names(p.at), std::exp(p.mean), std::expm1(p.deviation), p.windows});
  std::sort(r.measured.begin(), r.measured.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  r.why = compared(r.measured, r.best, known.is_believed());
  r.windows = known.windows();
  r.converged = known.converged();
  r.epoch = known.epoch();
  r.deciding_ns = made.deciding_ns();
  r.exploring_ns = known.exploring_ns();
  return r;
}

} // namespace loop

namespace {

/// Short ones, with a number where those of several instances of a kind are the same. `sorted`: by kind and instance.
void give_names(std::vector<decision_report>& sorted) {
  std::set<std::pair<std::string, std::string>> used;
  const decision_report* before = nullptr;
  for (decision_report& r : sorted) {
    if (before && before->kind == r.kind && before->instance == r.instance) {
      r.name = before->name;
    } else {
      r.name = loop::short_name(r.instance);
      for (unsigned number = 2; !used.emplace(r.kind, r.name).second; ++number) {
        const std::string end = " #" + std::to_string(number);
        r.name = loop::short_name(r.instance, loop::k_longest_name - end.size()) + end;
      }
    }
    before = &r;
  }
}

std::vector<decision_report> all_reports(bool also_ended) {
  std::vector<decision_report> reports;
  {
    auto& r = loop::registry();
    const std::lock_guard guard(r.mutex);
    for (loop::explained* one : r.all) one->explain(reports);
    if (also_ended) reports.insert(reports.end(), r.ended.begin(), r.ended.end());
  }
  std::stable_sort(reports.begin(), reports.end(), [](const decision_report& a, const decision_report& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.instance < b.instance;
  });
  give_names(reports);
  return reports;
}

} // namespace

std::vector<decision_report> explain() { return all_reports(false); }

std::string explain_table() {
  std::string table;
  for (const decision_report& r : all_reports(true)) {
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "%7llu  %8.2f  %8.2f  ", static_cast<unsigned long long>(r.windows),
                  r.deciding_ns * 1e-6, r.exploring_ns * 1e-6);
    const std::string context = r.context.empty() ? "" : " [" + r.context + (r.present ? ", now" : "") + "]";
    table += numbers + r.kind + " of " + r.name + context + ": " + r.chosen +
             (r.trying ? " (a try; best: " + r.best + ")" : "") + "; " + r.why + "\n";
  }
  std::string message;
  if (const loop::memory* m = loop::the_memory.load(detail::order::acquire)) message = m->message(); // kept_in()
  if (!message.empty()) message += "\n";
  if (table.empty()) return message + "nothing was decided\n";
  return message + "windows  deciding  exploring  decision: what was chosen; why (times in ms)\n" + table;
}

} // namespace treadle

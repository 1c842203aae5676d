#include <treadle/tune/tuning_store.hpp>

#include "base/fork.hpp"
#include "base/variable.hpp"
#include "control/recall.hpp"
#include "control/store_file.hpp"
#include "observe/decision_hooks.hpp"
#include "observe/periodic.hpp"
#include "observe/programs/program_name.hpp"

#include <treadle/observe/machine.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

namespace treadle {

using loop::record;

namespace {

constexpr std::int64_t k_saving_period_ns = 30'000'000'000;

/// Of all that stores know; for moments only.
detail::fork_safe_mutex& knowledge() {
  static auto& mutex = *new detail::fork_safe_mutex;
  return mutex;
}

detail::store_file::place this_place() {
  const machine_info machine = describe_machine();
  return {detail::name_of_program(), machine.processor + ", " + std::to_string(machine.usable_cores) + " cores"};
}

/// With what earlier runs have measured, or a short run would leave less than it found.
std::vector<tuned_point> all_known(const decision_report& now, const std::vector<tuned_point>& before) {
  std::vector<tuned_point> known;
  for (const auto& m : now.measured)
    known.push_back({m.number, std::log(m.cost), std::log1p(m.deviation), m.windows, m.choice});
  if (now.epoch > 0) return known; // what was before does not hold any more
  for (const tuned_point& old : before) {
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const tuned_point& p) { return p.values == old.values; });
    if (same == known.end()) {
      known.push_back(old);
      continue;
    }
    constexpr unsigned k_most = 1000; // windows: what was long ago does not outweigh everything
    const unsigned weight = std::min(old.windows, k_most);
    same->mean += (old.mean - same->mean) * weight / (weight + same->windows);
    if (weight > same->windows) same->deviation = old.deviation;
    same->windows += weight;
  }
  return known;
}

} // namespace

/// The file is read once, and written by a thread that all stores share: nobody who decides waits for it.
struct tuning_store::contents final : loop::memory, detail::periodic_action {
  explicit contents(std::string path) : file(std::move(path)) {
    for (record& r : file.load(here)) {
      entry& e = all[key_of(r)];
      e.before = r.points;
      e.latest = std::move(r);
    }
    saving.emplace(*this, k_saving_period_ns, detail::helper_thread::writer);
  }
  ~contents() {
    saving.reset();
    save();
  }

  struct entry {
    record latest = {};
    std::vector<tuned_point> before = {}; // of instances that have ended, in this run or an earlier one
    std::uint64_t noted = 0;              // windows of the present instance
    bool is_new = false;                  // for the file
  };
  using key = std::array<std::string, 4>;
  static key key_of(const record& r) { return {r.kind, r.instance, r.choices, r.context}; }

  std::vector<tuned_point> recall(const record& of) const override {
    const std::lock_guard guard(knowledge());
    const auto found = all.find(key_of(of));
    return found == all.end() ? std::vector<tuned_point>() : found->second.latest.points;
  }
  void keep(const decision_report& last) override {
    const std::lock_guard guard(knowledge());
    entry& e = note(last);
    e.before = e.latest.points;
    e.noted = 0;
  }
  std::string message() const override { return file.message(); }
  void act() noexcept override { save(); }

  /// Of instances with the same name, the one that has measured most.
  entry& note(const decision_report& r) {
    entry& e = all[{r.kind, r.instance, r.choices, r.context}];
    if (r.windows > e.noted) {
      e.noted = r.windows;
      e.latest = {r.kind, r.instance, r.choices, r.context, all_known(r, e.before), r.windows, r.epoch, r.converged};
      e.is_new = true;
    }
    return e;
  }

  void save() noexcept {
    try {
      const auto reports = loop::reports_for(*this);
      std::vector<record> records;
      {
        const std::lock_guard guard(knowledge());
        for (const decision_report& r : reports) note(r);
        for (auto& [_, e] : all)
          if (std::exchange(e.is_new, false)) records.push_back(e.latest);
      }
      if (records.empty() || file.save(here, records)) return;
      const std::lock_guard guard(knowledge());
      for (const record& r : records) all.find(key_of(r))->second.is_new = true; // the next time again
    } catch (...) {                                                              // no memory: what is in the file stays
    }
  }

  detail::store_file file;
  const detail::store_file::place here = this_place();
  std::map<key, entry> all;
  std::optional<detail::periodic> saving;
};

std::string tuning_store::standard_path() {
  if (const std::string_view given = detail::variable("TREADLE_STORE"); !given.empty()) return std::string(given);
  std::string state(detail::variable("XDG_STATE_HOME"));
  if (state.empty()) state = std::string(detail::variable("HOME")) + "/.local/state";
  return state + "/treadle/tuning-2.sqlite";
}

tuning_store::tuning_store(std::string path) : m_contents(std::make_unique<contents>(std::move(path))) {}
tuning_store::tuning_store(tuning_store&&) noexcept = default;
tuning_store& tuning_store::operator=(tuning_store&&) noexcept = default;
tuning_store::~tuning_store() = default;

const std::string& tuning_store::path() const noexcept { return m_contents->file.path(); }
std::string tuning_store::message() const { return m_contents->message(); }
void tuning_store::save() { m_contents->save(); }
loop::memory& tuning_store::of_decisions() noexcept { return *m_contents; }

// Of the whole process
// --------------------------------------------------------------------------------------------------------------------

namespace {

/// Never destroyed: decisions live as long as the process.
constinit detail::atomic<tuning_store*> g_store{nullptr};

void save_remembered() {
  if (tuning_store* store = g_store.load(detail::order::acquire)) store->save(); // pairs with remember_decisions()
}

} // namespace

void remember_decisions(const std::string& path) {
  static auto& beginning = *new detail::fork_safe_mutex;
  const std::lock_guard guard(beginning);
  if (g_store.load(detail::order::relaxed)) return;
  auto* const made = new tuning_store(path.empty() ? tuning_store::standard_path() : path);
  g_store.store(made, detail::order::release);                           // pairs with save_remembered()
  loop::the_memory.store(&made->of_decisions(), detail::order::release); // pairs with explained::kept_in()
}

[[maybe_unused]] static const bool g_hooked = [] {
  detail::g_remember.store(remember_decisions, detail::order::relaxed);
  detail::g_save_remembered.store(save_remembered, detail::order::relaxed);
  return true;
}();

std::vector<tuned_point> detail::recall(const loop::explained& asked, const loop::decision& made,
                                        const loop::context& of, const std::string& choices) {
  const loop::memory* from = asked.kept_in();
  if (!from) return {};
  return from->recall(
      {std::string(k_decision_kinds[static_cast<std::size_t>(made.kind())]), made.instance(), choices, to_string(of)});
}

} // namespace treadle

// What all kinds of decisions leave to later runs. A run is the lifetime of a store here.
#include <treadle/tune/tuning_store.hpp>

#include "control/spawn_cost.hpp"
#include "control/store_file.hpp"
#include "control/tuned_grain.hpp"

#include <treadle/async.hpp>
#include <treadle/detail/site.hpp>
#include <treadle/observe/machine.hpp>
#include <treadle/observe/programs.hpp>
#include <treadle/runtime.hpp>
#include <treadle/tune/session.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <filesystem>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace treadle;
using detail::tuned_grain;

class tuning_store_test : public testing::Test {
 protected:
  tuning_store_test() {
    loop::the_turns.clear();
    std::string name = (fs::temp_directory_path() / "treadle_store_XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~tuning_store_test() override { fs::remove_all(folder); }

  /// Everything is remembered in the file while this lives.
  struct run {
    explicit run(const fs::path& folder) : store((folder / "store").string()) {
      EXPECT_EQ(store.message(), "");
      loop::the_memory.store(&store.of_decisions(), detail::order::release);
    }
    ~run() { loop::the_memory.store(nullptr, detail::order::release); }
    tuning_store store;
  };

  fs::path folder;
};

decision_report report_of(const std::string& instance) {
  for (decision_report& r : explain())
    if (r.present && r.instance == instance) return std::move(r);
  return {};
}

/// Costs least at 100 units.
void measure(tuned_grain& tuned, int samples) {
  static std::int64_t now_ns = 1;
  for (int i = 0; i < samples; ++i) {
    const double ns = 1e6 * (1 + std::abs(std::log2(tuned.grain() / 100)));
    now_ns += static_cast<std::int64_t>(ns);
    tuned.done(1000, ns, now_ns);
  }
}

TEST_F(tuning_store_test, a_grain_begins_with_what_was_found) {
  {
    const run first(folder);
    tuned_grain tuned({.name = "loop", .largest = 1e6, .start = 1e5, .budget = 0});
    measure(tuned, 20'000);
    EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 0.5);
  }
  const run second(folder);
  for (const double start : {0.0, 1.0, 3e3, 1e6}) {
    const tuned_grain tuned({.name = "loop", .largest = 1e6, .start = start, .budget = 0});
    EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 0.5) << start; // also where the places are others
  }
  const tuned_grain elsewhere({.name = "another", .largest = 1e6, .start = 3e3});
  EXPECT_NEAR(elsewhere.grain(), 3e3, 1);
  const tuned_grain smaller({.name = "loop", .largest = 5e5, .start = 3e3});
  EXPECT_NEAR(smaller.grain(), 3e3, 1);
}

TEST_F(tuning_store_test, what_does_not_hold_any_more_is_dropped) {
  {
    const run first(folder);
    tuned_grain tuned({.name = "changed", .largest = 1e6, .start = 1e5, .budget = 0});
    measure(tuned, 20'000);
  }
  const run second(folder);
  tuned_grain tuned({.name = "changed", .largest = 1e6, .budget = 0});
  std::int64_t now_ns = 1;
  for (int i = 0; i < 20'000; ++i) { // the greatest is best by now
    const double ns = 1e8 / tuned.grain();
    now_ns += static_cast<std::int64_t>(ns);
    tuned.done(1, ns, now_ns);
  }
  EXPECT_GT(tuned.grain(), 1e5);
}

TEST_F(tuning_store_test, runs_that_are_short_lose_nothing) {
  for (int i = 0; i < 3; ++i) {
    const run one(folder);
    tuned_grain tuned({.name = "short", .largest = 1e6, .start = 1e5, .budget = 0});
    measure(tuned, i == 0 ? 20'000 : 10);
    EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 2); // may be trying another
  }
  const run last(folder);
  const tuned_grain tuned({.name = "short", .largest = 1e6, .start = 1e5});
  EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 0.5);
}

TEST_F(tuning_store_test, an_instance_of_the_same_run_goes_on_where_the_last_one_ended) {
  const run only(folder);
  {
    tuned_grain tuned({.name = "again", .largest = 1e6, .start = 1e5, .budget = 0});
    measure(tuned, 20'000);
  }
  const tuned_grain tuned({.name = "again", .largest = 1e6, .start = 1e5});
  EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 0.5);
}

TEST_F(tuning_store_test, it_is_saved_while_decisions_live) {
  run here(folder);
  tuned_grain tuned({.name = "alive", .largest = 1e6, .start = 1e5, .budget = 0});
  measure(tuned, 20'000);
  here.store.save();
  {
    run other(folder); // as another process would
    const tuned_grain later({.name = "alive", .largest = 1e6, .start = 1e5});
    EXPECT_NEAR(std::log2(later.grain() / 100), 0, 0.5);
  }
}

/// A place for which both ways are tried, because its cost does not tell.
decision_report report_of_place(const std::string& name) {
  static std::deque<detail::site> places; // a place lives as long as the program
  auto& place = places.emplace_back();
  const auto cost = detail::present_spawn_cost();
  for (int i = 0; i < 20; ++i) {
    place.begin_sample({name.data(), name.size()});
    place.record(cost.fitting_ns(), false);
  }
  return report_of(name);
}

TEST_F(tuning_store_test, a_place_begins_with_what_was_found) {
  const runtime rt({.workers = 2});
  {
    const run first(folder);
    static_cast<void>(async([] { return report_of_place("first place"); }).get());
  }
  for (const char* best : {"task", "inline"}) {
    const std::string name = std::string("place, ") + best;
    {
      run before(folder);
      decision_report known;
      known.kind = "inlining";
      known.instance = name;
      known.choices = "task, inline";
      known.context = "2 workers";
      for (std::uint64_t i = 0; i < 2; ++i) {
        const std::string choice = i == 0 ? "task" : "inline";
        known.measured.push_back({i, choice, choice == best ? 1000.0 : 1500.0, 0.1, 50});
      }
      known.windows = 100;
      before.store.of_decisions().keep(known);
    }
    const run now(folder);
    const decision_report r = async([&] { return report_of_place(name); }).get();
    EXPECT_EQ(r.chosen, best) << r.why;
  }
}

TEST_F(tuning_store_test, stores_that_cannot_be_used_change_nothing) {
  tuning_store nowhere("/proc/treadle/tuning.sqlite");
  EXPECT_NE(nowhere.message(), "");
  loop::the_memory.store(&nowhere.of_decisions(), detail::order::release);
  EXPECT_NE(explain_table().find("/proc/treadle"), std::string::npos) << explain_table();
  {
    tuned_grain tuned({.name = "nowhere", .largest = 1e6, .start = 1e5, .budget = 0});
    measure(tuned, 20'000);
    EXPECT_NEAR(std::log2(tuned.grain() / 100), 0, 0.5);
    nowhere.save();
  }
  loop::the_memory.store(nullptr, detail::order::release);
}

TEST_F(tuning_store_test, a_session_may_have_a_store_of_its_own) {
  {
    const run everything(folder);
    tuning_store own((folder / "own").string());
    knob<int> k("own", steps(0, 9), 0);
    session tuning("own", {.window_ns = 0, .budget = 0}, k);
    tuning.remember_in(own);
    for (int i = 0; i < 500; ++i) tuning.next().report(10 + std::abs(k - 6));
  }
  const auto sessions_in = [&](const char* name) {
    detail::store_file file((folder / name).string());
    const machine_info machine = describe_machine();
    return file
        .load({fs::read_symlink("/proc/self/exe").filename().string(),
               machine.processor + ", " + std::to_string(machine.usable_cores) + " cores"})
        .size();
  };
  EXPECT_EQ(sessions_in("store"), 0u);
  EXPECT_EQ(sessions_in("own"), 1u);
}

TEST_F(tuning_store_test, programs_of_an_interpreter_are_kept_apart_by_the_names_they_are_given) {
  const auto start_of = [&](const char* program) {
    detail::name_program(program);
    const run now(folder);
    tuned_grain tuned({.name = "loop", .largest = 1e6, .start = 1e5, .budget = 0});
    const double start = tuned.grain();
    measure(tuned, 20'000);
    return start;
  };
  EXPECT_NEAR(start_of("/scripts/a.py"), 1e5, 1);
  EXPECT_NEAR(start_of("/scripts/b.py"), 1e5, 1);
  EXPECT_NEAR(start_of(""), 1e5, 1);
  EXPECT_NEAR(std::log2(start_of("/scripts/a.py") / 100), 0, 0.5);
  detail::name_program("");
}

TEST_F(tuning_store_test, the_option_without_a_file_means_the_standard_one) {
  const std::string file = (folder / "standard.sqlite").string();
  const auto program = [&] {
    setenv("TREADLE_STORE", file.c_str(), 1);
    {
      const runtime rt({.workers = 2, .remember = ""});
    }
    std::_Exit(fs::exists(file) ? 3 : 4);
  };
  EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST_F(tuning_store_test, the_standard_place_follows_the_environment) {
  setenv("TREADLE_STORE", "/somewhere/else", 1);
  EXPECT_EQ(tuning_store::standard_path(), "/somewhere/else");
  unsetenv("TREADLE_STORE");
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(tuning_store::standard_path(), "/state/treadle/tuning-2.sqlite");
  unsetenv("XDG_STATE_HOME");
  EXPECT_TRUE(tuning_store::standard_path().ends_with("/.local/state/treadle/tuning-2.sqlite"));
}

} // namespace

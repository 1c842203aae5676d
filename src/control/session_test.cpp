#include <treadle/tune/session.hpp>

#include "control/refusal.hpp"
#include "control/session_fixture.hpp"

#include <treadle/observe/counters.hpp>
#include <treadle/observe/trace.hpp>
#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

namespace {

using treadle::k_simulated;
using treadle::knob;
using treadle::message_of;
using treadle::powers_of_two;
using treadle::search_strategy;
using treadle::session;
using treadle::steps;
using treadle::trial;

class session_test : public treadle::session_fixture {};

double read(const char* counter) { return treadle::counters::counter(counter).value(); } // once there is a session

TEST_F(session_test, finds_the_cheapest_values) {
  knob<int> grain("grain", powers_of_two(1, 1024), 1);
  knob<int> batch("batch", steps(1, 8), 1);
  session tuning("test", k_simulated, grain, batch);
  for (int i = 0; i < 4000; ++i) {
    trial t = tuning.next();
    t.report(1 + std::abs(std::log2(grain.get()) - 6) * 0.2 + std::abs(batch.get() - 3) * 0.2);
  }
  EXPECT_EQ(tuning.look().best, "64, 3");
  EXPECT_EQ(tuning.look().windows, 4000u);
  EXPECT_GT(tuning.look().tuner_ns, 0);
  EXPECT_FALSE(tuning.look().known.empty());
}

TEST_F(session_test, keeps_contexts_apart) {
  knob<int> k("k", steps(0, 9), 5);
  session tuning("test", k_simulated, k);
  for (int i = 0; i < 1000; ++i) {
    for (const int best : {2, 7}) {
      trial t = tuning.next(best == 2 ? "small" : "large");
      t.report(1 + 0.3 * std::abs(k.get() - best));
    }
  }
  EXPECT_EQ(tuning.look("small").best, "2");
  EXPECT_EQ(tuning.look("large").best, "7");
  EXPECT_EQ(tuning.look("unknown").windows, 0u);
}

TEST_F(session_test, refuses_a_knob_that_another_one_has) {
  knob<int> a("a", steps(0, 3), 0), b("b", steps(0, 3), 0);
  {
    session first("first", k_simulated, a);
    const auto message = message_of([&] { session second("second", k_simulated, b, a); });
    EXPECT_NE(message.find("'second'"), std::string::npos) << message;
    EXPECT_NE(message.find("'first'"), std::string::npos) << message;
    EXPECT_NE(message.find("'a'"), std::string::npos) << message;
    session third("third", k_simulated, b); // was given back
  }
  session again("again", k_simulated, a, b);
}

TEST_F(session_test, refuses_options_that_mean_nothing) {
  knob<int> k("k", steps(0, 999), 0);
  EXPECT_NE(message_of([&] { session s("", k_simulated, k); }), "no error");
  EXPECT_NE(message_of([&] { session s("s", {.budget = std::nan("")}, k); }), "no error");
  EXPECT_NE(message_of([&] { session s("s", {.window_ns = -1}, k); }), "no error");
  const auto message = message_of([&] { session s("s", {.repeats = 0}, k); });
  EXPECT_NE(message.find("'s'"), std::string::npos) << message;
  session fine("s", {}, k);
}

TEST_F(session_test, a_trial_without_a_report_says_nothing) {
  knob<int> k("k", steps(0, 3), 0);
  session tuning("test", k_simulated, k);
  const double voids = read("/tuning/count/voids");
  {
    const trial t = tuning.next();
  }
  for (const double cost : {std::nan(""), -1.0, 0.0, HUGE_VAL}) tuning.next().report(cost);
  tuning.next().report_time(0);
  EXPECT_EQ(tuning.look().voids, 6u);
  EXPECT_EQ(tuning.look().windows, 0u);
  EXPECT_EQ(read("/tuning/count/voids"), voids + 6);
  try {
    trial t = tuning.next();
    throw std::runtime_error("the work has failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(tuning.look().voids, 7u);
}

TEST_F(session_test, overlapping_trials_are_one_and_other_contexts_say_nothing) {
  knob<int> k("k", steps(0, 3), 0);
  session tuning("test", k_simulated, k);
  trial a = tuning.next();
  const int value = k;
  trial b = tuning.next();
  trial c = tuning.next("elsewhere");
  EXPECT_EQ(k, value);
  c.report(1);
  b.report(1);
  a.report(1);
  EXPECT_EQ(tuning.look().windows, 2u);
  EXPECT_EQ(tuning.look("elsewhere").windows, 0u);
}

TEST_F(session_test, measures_time_itself) {
  knob<int> k("k", steps(0, 3), 3);
  session tuning("test", {.how = search_strategy::exhaustive, .window_ns = 0, .budget = 0}, k);
  while (!tuning.look().converged) {
    trial t = tuning.next();
    std::this_thread::sleep_for(std::chrono::milliseconds(k == 1 ? 1 : 10));
    t.report_time(2);
  }
  EXPECT_EQ(tuning.look().best, "1");
  EXPECT_GE(std::exp(tuning.look().known.front().mean), 0.0005);
}

/// Ends with a trial of something bad in the knob.
void search_until_it_tries(session& tuning, const knob<int>& k, int best) {
  for (int i = 0; i < 10'000'000; ++i) { // it may have to wait for its turn
    trial t = tuning.next();
    if (k != best && tuning.look().best == std::to_string(best) && tuning.look().trying) return;
    t.report(1 + std::abs(k - best));
  }
  FAIL() << "it never tries";
}

TEST_F(session_test, leaves_the_best_behind) {
  knob<int> k("k", steps(0, 9), 0);
  {
    session tuning("test", k_simulated, k);
    search_until_it_tries(tuning, k, 4);
    trial open = tuning.next();
    EXPECT_NE(k, 4);
    const auto windows = tuning.look().windows;
    tuning.pause();
    EXPECT_EQ(k, 4);
    open.report(1); // of something else
    EXPECT_EQ(tuning.look().windows, windows);
    tuning.resume();
    search_until_it_tries(tuning, k, 4);
    EXPECT_NE(k, 4);
  }
  EXPECT_EQ(k, 4);
}

TEST_F(session_test, leaves_the_best_also_where_the_program_has_set_another_value) {
  knob<int> k("k", steps(0, 9), 0);
  {
    session tuning("test", k_simulated, k);
    for (int i = 0; i < 500; ++i) {
      trial t = tuning.next();
      t.report(1 + 0.1 * std::abs(k - 4));
    }
    k.set(2);
    tuning.pause();
    EXPECT_EQ(k, 4);
    k.set(3);
  }
  EXPECT_EQ(k, 4);
}

TEST_F(session_test, pauses_with_the_best) {
  knob<int> k("k", steps(0, 9), 0);
  session tuning("test", k_simulated, k);
  const auto work = [&] {
    trial t = tuning.next();
    t.report(1 + 0.1 * std::abs(k - 4));
  };
  for (int i = 0; i < 500; ++i) work();
  tuning.pause();
  for (int i = 0; i < 500; ++i) {
    work();
    ASSERT_EQ(k, 4);
  }
  tuning.resume();
  std::set<int> seen;
  for (int i = 0; i < 500; ++i) {
    work();
    seen.insert(k);
  }
  EXPECT_GT(seen.size(), 1u);
}

TEST_F(session_test, pauses_and_resumes_while_trials_overlap) {
  knob<int> k("k", steps(0, 9), 0);
  session tuning("test", k_simulated, k);
  trial open = tuning.next();
  const auto work = [&] {
    trial next = tuning.next();
    open.report(1 + 0.1 * std::abs(k - 4));
    open = std::move(next);
  };
  for (int i = 0; i < 500; ++i) work();
  tuning.pause();
  tuning.resume();
  const auto windows = tuning.look().windows;
  for (int i = 0; i < 100; ++i) work();
  EXPECT_GT(tuning.look().windows, windows);
}

TEST_F(session_test, pauses_all_contexts) {
  knob<int> k("k", steps(0, 9), 0);
  session tuning("test", {.window_ns = 0, .repeats = 3, .budget = 0}, k);
  while (!tuning.look("a").trying) tuning.next("a").report(1 + 0.1 * std::abs(k - 4));
  tuning.next("a").report(2); // the first of three samples
  tuning.next("b").report(1);
  tuning.pause();
  static_cast<void>(tuning.next("a"));
  EXPECT_EQ(k, std::stoi(tuning.look("a").best));
}

TEST_F(session_test, pauses_while_it_installs) { // as another thread may
  knob<int> k("k", steps(0, 9), 0), other("other", steps(0, 9), 0);
  session tuning("test", k_simulated, k, other);
  bool pauses = false;
  k.on_change([&](int) {
    if (std::exchange(pauses, false)) tuning.pause();
  });
  for (int i = 0; i < 300; ++i) tuning.next().report(1 + 0.1 * std::abs(k - 4) + 0.1 * std::abs(other - 4));
  pauses = true;
  while (pauses) tuning.next().report(1 + 0.1 * std::abs(k - 4) + 0.1 * std::abs(other - 4));
  EXPECT_EQ(std::to_string(k.get()) + ", " + std::to_string(other.get()), tuning.look().best);
}

TEST_F(session_test, sets_all_knobs_though_one_is_refused) {
  knob<int> k("k", steps(0, 9), 0), other("other", steps(0, 9), 0);
  session tuning("test", k_simulated, k, other);
  bool refuses = false;
  k.on_change([&](int) {
    if (refuses) throw std::runtime_error("not now");
  });
  const auto work = [&] { tuning.next().report(1 + 0.1 * std::abs(k - 4) + 0.1 * std::abs(other - 4)); };
  for (int i = 0; i < 300 || !tuning.look().trying; ++i) work();
  refuses = true;
  tuning.pause();
  EXPECT_EQ(std::to_string(k.get()) + ", " + std::to_string(other.get()), tuning.look().best);
  refuses = false;
  tuning.resume();
  work();
  refuses = true;
  const auto until_refused = [&] {
    for (;;) work();
  };
  EXPECT_THROW(until_refused(), std::runtime_error);
  refuses = false;
  const auto windows = tuning.look().windows;
  work();
  EXPECT_EQ(tuning.look().windows, windows + 1);
}

TEST_F(session_test, tells_when_it_begins_again) {
  knob<int> k("k", steps(0, 5), 0);
  session tuning("test", k_simulated, k);
  int told = 0;
  const treadle::rule watching = treadle::on("tuning reopened", [&](const treadle::events::custom&) { ++told; });
  const double before = read("/tuning/count/reopenings");
  for (int i = 0; i < 1000; ++i) {
    trial t = tuning.next();
    t.report(i < 500 ? 1 : 5);
  }
  EXPECT_EQ(tuning.look().epoch, 1u);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(read("/tuning/count/reopenings"), before + 1);
}

TEST_F(session_test, a_trace_names_what_is_tried_and_chosen) {
  treadle::trace recorded;
  knob<int> k("k", steps(1, 2), 2);
  session tuning("traced", k_simulated, k);
  for (int i = 0; i < 20; ++i) {
    trial t = tuning.next();
    t.report(k.get());
  }
  const std::string text = recorded.text("json");
  EXPECT_NE(text.find("session of traced tries: 1"), std::string::npos);
  EXPECT_NE(text.find("session of traced changes to: 1"), std::string::npos);
}

TEST_F(session_test, a_program_may_set_its_knobs_from_what_they_tell) {
  knob<int> k("k", steps(0, 9), 0);
  session tuning("test", k_simulated, k);
  k.on_change([&](int) { static_cast<void>(tuning.look()); }); // no lock is held
  for (int i = 0; i < 100; ++i) tuning.next().report(1);
}

TEST_F(session_test, what_somebody_else_has_set_is_not_measured) {
  knob<int> k("somebody's", steps(0, 9), 5);
  session tuning("test", k_simulated, k);
  for (int i = 0; i < 200; ++i) {
    trial now = tuning.next();
    if (i % 2 == 0) k.set(9);
    now.report(1.0 + std::abs(k - 3));
  }
  EXPECT_EQ(tuning.look().best, "3");
  EXPECT_GE(tuning.look().voids, 90u);
  for (const treadle::tuned_point& p : tuning.look().known)
    EXPECT_NEAR(std::exp(p.mean), 1.0 + std::abs(static_cast<double>(p.at) - 3), 1e-6) << p.values;
  EXPECT_EQ(message_of([] { treadle::set_knob("somebody's", "2"); }), "knob 'somebody's' is set by session 'test'");
}

TEST_F(session_test, may_end_before_its_trials) {
  trial left;
  {
    knob<int> k("k", steps(0, 9), 0);
    session tuning("ended early", k_simulated, k);
    for (int i = 0; i < 10; ++i) tuning.next().report(1);
    left = tuning.next();
  }
  EXPECT_NE(treadle::explain_table().find("session of ended early"), std::string::npos);
  left.report(1);
}

TEST_F(session_test, another_context_is_not_held_up_by_trials_of_one_that_is_left) {
  knob<int> k("k", steps(0, 9), 0);
  session tuning("test", k_simulated, k);
  trial forgotten = tuning.next("first");
  trial open = tuning.next("second");
  for (int i = 0; i < 10'000 && tuning.look("second").windows < 100; ++i) {
    trial next = tuning.next("second");
    open.report(1 + k);
    open = std::move(next);
    if (i == 10) forgotten = {};
  }
  EXPECT_GE(tuning.look("second").windows, 100u);
}

TEST_F(session_test, keeps_numbers_of_workers_apart_and_loses_nothing) {
  knob<int> k("k", steps(0, 9), 5);
  session tuning("test", k_simulated, k);
  const auto with_workers = [&](unsigned workers, int best, int trials) {
    const treadle::runtime runtime({.workers = workers});
    for (int i = 0; i < trials; ++i) tuning.next("n").report(1 + 0.3 * std::abs(k.get() - best));
  };
  const auto found = [&] { return tuning.look("n").best; };
  while (found() != "7") with_workers(2, 7, 100); // tells what it knows though the runtime has ended
  while (found() != "2") with_workers(1, 2, 100);
  const treadle::runtime runtime({.workers = 2});
  EXPECT_EQ(found(), "7");
}

TEST_F(session_test, a_number_of_workers_that_comes_back_brings_back_what_was_found) {
  knob<int> k("k", steps(0, 9), 5);
  session tuning("test", k_simulated, k);
  treadle::runtime runtime({.workers = 2});
  const auto tune_for = [&](const char* best) {
    while (tuning.look("n").best != best) tuning.next("n").report(1 + 0.3 * std::abs(k.get() - std::stoi(best)));
  };
  tune_for("7");
  runtime.set_concurrency(1);
  tune_for("2");
  const auto windows = tuning.look("n").windows;
  for (int i = 0; i < 10; ++i) {
    runtime.set_concurrency(2);
    EXPECT_EQ(tuning.look("n").best, "7");
    runtime.set_concurrency(1);
    EXPECT_EQ(tuning.look("n").best, "2");
    EXPECT_EQ(tuning.look("n").windows, windows);
  }
  runtime.set_concurrency(2);
  tuning.pause();
  tuning.next("n").report(1); // the first one already
  EXPECT_EQ(k.get(), 7);
}

TEST_F(session_test, threads_share_it) {
  knob<int> k("k", steps(0, 15), 0);
  session tuning("test", k_simulated, k);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 3000; ++i) {
        trial one = tuning.next(i % 3 == 0 ? "a" : "b");
        one.report(1 + 0.1 * k.get());
      }
    });
  }
  for (auto& t : threads) t.join();
  const auto a = tuning.look("a"), b = tuning.look("b");
  EXPECT_LE(a.windows + b.windows, 12'000u);
  EXPECT_GT(a.windows + b.windows, 0u); // those that overlap one of the other context say nothing
}

TEST_F(session_test, trials_that_overlap_do_not_stop_the_search) {
  knob<int> k("k", steps(0, 9), 9);
  session tuning("test", {.how = search_strategy::exhaustive, .window_ns = 0, .budget = 0}, k);
  trial open = tuning.next();
  std::set<int> seen;
  for (int i = 0; i < 40; ++i) {
    trial next = tuning.next();
    open.report(1 + k);
    seen.insert(k);
    open = std::move(next);
  }
  EXPECT_EQ(seen.size(), 10u);
  const trial forgotten = tuning.next();
  for (int i = 0; i < 40; ++i) tuning.next().report(1 + k);
  EXPECT_EQ(k.get(), 0);
}

TEST_F(session_test, values_that_hardly_differ_look_different) {
  const knob<double> k("k", treadle::one_of({1e-7, 2e-7}), 1e-7);
  EXPECT_NE(k.text(0), k.text(1));
}

TEST_F(session_test, only_one_tries_at_a_time_and_turns_go_round) {
  knob<int> a("a", steps(0, 9), 0), b("b", steps(0, 9), 0);
  session first("first", {.how = search_strategy::exhaustive, .window_ns = 0, .budget = 0}, a);
  session second("second", {.how = search_strategy::exhaustive, .window_ns = 0, .budget = 0}, b);
  int first_tried = 0, second_tried = 0;
  for (int i = 0; i < 100; ++i) {
    trial x = first.next(), y = second.next();
    const bool first_tries = first.look().trying, second_tries = second.look().trying;
    EXPECT_FALSE(first_tries && second_tries);
    first_tried += first_tries;
    second_tried += second_tries;
    x.report(1 + a);
    y.report(2 + b);
  }
  EXPECT_GE(first_tried, 8);
  EXPECT_GE(second_tried, 8);
}

TEST_F(session_test, remembers) {
  std::string folder = (std::filesystem::temp_directory_path() / "treadle_session_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/tuning.sqlite";
  const auto cost = [](int k) { return 1 + 0.2 * std::abs(k - 6); };
  {
    treadle::tuning_store store(path);
    knob<int> k("k", steps(0, 9), 0);
    session tuning("test", k_simulated, k);
    tuning.remember_in(store);
    for (int i = 0; i < 500; ++i) tuning.next("here").report(cost(k));
    EXPECT_EQ(tuning.look("here").best, "6");
  }
  {
    treadle::tuning_store store(path);
    EXPECT_EQ(store.message(), "");
    knob<int> k("k", steps(0, 9), 0);
    session tuning("test", k_simulated, k);
    tuning.remember_in(store);
    trial t = tuning.next("here");
    EXPECT_EQ(k, 6);
    t.report(cost(k));
    trial other = tuning.next("elsewhere"); // nothing is known there: begins with what the knob has
    EXPECT_EQ(tuning.look("elsewhere").windows, 0u);
  }
  {
    treadle::tuning_store store(path);
    knob<int> k("k", steps(0, 9), 0);
    session tuning("test", k_simulated, k);
    tuning.remember_in(store);
    static_cast<void>(tuning.next("here")); // a run that is too short to learn anything
  }
  {
    treadle::tuning_store store(path);
    knob<int> k("k", steps(0, 9), 0);
    session tuning("test", k_simulated, k);
    tuning.remember_in(store);
    static_cast<void>(tuning.next("here"));
    EXPECT_EQ(k, 6);
  }
  std::filesystem::remove_all(folder);
}

} // namespace

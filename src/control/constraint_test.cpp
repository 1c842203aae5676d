// Sessions of which not all combinations are allowed.
#include "control/refusal.hpp"
#include "loop/turns.hpp"
#include "observe/knob_list.hpp"

#include <treadle/runtime.hpp>
#include <treadle/tune/explain.hpp>
#include <treadle/tune/session.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace {

using namespace std::chrono_literals;
using treadle::knob;
using treadle::message_of;
using treadle::one_of;
using treadle::search_strategy;
using treadle::session;
using treadle::steps;
using treadle::trial;

/// Costs that take no time: each sample is a window, and tries cost nothing.
const treadle::search_options k_simulated{.window_ns = 0, .budget = 0};

constexpr search_strategy k_all[] = {search_strategy::local_ucb, search_strategy::exhaustive, search_strategy::random,
                                     search_strategy::nelder_mead, search_strategy::parallel_rank_order};

/// Nobody that an earlier test has left waits for a turn.
class constraint_test : public testing::Test {
 protected:
  constraint_test() { treadle::loop::the_turns.clear(); }

  double cost() const { return 1 + 0.1 * std::abs(a - 7) + 0.1 * std::abs(b - 5); }
  void work(session& tuning, int trials, const char* context = "") {
    for (int i = 0; i < trials; ++i) {
      trial t = tuning.next(context);
      ASSERT_LE(a + b, most);
      t.report(cost());
    }
  }

  int most = 9;
  knob<int> a{"a", steps(0, 9), 0}, b{"b", steps(0, 9), 0};
};

TEST_F(constraint_test, the_cheapest_allowed_values_are_found_by_all_searches) {
  for (const auto how : k_all) {
    a.set(0);
    b.set(0);
    session tuning(
        "test", {.how = how, .window_ns = 0, .budget = 0}, [&](int x, int y) { return x + y <= most; }, a, b);
    work(tuning, 1000);
    const auto status = tuning.look();
    EXPECT_LE(status.best_choices[0] + status.best_choices[1], 9u) << treadle::to_string(how);
    if (how == search_strategy::local_ucb || how == search_strategy::exhaustive) {
      EXPECT_EQ(status.best_choices[0] + status.best_choices[1], 9u) << status.best;
      EXPECT_LE(status.best_choices[1], 5u) << status.best;
    }
    for (const auto& known : status.known) EXPECT_LE(known.at % 10 + known.at / 10, 9u);
  }
}

TEST_F(constraint_test, a_sum_that_must_be_kept_is_searched_along) {
  session tuning("test", k_simulated, [](int x, int y) { return x + y == 9; }, a, b);
  for (int i = 0; i < 500; ++i) {
    trial t = tuning.next();
    ASSERT_EQ(a + b, 9);
    t.report(1 + std::abs(a - 6));
  }
  EXPECT_EQ(tuning.look().best, "6, 3");
}

TEST_F(constraint_test, knobs_of_all_types_are_told_as_values) {
  enum class way : std::uint8_t { first, second };
  knob<double> x("x", steps(0.5, 2.5), 0.5);
  knob<bool> y("y", one_of({false, true}), false);
  knob<way> z("z", one_of({way::first, way::second}), way::first);
  session tuning(
      "test", k_simulated, [](double u, bool v, way w) { return u < 2 && (!v || w == way::second); }, x, y, z);
  for (int i = 0; i < 500; ++i) {
    trial t = tuning.next();
    ASSERT_TRUE(x < 2.0 && (!y || z == way::second));
    t.report(10 - x - (y ? 1 : 0) - (z == way::first ? 0.5 : 0));
  }
  EXPECT_EQ(tuning.look().best, "1.5, 1, 1");
}

TEST_F(constraint_test, begins_with_the_nearest_allowed_values) {
  a.set(9);
  b.set(2);
  most = 9;
  session tuning("test", k_simulated, [&](int x, int y) { return x + y <= most && y >= 2; }, a, b);
  trial t = tuning.next();
  EXPECT_EQ(a, 7);
  EXPECT_EQ(b, 2);
}

TEST_F(constraint_test, what_nothing_meets_is_refused_by_name) {
  session tuning("farm", k_simulated, [&](int x, int y) { return x + y > 18 - most; }, a, b);
  most = -1;
  const auto message = message_of([&] { static_cast<void>(tuning.next()); });
  for (const char* part : {"'farm'", "'a' (0 to 9", "'b' (0 to 9"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(a, 0);
  EXPECT_TRUE(tuning.look().best.empty());
  most = 9;
  static_cast<void>(tuning.next()); // now there is something
  EXPECT_GT(a + b, 9);
}

TEST_F(constraint_test, a_large_space_without_an_allowed_point_nearby_asks_for_one) {
  knob<int> x("x", steps(0, 99'999), 0), y("y", steps(0, 99'999), 0);
  session tuning("large", k_simulated, [](int u, int v) { return u == v + 60'000; }, x, y);
  const auto message = message_of([&] { static_cast<void>(tuning.next()); });
  for (const char* part : {"'large'", "'x' = 0", "'y' = 0", "set the knobs"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  x.set(60'100);
  y.set(100);
  static_cast<void>(tuning.next());
  EXPECT_EQ(x - y, 60'000);
}

TEST_F(constraint_test, values_that_the_user_has_given_take_part) {
  treadle::detail::give_knob("TREADLE_KNOB", "constraint.given", "6");
  knob<int> given("constraint.given", steps(0, 9), 0);
  {
    session tuning("test", k_simulated, [&](int x, int y) { return x + y <= 9; }, given, b);
    for (int i = 0; i < 300; ++i) {
      trial t = tuning.next();
      ASSERT_EQ(given, 6);
      ASSERT_LE(b, 3);
      t.report(cost());
    }
    EXPECT_EQ(tuning.look().best, "6, 3");
  }
  session impossible("impossible", k_simulated, [&](int x, int) { return x <= 5; }, given, b);
  const auto message = message_of([&] { static_cast<void>(impossible.next()); });
  EXPECT_NE(message.find("'constraint.given' = 6 (given by the user)"), std::string::npos) << message;
}

TEST_F(constraint_test, may_change) {
  session tuning("test", k_simulated, [&](int x, int y) { return x + y <= most; }, a, b);
  work(tuning, 500);
  for (const int now : {3, 12, 0, 5}) {
    most = now;
    work(tuning, 1000);
    const auto best = tuning.look().best_choices;
    EXPECT_EQ(static_cast<int>(best[0] + best[1]), now);
  }
}

TEST_F(constraint_test, may_change_under_every_search) {
  for (const auto how : k_all) {
    most = 9;
    session tuning(
        "test", {.how = how, .window_ns = 0, .budget = 0}, [&](int x, int y) { return x + y <= most; }, a, b);
    for (const int now : {9, 3, 12, 0, 5}) {
      most = now;
      work(tuning, 20); // in the middle of a search
      most = now + 1;
      work(tuning, 1000);
      const auto best = tuning.look().best_choices;
      EXPECT_LE(static_cast<int>(best[0] + best[1]), most) << treadle::to_string(how);
    }
  }
}

TEST_F(constraint_test, is_a_function_of_all_knobs) {
  const auto of_one = [](int) { return true; };
  const auto of_two = [](int, double) { return true; };
  const auto of_text = [](const char*, int) { return true; };
  using knobs = knob<int>&;
  static_assert(
      !std::is_constructible_v<session, const char*, treadle::search_options, decltype(of_one), knobs, knobs>);
  static_assert(
      !std::is_constructible_v<session, const char*, treadle::search_options, decltype(of_text), knobs, knobs>);
  static_assert(std::is_constructible_v<session, const char*, treadle::search_options, decltype(of_two), knobs, knobs>);
}

TEST_F(constraint_test, one_that_throws_is_heard_and_nothing_is_chosen) {
  bool fails = true;
  session tuning(
      "test", k_simulated,
      [&](int x, int y) {
        if (fails) throw std::runtime_error("not now");
        return x + y <= most;
      },
      a, b);
  EXPECT_THROW(static_cast<void>(tuning.next()), std::runtime_error);
  EXPECT_TRUE(tuning.look().best.empty());
  fails = false;
  work(tuning, 300);
  const int x = a, y = b;
  fails = true;
  for (int i = 0; i < 3; ++i) EXPECT_THROW(static_cast<void>(tuning.next()), std::runtime_error);
  tuning.pause(); // cannot know whether the best is allowed
  EXPECT_EQ(a, x);
  EXPECT_EQ(b, y);
  tuning.resume();
  EXPECT_EQ(tuning.look().windows, 300u);
  fails = false;
  work(tuning, 300);
  EXPECT_EQ(tuning.look().windows, 600u);
  EXPECT_EQ(tuning.look().voids, 0u);
  fails = true; // also while the session ends
}

TEST_F(constraint_test, what_the_search_leaves_behind_is_allowed_then) {
  session tuning("test", k_simulated, [&](int x, int y) { return x + y <= most; }, a, b);
  work(tuning, 500);
  most = 4;
  tuning.pause();
  EXPECT_LE(a + b, 4);
  tuning.resume();
  work(tuning, 500);
  most = 2;
  {
    const session ended(std::move(tuning));
  }
  EXPECT_LE(a + b, 2);
}

TEST_F(constraint_test, what_is_in_the_knobs_meanwhile_is_allowed_where_less_is) {
  for (knob<int>* k : {&a, &b}) k->on_change([&](int) { EXPECT_LE(a + b, most); });
  {
    session tuning("test", k_simulated, [&](int x, int y) { return x + y <= most; }, a, b);
    work(tuning, 1000);
  }
  {
    session tuning("test", k_simulated, [&](int y, int x) { return x + y <= most; }, b, a);
    work(tuning, 1000);
  }
}

TEST_F(constraint_test, no_lock_is_held_while_it_is_asked) {
  session* self = nullptr;
  session tuning(
      "test", k_simulated,
      [&](int x, int y) {
        std::thread([&] { // which would wait for ever
          static_cast<void>(self->look());
          static_cast<void>(treadle::explain());
        })
            .join();
        return x + y <= most;
      },
      a, b);
  self = &tuning;
  work(tuning, 20);
  tuning.pause();
}

TEST_F(constraint_test, what_an_earlier_run_has_found_may_be_forbidden_now) {
  std::string folder = (std::filesystem::temp_directory_path() / "treadle_constraint_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  for (const int now : {14, 8, 14}) {
    treadle::tuning_store store(folder + "/tuning.sqlite");
    a.set(0);
    b.set(0);
    most = now;
    session tuning("test", k_simulated, [&](int x, int y) { return x + y <= most; }, a, b);
    tuning.remember_in(store);
    work(tuning, 1, "here");
    if (now == 8) {
      EXPECT_GT(a + b, 4); // the best of those known that are allowed
    }
    work(tuning, 800, "here");
    EXPECT_EQ(tuning.look("here").best.empty(), false);
  }
  std::filesystem::remove_all(folder);
}

TEST_F(constraint_test, contexts_and_their_explanations_have_allowed_values) {
  session tuning("constrained", k_simulated, [&](int x, int y) { return x + y <= most; }, a, b);
  work(tuning, 300, "large");
  most = 5;
  work(tuning, 300, "small");
  EXPECT_LE(tuning.look("small").best_choices[0] + tuning.look("small").best_choices[1], 5u);
  work(tuning, 1, "large"); // which knew more
  EXPECT_LE(tuning.look("large").best_choices[0] + tuning.look("large").best_choices[1], 5u);
  for (const auto& r : treadle::explain()) {
    if (r.instance != "constrained" || r.trying) continue;
    EXPECT_EQ(r.chosen, tuning.look(r.context).best) << r.context;
  }
}

TEST_F(constraint_test, windows_of_several_samples_ask_once) {
  int asked = 0;
  session tuning(
      "test", {.window_ns = 0, .repeats = 10, .budget = 0},
      [&](int x, int y) {
        ++asked;
        return x + y <= most;
      },
      a, b);
  work(tuning, 1);
  const int before = asked;
  work(tuning, 9);
  EXPECT_EQ(asked, before);
}

TEST_F(constraint_test, threads_share_one) {
  std::atomic<int> limit{9};
  session tuning("test", k_simulated, [&](int x, int y) { return x + y <= limit; }, a, b);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        if (t == 0) limit = 3 + i % 7;
        trial one = tuning.next(i % 3 == 0 ? "x" : "y");
        one.report(cost());
        if (i % 500 == 499) tuning.pause(), tuning.resume();
      }
    });
  }
  for (auto& t : threads) t.join();
  limit = 2;
  static_cast<void>(tuning.next("x"));
  EXPECT_LE(a + b, 2);
}

TEST_F(constraint_test, a_driven_session_ends_with_what_it_throws) {
  session tuning("test", k_simulated, [](int, int) -> bool { throw std::runtime_error("no such limit"); }, a, b);
  const treadle::rule loop = treadle::drive(tuning, 1ms, treadle::minimize([] { return 1.0; }));
  for (int i = 0; i < 60'000 && !loop.failed(); ++i) std::this_thread::sleep_for(1ms);
  EXPECT_NE(loop.message().find("no such limit"), std::string::npos);
}

} // namespace

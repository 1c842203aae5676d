// What holds on every recorded surface, with few seeds; docs/design/search.md has the study itself.
#include "replay/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace treadle::replay;

constexpr double k_share = 0.01; // of the time, as the process allows all decisions together
constexpr std::uint64_t k_seeds = 3;

const std::vector<recording>& recordings() {
  static const auto all = load_all(SURFACES);
  return all;
}

template <class F>
void for_each_surface(F f) {
  for (const recording& of : recordings())
    for (const character how : k_characters) f(surface(of, how));
}

/// The mean of what f(result) gives, over the seeds.
template <class F>
double mean(const surface& on, F f) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) sum += static_cast<double>(f(replay(on, {}, k_share, seed)));
  return sum / k_seeds;
}

std::string text_of(const surface& s) { return s.of().name + ", " + to_string(s.how()); }

TEST(recordings, are_of_all_kinds_and_a_part_of_each_is_held_out) {
  for (const char* kind : {"inlining", "chunks", "grain", "splitting", "session"})
    for (const bool held_out : {false, true})
      EXPECT_TRUE(std::any_of(recordings().begin(), recordings().end(), [&](const recording& r) {
        return r.kind == kind && r.held_out == held_out;
      })) << kind;
}

TEST(recordings, half_of_one_is_refused) {
  EXPECT_THROW(load(std::filesystem::path(SURFACES) / "none.csv"), std::runtime_error);
}

TEST(replay, the_same_seed_gives_the_same_run) {
  const surface on(recordings().front(), character::abrupt);
  const auto run = [&](std::uint64_t seed) { return replay(on, {}, k_share, seed).spent; };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(replay, tries_lose_no_more_than_they_may) {
  for_each_surface([](const surface& on) {
    EXPECT_LT(mean(on, [](const result& r) { return r.explored / k_windows; }), 1.5 * k_share) << text_of(on);
  });
}

TEST(replay, a_search_loses_little_where_the_model_is_right) {
  for_each_surface([](const surface& on) {
    const double model = replay_model(on).spent;
    EXPECT_LT(mean(on, [](const result& r) { return r.spent; }), 1.1 * model) << text_of(on);
  });
}

TEST(replay, what_does_not_change_hardly_looks_as_if_it_did) {
  double restarts = 0, windows = 0;
  for (const recording& of : recordings()) {
    restarts += mean(surface(of, character::stationary), [](const result& r) { return r.epochs; });
    windows += k_windows;
  }
  EXPECT_LT(restarts / windows, 1e-3);
}

TEST(replay, a_change_by_half_is_told) {
  for (const recording& of : recordings()) {
    const surface on(of, character::abrupt);
    const auto changes = on.changes();
    const auto now = on.at(changes[1] - 1), then = on.at(changes[1]);
    const double factor = on.mean(then, on.best(now)) / on.mean(now, on.best(now));
    if (factor > 2.0 / 3 && factor < 1.5) continue;
    EXPECT_LT(mean(on, [](const result& r) { return r.told_after.front(); }), 300) << of.name << ": " << factor;
  }
}

} // namespace

// Both laws on a model of two programs: items of 240 equal tasks, of which a core makes a certain number in a second, a
// consumer that waits for items, and a producer that does not wait.
#include "decide/producer_consumer.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace treadle::decide {
namespace {

struct setting {
  unsigned cores = 24;
  double producer_s = 20, consumer_s = 20; ///< core seconds of an item
  double target = 8, period_s = 5;
  int items = 100;
  bool up_down = false; ///< items cost 0.1 to 4.1 and back to 0.1 times as much, in 20 + 20 of them
  double noise = 0;     ///< of the duration of an item
  std::uint64_t seed = 1;
};

struct outcome {
  double seconds = 0, off_mean = 0, off_max = 0, queue_max = 0;
  int swings = 0, decisions = 0;
};

double factor(const setting& s, double item) {
  if (!s.up_down) return 1;
  const double at = std::fmod(std::floor(item), 40);
  return at < 20 ? 0.1 + 0.2 * at : 4.1 - 0.2 * (at - 20);
}

using law = std::function<unsigned(const producer_consumer::sample&)>;

/// In steps of a hundredth of a second. From when the queue has reached the target first, to when the producer has so
/// few left that it cannot hold it.
outcome run(const setting& s, const law& decide) {
  detail::xorshift random(s.seed);
  const auto noisy = [&] { return 1 + s.noise * (2 * static_cast<double>(random.below(10001)) / 10000 - 1); };
  outcome result;
  double made = 0, used = 0, made_before = 0, used_before = 0, producer_s = 0, consumer_s = 0;
  double make_noise = noisy(), use_noise = noisy();
  unsigned producer = s.cores / 2;
  constexpr double k_step = 0.01;
  double next = s.period_s, since = 0;
  int counted = 0;
  bool reached = false;
  for (double now = 0; used < s.items; now += k_step) {
    const unsigned consumer = made < s.items ? s.cores - producer : s.cores;
    if (made < s.items) {
      const double more = producer * k_step / (s.producer_s * factor(s, made) * make_noise);
      if (std::floor(made + more) > std::floor(made)) make_noise = noisy();
      made = std::min<double>(made + more, s.items);
      producer_s += producer * k_step;
    }
    if (used < std::floor(made)) { // an item can be used when it is complete
      const double more = consumer * k_step / (s.consumer_s * factor(s, used) * use_noise);
      if (std::floor(used + more) > std::floor(used)) use_noise = noisy();
      used = std::min(used + more, std::floor(made));
      consumer_s += consumer * k_step;
    }
    since += k_step;
    const double queue = made - used;
    result.queue_max = std::max(result.queue_max, queue);
    reached = reached || queue >= s.target;
    if (reached && s.items - made > s.target) {
      result.off_mean += std::abs(queue - s.target);
      result.off_max = std::max(result.off_max, std::abs(queue - s.target));
      ++counted;
    }
    if (now >= next && made < s.items) {
      next += s.period_s;
      const unsigned before = producer;
      producer = decide({since, made - made_before, used - used_before, producer_s, consumer_s, queue, s.items - made});
      result.swings += std::abs(static_cast<int>(producer) - static_cast<int>(before)) >= static_cast<int>(s.cores) / 2;
      ++result.decisions;
      made_before = made;
      used_before = used;
      producer_s = consumer_s = since = 0;
    }
    result.seconds = now;
    if (now > 1e5) break; // it hangs
  }
  result.off_mean /= std::max(counted, 1);
  return result;
}

outcome run_paper(const setting& s) {
  return run(s, [&](const auto& now) { return proportional_producer_cores(s.cores, now.queue, s.target); });
}
outcome run_ours(const setting& s) {
  producer_consumer state;
  return run(s, [&](const auto& now) { return state.decide(s.cores, s.target, now); });
}

TEST(producer_consumer, the_papers_law) {
  EXPECT_EQ(proportional_producer_cores(24, 8, 8), 12u);
  EXPECT_EQ(proportional_producer_cores(24, 12, 8), 0u);
  EXPECT_EQ(proportional_producer_cores(24, 4, 8), 24u);
  EXPECT_EQ(proportional_producer_cores(24, 100, 8), 0u);
  EXPECT_EQ(proportional_producer_cores(24, 0, 8), 24u);
  EXPECT_EQ(proportional_producer_cores(24, 7, 8), 15u);
}

TEST(producer_consumer, the_papers_law_swings_where_its_gain_is_above_two) {
  // Balanced as in its Table II, 0.807 items/s each with all cores: G = 5 * 1.614 / N, 2.02 for N = 4.
  const setting short_queue{.producer_s = 24 / 0.807, .consumer_s = 24 / 0.807, .target = 4};
  const outcome paper = run_paper(short_queue), ours = run_ours(short_queue);
  EXPECT_GT(paper.swings, paper.decisions / 2) << paper.decisions;
  EXPECT_LE(ours.swings, 1);
}

TEST(producer_consumer, the_queue_is_as_long_as_wanted) {
  struct {
    const char* name;
    double producer_per_s, consumer_per_s; // with all cores
  } const rates[] = {{"balanced", 0.807, 0.807}, {"fast producer", 0.953, 0.502}, {"slow producer", 0.453, 1.449}};
  for (const auto& [name, a, b] : rates) {
    for (const double target : {4.0, 8.0}) {
      for (const double period : {0.5, 5.0}) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
          const setting s{.producer_s = 24 / a,
                          .consumer_s = 24 / b,
                          .target = target,
                          .period_s = period,
                          .items = 400,
                          .noise = 0.1,
                          .seed = seed};
          const outcome ours = run_ours(s), paper = run_paper(s);
          EXPECT_LE(ours.off_mean, 0.5) << name << " N " << target << " T " << period << " paper " << paper.off_mean;
          EXPECT_LE(ours.seconds, paper.seconds * 1.005) << name << " N " << target << " T " << period;
        }
      }
    }
  }
}

TEST(producer_consumer, costs_that_go_up_and_down_are_followed) {
  for (const double target : {4.0, 8.0}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const setting s{.producer_s = 24 / 0.953,
                      .consumer_s = 24 / 0.502,
                      .target = target,
                      .period_s = 0.5,
                      .items = 400,
                      .up_down = true,
                      .noise = 0.1,
                      .seed = seed};
      const outcome ours = run_ours(s), paper = run_paper(s);
      EXPECT_LE(ours.off_mean, 0.5) << "N " << target << " paper " << paper.off_mean;
    }
  }
}

/// A core is a large share of few: one of the two has none for a period where the other is slower.
TEST(producer_consumer, few_cores_hold_the_queue_too) {
  for (const unsigned cores : {1u, 2u, 3u, 4u}) {
    for (const double faster : {0.3, 0.5, 1.0, 1.9, 3.0, 8.0}) {
      for (const double target : {4.0, 8.0}) {
        const setting s{.cores = cores,
                        .producer_s = cores / faster,
                        .consumer_s = static_cast<double>(cores),
                        .target = target,
                        .period_s = 1,
                        .items = 400};
        const outcome ours = run_ours(s), paper = run_paper(s);
        const auto what = ::testing::Message()
                          << cores << " cores, producer " << faster << " times as fast, N " << target;
        EXPECT_LE(ours.queue_max, 1.5 * target + 1 + 2 * faster * s.period_s) << what << ", paper " << paper.queue_max;
        EXPECT_LE(ours.seconds, paper.seconds * 1.02) << what;
      }
    }
  }
}

TEST(producer_consumer, any_pair_ends) {
  detail::xorshift random(5);
  for (int i = 0; i < 300; ++i) {
    const auto from = [&](double least, double most) { // evenly over the orders of magnitude
      return least * std::pow(most / least, static_cast<double>(random.below(10001)) / 10000);
    };
    const setting s{.cores = 1 + static_cast<unsigned>(random.below(64)),
                    .producer_s = from(0.3, 30),
                    .consumer_s = from(0.3, 30),
                    .target = from(0.5, 20),
                    .period_s = from(0.1, 10),
                    .items = 1 + static_cast<int>(random.below(100)),
                    .up_down = random.below(2) == 0,
                    .noise = 0.1,
                    .seed = 1 + random.below(1000)};
    // Either alone with all cores, one after the other, an item at a time, and a period lost for each of them.
    const double all = s.items * (2.3 * (s.producer_s + s.consumer_s) / s.cores + 2 * s.period_s) + 100;
    const outcome ours = run_ours(s);
    EXPECT_LT(ours.seconds, all) << s.cores << " cores, " << s.producer_s << " and " << s.consumer_s << " s, target "
                                 << s.target << ", period " << s.period_s << ", items " << s.items;
  }
}

TEST(producer_consumer, bad_samples_change_nothing_for_good) {
  producer_consumer state;
  for (const double bad : {0.0, -1.0, 1e300, std::nan("")}) {
    const unsigned given = state.decide(8, 4, {bad, bad, bad, bad, bad, 4});
    EXPECT_LE(given, 8u) << bad;
  }
  for (int i = 0; i < 50; ++i) EXPECT_LE(state.decide(8, 4, {1, 1, 1, 4, 4, 4}), 8u);
  EXPECT_NEAR(state.decide(8, 4, {1, 1, 1, 4, 4, 4}), 4, 1);
}

} // namespace
} // namespace treadle::decide

// What the detector promises, by simulation: seeds are fixed, so the counts are.
#include "loop/drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using treadle::loop::drift_detector;

constexpr double k_noise = 0.04;

class noise {
 public:
  explicit noise(std::uint64_t seed) : m_random(seed) {}
  double operator()() { return k_noise * m_normal(m_random); }

 private:
  std::mt19937_64 m_random;
  std::normal_distribution<double> m_normal;
};

/// Alarms in this many windows without a change, by detectors that live for `span` of them at most.
template <class Noise>
int false_alarms(long windows, long span, Noise next) {
  int alarms = 0;
  for (long w = 0; w < windows;) {
    drift_detector detector;
    for (long i = 0; i < span && w < windows; ++i, ++w) {
      if (!detector.add(next())) continue;
      ++alarms;
      break;
    }
  }
  return alarms;
}

/// Windows until a change by `shift` is told, which begins after this many; -1: it was told before.
int delay(noise& next, double shift, int after) {
  drift_detector detector;
  for (int i = 0; i < after; ++i)
    if (detector.add(next())) return -1;
  for (int i = 1; i < 1000; ++i)
    if (detector.add(shift + next())) return i;
  return 1000;
}

TEST(drift, false_alarms_are_rarer_than_one_in_a_million_windows) {
  noise next(1);
  EXPECT_LE(false_alarms(10'000'000, 100, next), 10); // where the reference has just been learned
  EXPECT_LE(false_alarms(10'000'000, 1'000, next), 10);
  EXPECT_LE(false_alarms(10'000'000, 1'000'000, next), 10);
}

TEST(drift, spikes_are_no_change) { // in one window of forty the thread was preempted
  std::mt19937_64 random(2);
  noise next(3);
  const auto with_spikes = [&] { return next() + (random() % 40 == 0 ? std::log(3.0) : 0.0); };
  EXPECT_LE(false_alarms(10'000'000, 1'000, with_spikes), 10);
}

TEST(drift, a_lasting_change_of_a_fifth_is_told_within_thirty_windows) {
  noise next(4);
  for (const double factor : {1.2, 0.8, 1.35, 3.0, 0.1}) {
    for (const int after : {16, 20, 64, 1000}) {
      for (int run = 0; run < 2000; ++run) {
        const int windows = delay(next, std::log(factor), after);
        ASSERT_LE(windows, 30) << factor << ' ' << after; // one that was told before is a false alarm, counted above
      }
    }
  }
}

TEST(drift, what_is_noticed_late_does_not_become_what_is_usual) { // a tenth: 2.4 deviations
  noise next(5);
  int told = 0;
  for (int run = 0; run < 200; ++run) told += delay(next, std::log(1.1), 64) < 1000;
  EXPECT_GE(told, 190);
}

TEST(drift, small_changes_of_what_hardly_varies_are_told_and_none_below_the_noise_of_clocks) {
  drift_detector detector;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(detector.add(0));
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(detector.add(0.02)) << i;
  int windows = 0;
  while (!detector.add(0.1)) ++windows;
  EXPECT_LE(windows, 10);
}

} // namespace

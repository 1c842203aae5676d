#include "topology/kept_off.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace treadle::detail {
namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}
int first_of(const cpu_set_t& set) {
  int cpu = 0;
  while (!CPU_ISSET(static_cast<unsigned>(cpu), &set)) ++cpu;
  return cpu;
}
cpu_set_t only(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(cpu), &set);
  return set;
}

TEST(kept_off, leaves_the_rest_for_as_long_as_it_lives) {
  const cpu_set_t before = allowed();
  const int first = first_of(before);
  {
    const kept_off guard(gettid(), first);
    const cpu_set_t meanwhile = allowed();
    if (CPU_COUNT(&before) == 1) {
      EXPECT_TRUE(CPU_EQUAL(&meanwhile, &before)) << "there is nothing else";
    } else {
      EXPECT_FALSE(CPU_ISSET(static_cast<unsigned>(first), &meanwhile));
      EXPECT_EQ(CPU_COUNT(&meanwhile), CPU_COUNT(&before) - 1);
      EXPECT_NE(sched_getcpu(), first);
    }
  }
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&after, &before));
}

TEST(kept_off, what_somebody_else_decides_meanwhile_stays) {
  const cpu_set_t before = allowed();
  if (CPU_COUNT(&before) < 2) GTEST_SKIP() << "one hardware thread";
  const cpu_set_t one = only(first_of(before));
  {
    const kept_off guard(gettid(), first_of(before));
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  const cpu_set_t after = allowed();
  EXPECT_TRUE(CPU_EQUAL(&after, &one));
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(kept_off, a_thread_that_is_bound_and_numbers_that_no_hardware_thread_has_change_nothing) {
  const cpu_set_t before = allowed();
  const cpu_set_t one = only(first_of(before));
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  {
    const kept_off guard(gettid(), first_of(before));
    const cpu_set_t meanwhile = allowed();
    EXPECT_TRUE(CPU_EQUAL(&meanwhile, &one));
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  for (const int cpu : {-1, CPU_SETSIZE - 1, CPU_SETSIZE, 1 << 30}) {
    const kept_off guard(gettid(), cpu);
    const cpu_set_t meanwhile = allowed();
    EXPECT_TRUE(CPU_EQUAL(&meanwhile, &before)) << cpu;
  }
}

} // namespace
} // namespace treadle::detail

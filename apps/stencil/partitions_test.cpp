#include "stencil/partitions.hpp"

#include <gtest/gtest.h>

#include <rapidcheck.h>

using stencil::partitions;

TEST(partitions, cut_a_ring_evenly) {
  const partitions three(10, 4);
  EXPECT_EQ(three.count(), 3U);
  EXPECT_EQ(three.size(0), 4U);
  EXPECT_EQ(three.size(1), 3U);
  EXPECT_EQ(three.size(2), 3U);
  EXPECT_EQ(three.before(0), 2U);
  EXPECT_EQ(three.after(2), 0U);
}

TEST(partitions, are_one_when_more_points_are_wanted_than_there_are) {
  EXPECT_EQ(partitions(10, 1000).count(), 1U);
  EXPECT_EQ(partitions(1, 1).count(), 1U);
  EXPECT_EQ(partitions(3, 16, 8).size(0), 3U);
}

TEST(partitions, of_whole_lines_leave_the_rest_to_the_last) {
  const partitions parts(61, 20, 8); // seven lines and five points, two lines each
  EXPECT_EQ(parts.count(), 4U);
  EXPECT_EQ(parts.size(0), 16U);
  EXPECT_EQ(parts.size(3), 13U);
  EXPECT_EQ(parts.smallest(), 8U);
}

TEST(partitions, cover_every_point_once) {
  EXPECT_TRUE(rc::check([] {
    const auto points = *rc::gen::inRange<std::size_t>(1, 500), wanted = *rc::gen::inRange<std::size_t>(1, 600);
    const auto unit = *rc::gen::element<std::size_t>(1, 8);
    const partitions parts(points, wanted, unit);
    std::size_t next = 0;
    for (std::size_t i = 0; i < parts.count(); ++i) {
      RC_ASSERT(parts.begin(i) == next);
      RC_ASSERT(parts.size(i) >= parts.smallest());
      RC_ASSERT(parts.size(i) < std::max(wanted, unit) + unit);
      RC_ASSERT(i + 1 == parts.count() || parts.size(i) % unit == 0);
      for (std::size_t point = next; point < parts.end(i); ++point) RC_ASSERT(parts.index_of(point) == i);
      next = parts.end(i);
    }
    RC_ASSERT(next == points);
  }));
}

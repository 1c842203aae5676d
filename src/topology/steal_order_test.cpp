#include "topology/steal_order.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace treadle::detail {
namespace {

using numbers = std::vector<unsigned>;

TEST(steal_order, is_none_where_all_are_alike) {
  const topology machine = topology::from_description("numa:1 l3:1 core:4 pu:2");
  for (const steal_order& one : steal_orders(machine, numbers{0, 1, 2, 3, 4, 5, 6, 7})) EXPECT_EQ(one, steal_order{});
  EXPECT_EQ(steal_orders(machine, numbers{3}).front(), steal_order{});
}

TEST(steal_order, caches_come_before_domains) {
  const topology machine = topology::from_description("numa:2 l3:2 core:2 pu:1");
  numbers all(8);
  std::iota(all.begin(), all.end(), 0u);
  const auto orders = steal_orders(machine, all);
  EXPECT_EQ(orders[0], (steal_order{{1, 2, 3, 4, 5, 6, 7}, {1, 3, 7}}));
  EXPECT_EQ(orders[6], (steal_order{{7, 4, 5, 0, 1, 2, 3}, {1, 3, 7}}));
}

TEST(steal_order, domains_come_by_their_distances) {
  const topology machine = topology::from_description("numa:4 core:2 pu:1")
                               .with_distances("10,30,20,30;30,10,30,20;20,30,10,30;30,20,30,10");
  const auto orders = steal_orders(machine, numbers{0, 2, 4, 6});
  EXPECT_EQ(orders[0], (steal_order{{2, 1, 3}, {1, 3}}));
  EXPECT_EQ(orders[1], (steal_order{{3, 0, 2}, {1, 3}}));
}

TEST(steal_order, packages_come_before_distances) {
  const topology machine = topology::from_description("package:2 numa:2 core:1 pu:1");
  EXPECT_EQ(steal_orders(machine, numbers{0, 1, 2, 3})[0], (steal_order{{1, 2, 3}, {1, 3}}));
}

} // namespace
} // namespace treadle::detail

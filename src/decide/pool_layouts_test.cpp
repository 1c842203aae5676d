#include "decide/pool_layouts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace treadle::decide {
namespace {

TEST(pool_layouts, without_bindings_are_sizes) {
  const pool_layouts of({{"urgent"}, {"default"}}, 4);
  EXPECT_EQ(of.over().size(), 3u);
  EXPECT_EQ(of.text(0), "urgent:1,default:3");
  EXPECT_EQ(of.all(), "urgent:1,default:3 .. urgent:3,default:1");
  EXPECT_EQ(of.binding(0), "");
  EXPECT_EQ(of.text(of.closest({2})), "urgent:2,default:2");
  EXPECT_TRUE(of.first_looks(0).empty());
}

TEST(pool_layouts, may_have_one_pool_only) {
  const pool_layouts of({{"urgent", true}, {"default"}}, 4);
  EXPECT_EQ(of.over().size(), 4u);
  EXPECT_EQ(of.text(0), "urgent:0,default:4");
  EXPECT_EQ(of.sizes(0), (std::vector<unsigned>{0, 4}));
  EXPECT_EQ(of.closest({0}), 0u);
  const tune::arm start = of.closest({2});
  ASSERT_EQ(of.first_looks(start).size(), 3u);
  EXPECT_EQ(of.text(of.first_looks(start)[0]), "urgent:0,default:4");
  EXPECT_EQ(of.text(of.first_looks(start)[1]), "urgent:3,default:1");
  EXPECT_EQ(of.text(of.first_looks(start)[2]), "urgent:1,default:3");
  EXPECT_EQ(of.first_looks(0).size(), 2u); // it begins with the first one
}

TEST(pool_layouts, with_bindings_have_them_in_their_names) {
  const pool_layouts of({{"urgent", true}, {"default"}}, 3, {"none", "scatter", "compact"});
  EXPECT_EQ(of.over().size(), 9u);
  std::set<std::string> names;
  for (tune::arm at = 0; at < of.over().size(); ++at) names.insert(of.text(at));
  EXPECT_EQ(names.size(), 9u);
  EXPECT_TRUE(names.contains("urgent:0,default:3 none"));
  EXPECT_TRUE(names.contains("urgent:2,default:1 compact"));
  EXPECT_EQ(of.all(), "urgent:0,default:3 .. urgent:2,default:1 none|scatter|compact");
  const tune::arm start = of.closest({1}, "scatter");
  EXPECT_EQ(of.text(start), "urgent:1,default:2 scatter");
  for (const tune::arm look : of.first_looks(start)) EXPECT_EQ(of.binding(look), "scatter");
}

TEST(pool_layouts, of_three_pools_keep_a_worker_for_each) {
  const pool_layouts of({{"a", true}, {"b", true}, {"default"}}, 5, {"none", "scatter"});
  for (tune::arm at = 0; at < of.over().size(); ++at) {
    const std::vector<unsigned> sizes = of.sizes(at);
    EXPECT_EQ(sizes[0] + sizes[1] + sizes[2], 5u);
    EXPECT_GE(sizes[2], 1u + (sizes[0] == 0) + (sizes[1] == 0));
  }
  EXPECT_EQ(of.first_looks(of.closest({3, 3})).size(), 4u);
}

TEST(pool_layouts, may_order_tasks_or_not) {
  const pool_layouts of({{"urgent", true}, {"default"}}, 2, {"none", "scatter"}, true);
  EXPECT_EQ(of.over().size(), 8u);
  std::set<std::string> names;
  for (tune::arm at = 0; at < of.over().size(); ++at) {
    names.insert(of.text(at));
    EXPECT_EQ(of.is_ordered(at), !of.text(at).ends_with(" unordered"));
  }
  EXPECT_EQ(names.size(), 8u);
  EXPECT_EQ(of.all(), "urgent:0,default:2 .. urgent:1,default:1 none|scatter ordered|unordered");
  const tune::arm start = of.closest({1}, "scatter");
  EXPECT_EQ(of.text(start), "urgent:1,default:1 scatter");
  ASSERT_EQ(of.first_looks(start).size(), 2u);
  EXPECT_EQ(of.text(of.first_looks(start)[0]), "urgent:1,default:1 scatter unordered");
  EXPECT_EQ(of.text(of.first_looks(of.first_looks(start)[0])[0]), "urgent:1,default:1 scatter");
}

TEST(pool_layouts, of_one_pool_are_its_orders) {
  const pool_layouts of({{"default"}}, 3, {}, true);
  EXPECT_EQ(of.over().size(), 2u);
  EXPECT_EQ(of.text(of.closest({})), "default:3");
  EXPECT_EQ(of.text(1), "default:3 unordered");
  EXPECT_EQ(of.sizes(1), (std::vector<unsigned>{3}));
}

} // namespace
} // namespace treadle::decide

#include "task/pools/resolution.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

const usable_threads k_eight{{0, 1, 2, 3, 4, 5, 6, 7}, 8};

std::vector<std::pair<std::string, unsigned>> workers(const char* described, runtime_options options = {},
                                                      const usable_threads& usable = k_eight) {
  options.pools = described;
  std::vector<std::pair<std::string, unsigned>> result;
  for (const auto& [pool, counts] : resolve_pools(options, usable)) result.emplace_back(pool.name, pool.workers);
  return result;
}
using expected = std::vector<std::pair<std::string, unsigned>>;

std::string message(const char* described, runtime_options options = {}) {
  try {
    workers(described, std::move(options));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(pools_resolution, the_default_pool_has_what_is_left) {
  EXPECT_EQ(workers(""), (expected{{"default", 8}}));
  EXPECT_EQ(workers("", {.workers = 3}), (expected{{"default", 3}}));
  EXPECT_EQ(workers("io:1"), (expected{{"default", 8}, {"io", 1}}));
  EXPECT_EQ(workers("blas:cpus=4-7"), (expected{{"default", 4}, {"blas", 4}}));
  EXPECT_EQ(workers("blas:2:cpus=4-7"), (expected{{"default", 4}, {"blas", 2}}));
  EXPECT_EQ(workers("critical:cpus=0-1,default:cpus=2-7"), (expected{{"critical", 2}, {"default", 6}}));
  EXPECT_EQ(workers("critical:cpus=0,default:3"), (expected{{"critical", 1}, {"default", 3}}));
}

TEST(pools_resolution, a_quota_bounds_the_default_pool) {
  EXPECT_EQ(workers("", {}, {k_eight.cpus, 3}), (expected{{"default", 3}}));
  EXPECT_EQ(workers("io:1", {}, {k_eight.cpus, 3}), (expected{{"default", 3}, {"io", 1}}));
}

TEST(pools_resolution, what_cannot_be_is_refused_by_name) {
  EXPECT_EQ(message("a"), "pool 'a': expected a number of workers, or the hardware threads or domains that it has");
  EXPECT_EQ(message("a:cpus=7-9"), "pool 'a': this process may not use the hardware threads 8-9, only 0-7");
  EXPECT_EQ(message("a:cpus=0-3:exclusive,b:cpus=3-4"),
            "pool 'a': it is exclusive, but shares the hardware threads 3 with pool 'b'");
  EXPECT_EQ(message("a:cpus=0-7"),
            "pool 'default': the other pools have all hardware threads; runtime_options::oversubscribe lets it share "
            "them");
  EXPECT_EQ(message("a:cpus=0-3,b:cpus=2-5"),
            "pools 'a', 'b' have 8 workers on 6 hardware threads; give them numbers of workers, or "
            "runtime_options::oversubscribe");
  EXPECT_EQ(message("default:3", {.workers = 2}), "pool 'default': 3 workers are described, but 2 asked for");
  EXPECT_NE(message("a:domains=99").find("pool 'a': there is no NUMA domain 99"), std::string::npos);
}

TEST(pools_resolution, what_is_asked_for_counts) {
  EXPECT_EQ(workers("a:cpus=0-3,b:cpus=2-5", {.oversubscribe = true}), (expected{{"default", 2}, {"a", 4}, {"b", 4}}));
  EXPECT_EQ(workers("a:16:cpus=0,b:16:cpus=0"), (expected{{"default", 7}, {"a", 16}, {"b", 16}}));
  EXPECT_EQ(workers("a:cpus=0-7", {.oversubscribe = true}), (expected{{"default", 8}, {"a", 8}}));
}

} // namespace
} // namespace treadle::detail

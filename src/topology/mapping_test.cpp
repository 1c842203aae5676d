#include <treadle/topology.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace treadle {
namespace {

using units = std::vector<unsigned>;

/// For each pool its hardware threads, by their places in the machine.
std::vector<units> mapped(const char* machine, mapping how, const units& pools) {
  return map_workers(topology::from_description(machine), how, pools);
}

units counts_by_domain(const topology& machine, const units& pool) {
  units counts(machine.domains);
  for (const unsigned i : pool) ++counts[machine.units[i].domain];
  return counts;
}

TEST(mapping_test, one_pool_on_a_small_machine) {
  constexpr const char* k_machine = "numa:2 core:2 pu:2";
  EXPECT_EQ(mapped(k_machine, mapping::packed, {5})[0], (units{0, 1, 2, 3, 4}));
  EXPECT_EQ(mapped(k_machine, mapping::compact, {5})[0], (units{0, 1, 2, 3, 4}));
  EXPECT_EQ(mapped(k_machine, mapping::scatter, {8})[0], (units{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(mapped(k_machine, mapping::balanced, {3})[0], (units{0, 2, 4}));
  EXPECT_EQ(mapped(k_machine, mapping::balanced, {6})[0], (units{0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(mapped(k_machine, mapping::numa_balanced, {3})[0], (units{0, 2, 4}));
  EXPECT_EQ(mapped(k_machine, mapping::numa_balanced, {5})[0], (units{0, 1, 2, 4, 6}));
  EXPECT_EQ(mapped(k_machine, mapping::numa_balanced_mtp, {3})[0], (units{0, 2, 4}));
}

TEST(mapping_test, scatter_begins_with_the_packages) {
  EXPECT_EQ(mapped("package:2 numa:2 core:1 pu:1", mapping::scatter, {4})[0], (units{0, 2, 1, 3}));
}

TEST(mapping_test, hardware_threads_of_a_core_are_counted_within_the_mask) {
  const topology some = topology::from_description("core:2 pu:2").within(std::vector<unsigned>{0, 1, 3});
  for (const mapping how : {mapping::scatter, mapping::balanced, mapping::numa_balanced, mapping::numa_balanced_mtp})
    EXPECT_EQ(map_workers(some, how, units{2})[0], (units{0, 2})) << to_string(how); // on both cores
}

TEST(mapping_test, compact_pools_do_not_share_a_core) {
  EXPECT_EQ(mapped("core:4 pu:2", mapping::packed, {3, 3}), (std::vector<units>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(mapped("core:4 pu:2", mapping::compact, {3, 3}), (std::vector<units>{{0, 1, 2}, {4, 5, 6}}));
  EXPECT_EQ(mapped("core:4 pu:2", mapping::compact, {3, 5}), (std::vector<units>{{0, 1, 2}, {3, 4, 5, 6, 7}}));
}

/// The machines of the paper: Knights Landing with 18 cores in each of four domains, two packages of 28 cores.
TEST(mapping_test, pools_of_the_paper) {
  const topology knl = topology::from_description("numa:4 core:18 pu:4");
  const units pools{256, 32};
  const auto packed = map_workers(knl, mapping::packed, pools);
  EXPECT_EQ(counts_by_domain(knl, packed[0]), (units{72, 72, 72, 40}));
  EXPECT_EQ(counts_by_domain(knl, packed[1]), (units{0, 0, 0, 32})); // all in one
  const auto balanced = map_workers(knl, mapping::numa_balanced_mtp, pools);
  EXPECT_EQ(counts_by_domain(knl, balanced[0]), (units{64, 64, 64, 64}));
  EXPECT_EQ(counts_by_domain(knl, balanced[1]), (units{8, 8, 8, 8}));
  const auto by_thread = [&](unsigned a, unsigned b) { return knl.units[a].thread < knl.units[b].thread; };
  EXPECT_TRUE(std::is_sorted(balanced[0].begin(), balanced[0].begin() + 64, by_thread)); // other cores first

  const topology ocx = topology::from_description("package:2 numa:1 core:28 pu:1");
  const auto two = map_workers(ocx, mapping::numa_balanced_mtp, units{4, 52});
  EXPECT_EQ(counts_by_domain(ocx, two[0]), (units{2, 2}));
  EXPECT_EQ(counts_by_domain(ocx, two[1]), (units{26, 26}));
}

TEST(mapping_test, more_workers_than_hardware_threads_share_them) {
  for (int how = 0; how <= static_cast<int>(mapping::numa_balanced_mtp); ++how)
    EXPECT_EQ(mapped("core:2 pu:1", static_cast<mapping>(how), {3, 2}), (std::vector<units>{{0, 1, 0}, {1, 0}})) << how;
  EXPECT_EQ(map_workers(topology{}, mapping::scatter, units{2}), std::vector<units>{{}});
  EXPECT_TRUE(mapped("core:2 pu:1", mapping::compact, {}).empty());
}

TEST(mapping_test, units_in_no_domain_are_refused) {
  const topology odd{{processing_unit{}}, 0, {}};
  EXPECT_THROW(map_workers(odd, mapping::numa_balanced, units{1}), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(odd.distance(0, 9)), std::invalid_argument);
}

TEST(mapping_test, names) {
  for (int how = 0; how <= static_cast<int>(mapping::numa_balanced_mtp); ++how) {
    const auto one = static_cast<mapping>(how);
    EXPECT_EQ(mapping_from_name(to_string(one)), one);
  }
  EXPECT_EQ(to_string(mapping::numa_balanced_mtp), "numa-balanced-mtp");
  try {
    static_cast<void>(mapping_from_name("numa"));
    FAIL();
  } catch (const std::invalid_argument& refused) {
    EXPECT_STREQ(refused.what(), "expected a mapping (packed, compact, scatter, balanced, numa-balanced, "
                                 "numa-balanced-mtp), got 'numa'");
  }
}

TEST(mapping_test, any_machine_and_any_pools) {
  rc::check("each worker has a hardware thread of its own, and pools are shared out evenly", [] {
    const auto between = [](unsigned first, unsigned last) { return *rc::gen::inRange(first, last + 1); };
    const unsigned domains = between(1, 5), cores = between(1, 6), threads = between(1, 4);
    const topology whole = topology::from_description(
        "numa:" + std::to_string(domains) + " core:" + std::to_string(cores) + " pu:" + std::to_string(threads));
    units some; // a mask
    for (const processing_unit& one : whole.units)
      if (*rc::gen::inRange(0, 4) != 0) some.push_back(one.os_index);
    const bool all_of_it = *rc::gen::arbitrary<bool>();
    const topology machine = all_of_it ? whole : whole.within(some);
    units pools;
    unsigned left = static_cast<unsigned>(machine.units.size());
    while (left > 0 && pools.size() < 4) {
      pools.push_back(between(1, left));
      left -= pools.back();
    }
    for (int how = 0; how <= static_cast<int>(mapping::numa_balanced_mtp); ++how) {
      const auto found = map_workers(machine, static_cast<mapping>(how), pools);
      RC_ASSERT(found.size() == pools.size());
      std::set<unsigned> used;
      for (std::size_t k = 0; k < pools.size(); ++k) {
        RC_ASSERT(found[k].size() == pools[k]);
        for (const unsigned i : found[k]) RC_ASSERT(i < machine.units.size() && used.insert(i).second);
      }
      if (!all_of_it || how != static_cast<int>(mapping::numa_balanced_mtp)) continue;
      units all(machine.domains);
      for (const units& pool : found) {
        const units here = counts_by_domain(machine, pool);
        for (std::size_t d = 0; d < all.size(); ++d) all[d] += here[d];
        const auto [fewest, most] = std::minmax_element(all.begin(), all.end());
        RC_ASSERT(*most - *fewest <= 1u);
      }
    }
  });
}

} // namespace
} // namespace treadle

#include "topology/process_mask.hpp"
#include "topology/usable_cores.hpp"

#include <treadle/observe/machine.hpp>
#include <treadle/topology.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <hwloc.h>
#include <hwloc/distances.h>
#include <sched.h>
#include <stdexcept>
#include <unistd.h>

namespace treadle::detail {
namespace {

namespace fs = std::filesystem;

class cgroup_test : public ::testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(::testing::TempDir()) /
           ("cgroup_test_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  double quota(const std::string& self) { return cgroup_quota_cores(self, root.string()); }

  fs::path root;
};

TEST_F(cgroup_test, no_files_means_no_quota) { EXPECT_EQ(quota("0::/a/b\n"), 0); }

TEST_F(cgroup_test, version_2_takes_the_tightest_group_on_the_path) {
  write("cpu.max", "max 100000\n");
  write("a/cpu.max", "150000 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(quota("0::/a/b\n"), 1.5);
  EXPECT_DOUBLE_EQ(quota("0::/\n"), 0);
}

TEST_F(cgroup_test, version_2_inside_a_container_falls_back_to_the_root) {
  write("cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(quota("0::/not/mounted/here\n"), 0.5);
}

TEST_F(cgroup_test, version_1_quota) {
  write("cpu/x/cpu.cfs_quota_us", "250000\n");
  write("cpu/x/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(quota("5:memory:/x\n4:cpu,cpuacct:/x\n"), 2.5);
  write("cpu/x/cpu.cfs_quota_us", "-1\n");
  EXPECT_DOUBLE_EQ(quota("4:cpu,cpuacct:/x\n"), 0);
}

TEST_F(cgroup_test, nonsense_is_ignored) {
  write("cpu.max", "lots of it\n");
  EXPECT_EQ(quota("garbage\n::\n0::/\n"), 0);
}

TEST(topology_test, usable_cores_follow_the_affinity_mask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_LE(usable_cores(), static_cast<unsigned>(CPU_COUNT(&before)));
}

TEST(topology_test, ranks_of_an_mpirun_share_the_cores) {
  const unsigned alone = usable_cores(), all = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  const bool is_bound = process_mask().count() < all;
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    setenv(name, "2", 1);
    EXPECT_EQ(ranks_on_this_machine(), 2u);
    EXPECT_EQ(usable_cores(), std::max(is_bound ? std::min(alone, all / 2) : alone / 2, 1u));
    setenv(name, "100000", 1);
    EXPECT_EQ(usable_cores(), 1u);
    for (const char* const wrong : {"", "0", "-3", "many"}) {
      setenv(name, wrong, 1);
      EXPECT_EQ(ranks_on_this_machine(), 1u) << wrong;
      EXPECT_EQ(usable_cores(), alone);
    }
    unsetenv(name);
  }
}

TEST(topology_test, the_machine_is_described) {
  const machine_info info = describe_machine();
  EXPECT_FALSE(info.processor.empty());
  EXPECT_GE(info.cores, 1u);
  EXPECT_GE(info.processing_units, info.cores);
  EXPECT_GE(info.usable_cores, 1u);
  EXPECT_GT(info.memory_bytes, std::uint64_t{1} << 20);
}

TEST(topology_test, this_machine_has_what_its_summary_says) {
  const machine_info info = describe_machine();
  const topology& machine = topology::of_this_machine();
  EXPECT_EQ(machine.units.size(), info.processing_units);
  EXPECT_EQ(machine.units.back().core + 1, info.cores);
  EXPECT_GE(machine.domains, 1u);
  EXPECT_EQ(machine.distance(0, 0), 1);
}

TEST(topology_test, described_machines) {
  const topology machine = topology::from_description("package:2 numa:2 l3:1 core:3 pu:2");
  ASSERT_EQ(machine.units.size(), 24u);
  EXPECT_EQ(machine.domains, 4u);
  EXPECT_EQ(machine.units[0], (processing_unit{0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(machine.units[9], (processing_unit{9, 1, 4, 1, 1, 0}));
  EXPECT_EQ(machine.units[23], (processing_unit{23, 1, 11, 3, 3, 1}));
  const topology without_caches = topology::from_description("core:2 pu:2");
  EXPECT_EQ(without_caches.domains, 1u);
  EXPECT_EQ(without_caches.units[1].cache, without_caches.units[0].cache);
  EXPECT_NE(without_caches.units[2].cache, without_caches.units[0].cache);

  const topology some = machine.within(std::vector<unsigned>{23, 9, 100});
  ASSERT_EQ(some.units.size(), 2u);
  EXPECT_EQ(some.units[1], (processing_unit{23, 0, 11, 3, 3, 1})); // the only one of its core that is left
  EXPECT_EQ(some.domains, 4u);
}

TEST(topology_test, distances) {
  const topology machine = topology::from_description("numa:2 core:1 pu:1").with_distances("10, 21;12.5,10");
  EXPECT_DOUBLE_EQ(machine.distance(0, 1), 2.1);
  EXPECT_DOUBLE_EQ(machine.distance(1, 0), 1.25);
  EXPECT_DOUBLE_EQ(machine.distance(1, 1), 1);
  EXPECT_EQ(topology::from_description("numa:2 core:1 pu:1").distance(1, 1), 1);
}

TEST(topology_test, distances_of_a_file) {
  const std::string file = fs::path(::testing::TempDir()) / "distances.xml";
  hwloc_topology_t tree = nullptr;
  ASSERT_EQ(hwloc_topology_init(&tree), 0);
  ASSERT_EQ(hwloc_topology_set_synthetic(tree, "numa:2 core:2 pu:1"), 0);
  ASSERT_EQ(hwloc_topology_load(tree), 0);
  std::array<hwloc_obj_t, 2> domains{hwloc_get_obj_by_type(tree, HWLOC_OBJ_NUMANODE, 0),
                                     hwloc_get_obj_by_type(tree, HWLOC_OBJ_NUMANODE, 1)};
  std::array<hwloc_uint64_t, 4> values{10, 21, 32, 10};
  constexpr unsigned long k_kind = HWLOC_DISTANCES_KIND_FROM_USER | HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  hwloc_distances_add_handle_t adding = hwloc_distances_add_create(tree, nullptr, k_kind, 0);
  ASSERT_NE(adding, nullptr);
  ASSERT_EQ(hwloc_distances_add_values(tree, adding, 2, domains.data(), values.data(), 0), 0);
  ASSERT_EQ(hwloc_distances_add_commit(tree, adding, 0), 0);
  ASSERT_EQ(hwloc_topology_export_xml(tree, file.c_str(), 0), 0);
  hwloc_topology_destroy(tree);
  const topology machine = topology::from_xml(file);
  fs::remove(file);
  EXPECT_EQ(machine.distances, (std::vector<double>{10, 21, 32, 10}));
  EXPECT_DOUBLE_EQ(machine.distance(0, 1), 2.1);
  EXPECT_DOUBLE_EQ(machine.distance(1, 0), 3.2);
}

/// No mapping needs them; who asks for one that is not known is told so.
TEST(topology_test, distances_that_are_not_known) {
  const topology machine = topology::from_description("numa:2 core:1 pu:1");
  try {
    static_cast<void>(machine.distance(0, 1));
    FAIL();
  } catch (const std::invalid_argument& refused) {
    EXPECT_STREQ(refused.what(),
                 "the distances between the 2 domains of this topology are not known: give them with it");
  }
  const unsigned workers[] = {2};
  for (const mapping how : {mapping::numa_balanced, mapping::numa_balanced_mtp})
    EXPECT_EQ(map_workers(machine, how, workers).at(0).size(), 2u);
}

TEST(topology_test, files_are_read_and_bad_ones_are_named) {
  const fs::path folder = fs::path(::testing::TempDir()) / "topology_files";
  fs::create_directories(folder);
  const std::string whole = folder / "whole.xml", part = folder / "part.xml";
  hwloc_topology_t tree = nullptr;
  ASSERT_EQ(hwloc_topology_init(&tree), 0);
  ASSERT_EQ(hwloc_topology_set_synthetic(tree, "numa:2 core:2 pu:2"), 0);
  ASSERT_EQ(hwloc_topology_load(tree), 0);
  ASSERT_EQ(hwloc_topology_export_xml(tree, whole.c_str(), 0), 0);
  hwloc_topology_destroy(tree);
  EXPECT_EQ(topology::from_xml(whole).units, topology::from_description("numa:2 core:2 pu:2").units);

  std::ifstream in(whole);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::ofstream(part) << text.substr(0, text.size() / 2);
  for (const std::string& bad : {part, std::string(folder / "none.xml")}) {
    try {
      static_cast<void>(topology::from_xml(bad));
      FAIL() << bad;
    } catch (const std::invalid_argument& refused) {
      EXPECT_NE(std::string(refused.what()).find("topology file '" + bad + "'"), std::string::npos);
    }
  }
  fs::remove_all(folder);
}

TEST(topology_test, bad_descriptions) {
  const auto message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "nothing";
  };
  for (const char* much : {"numa:100000 core:100000 pu:100", "100000 100000", "core:999999999999999999999999"})
    EXPECT_EQ(message([=] { static_cast<void>(topology::from_description(much)); }),
              "topology '" + std::string(much) + "': expected at most 65536 hardware threads");
  EXPECT_EQ(message([] { static_cast<void>(topology::from_description("four cores")); }),
            "topology 'four cores': expected levels with their numbers, as in 'numa:4 core:18 pu:4'");
  const auto distances = [&](const char* text) {
    return message(
        [text] { static_cast<void>(topology::from_description("numa:2 core:1 pu:1").with_distances(text)); });
  };
  EXPECT_EQ(distances("10,21"), "distances '10,21': 1 rows for 2 domains");
  EXPECT_EQ(distances("10,21;21"), "distances '10,21;21': row 2 has 1 numbers for 2 domains");
  EXPECT_EQ(distances("10,x;21,10"), "distances '10,x;21,10': expected a number above 0, got 'x'");
  EXPECT_EQ(distances("10,0;21,10"), "distances '10,0;21,10': expected a number above 0, got '0'");
  EXPECT_EQ(distances("10,inf;inf,10"), "distances '10,inf;inf,10': expected a number above 0, got 'inf'");
  EXPECT_EQ(distances("10,21;21,10,"), "distances '10,21;21,10,': something is missing at the end");
  EXPECT_EQ(distances("10,5;21,10"), "distances '10,5;21,10': domain 0 is farther from itself than from domain 1");
  EXPECT_EQ(message([] { static_cast<void>(topology::from_description("numa:2 core:1 pu:1").distance(0, 1)); }),
            "the distances between the 2 domains of this topology are not known: give them with it");
}

} // namespace
} // namespace treadle::detail

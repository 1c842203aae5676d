#include "topology/usable_cores.hpp"

#include <treadle/observe/machine.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sched.h>

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

TEST(topology_test, the_machine_is_described) {
  const machine_info info = describe_machine();
  EXPECT_FALSE(info.processor.empty());
  EXPECT_GE(info.cores, 1u);
  EXPECT_GE(info.processing_units, info.cores);
  EXPECT_GE(info.usable_cores, 1u);
  EXPECT_GT(info.memory_bytes, std::uint64_t{1} << 20);
}

} // namespace
} // namespace treadle::detail

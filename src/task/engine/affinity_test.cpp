#include "task/engine/comes_true.hpp"
#include "task/engine/masks_fixture.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/topology.hpp>
#include <treadle/treadle.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace treadle {
namespace {

using namespace std::chrono_literals;
using testing::comes_true;
using testing::cpus_of;
using testing::fib;
using testing::masks;
using testing::masks_of_main_thread;

TEST(binding, puts_each_worker_on_a_core_of_its_own) {
  const topology machine = topology::of_this_process();
  const auto cores = static_cast<unsigned>(machine.units.size());
  const std::vector<unsigned> pools = cores > 1 ? std::vector<unsigned>{cores - 1, 1} : std::vector<unsigned>{cores};
  for (const char* how : {"packed", "compact", "scatter", "balanced", "numa-balanced", "numa-balanced-mtp"}) {
    struct record {
      std::mutex mutex;
      std::map<unsigned, unsigned> cpus; // by worker
    } seen;
    worker_hooks hooks;
    hooks.context = &seen;
    hooks.on_start = [](void* c, unsigned worker) noexcept {
      auto& r = *static_cast<record*>(c);
      cpu_set_t mine;
      CPU_ZERO(&mine);
      sched_getaffinity(0, sizeof mine, &mine);
      EXPECT_EQ(CPU_COUNT(&mine), 1);
      const std::lock_guard guard(r.mutex);
      r.cpus[worker] = static_cast<unsigned>(sched_getcpu());
    };
    {
      runtime rt({.workers = pools[0], .pools = cores > 1 ? "other:1" : "", .bind = how, .hooks = hooks});
    }
    std::map<unsigned, unsigned> expected;
    for (const auto& pool : map_workers(machine, mapping_from_name(how), pools))
      for (const unsigned unit : pool) expected.emplace(expected.size(), machine.units[unit].os_index);
    EXPECT_EQ(seen.cpus, expected) << how;
  }
  EXPECT_THROW(runtime({.bind = "everywhere"}), std::invalid_argument);
}

constexpr int k_not_bound = 100; // exit code
/// Two workers on each hardware thread; all are busy, then one comes free. Those that it can take tasks from are the
/// one on its own hardware thread and one of the others: how often in 20 it takes from the former first.
int times_nearest_was_first(unsigned hardware_threads) {
  const auto workers = static_cast<int>(2 * hardware_threads);
  runtime rt({.workers = 2 * hardware_threads, .bind = "packed"});
  int nearest = 0;
  for (int i = 0; i < 20; ++i) {
    constexpr int k_nobody = -1;
    std::vector<int> cpus(2 * hardware_threads);
    std::atomic<int> came{0}, arrived{0}, queued{0}, first{k_nobody};
    const auto wait_until = [](auto holds) { // and keeps its worker
      while (!holds()) std::this_thread::sleep_for(50us);
    };
    std::vector<future<void>> tasks;
    for (int each = 0; each < workers; ++each)
      tasks.push_back(async([&] {
        const int me = came++;
        cpus[static_cast<std::size_t>(me)] = sched_getcpu();
        ++arrived;
        wait_until([&] { return arrived == workers; });
        if (me == 0) return wait_until([&] { return queued == 2; });
        const auto near = static_cast<int>(std::find(cpus.begin() + 1, cpus.end(), cpus[0]) - cpus.begin());
        const int far = near == 1 ? 2 : 1;
        if (near == workers || cpus[static_cast<std::size_t>(far)] == cpus[0]) std::_Exit(k_not_bound);
        std::vector<future<void>> offered;
        if (me == near || me == far) {
          for (int n = 0; n < 4; ++n)
            offered.push_back(async([&first, who = me] {
              int expected = k_nobody;
              first.compare_exchange_strong(expected, who);
            }));
          ++queued;
        }
        wait_until([&] { return first != k_nobody; });
        if (me == near && first == me) ++nearest;
        for (future<void>& each_offered : offered) each_offered.get();
      }));
    for (future<void>& task : tasks) task.get();
  }
  return nearest;
}

/// On a machine that is described so that each hardware thread has a domain of its own.
TEST(binding_death_test, an_idle_worker_takes_from_the_nearest_first) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::vector<unsigned> cpus = cpus_of(masks_of_main_thread().whole);
  if (cpus.size() < 2) GTEST_SKIP() << "there is one core";
  const auto in_domains_of_their_own = [&] {
    std::string described = "numa:" + std::to_string(cpus.size()) + " core:1 pu:1(indexes=";
    for (const unsigned cpu : cpus) described += (cpu == cpus[0] ? "" : ",") + std::to_string(cpu);
    setenv("HWLOC_SYNTHETIC", (described + ")").c_str(), 1);
    std::exit(times_nearest_was_first(static_cast<unsigned>(cpus.size())));
  };
  EXPECT_EXIT(in_domains_of_their_own(), ::testing::ExitedWithCode(20), "");
}

/// Comes to be; somebody has to look, who works.
bool works_with(const runtime& rt, unsigned workers) {
  return comes_true([&] {
    EXPECT_EQ(async(fib, 10).get(), 55);
    return rt.concurrency() == workers;
  });
}

TEST(affinity, is_followed_while_the_runtime_runs) {
  const auto [whole, one] = masks_of_main_thread();
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "there is one core";
  runtime rt;
  const unsigned all = rt.concurrency();
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  EXPECT_TRUE(works_with(rt, 1));
  EXPECT_EQ(rt.max_concurrency(), all);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
  EXPECT_TRUE(works_with(rt, all));
  // In a loop that has all workers busy, too.
  std::atomic<bool> seen{false};
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  for_loop(par, 0, 20'000'000, [&](int) {
    if (seen.load(std::memory_order_relaxed)) return;
    const auto end = std::chrono::steady_clock::now() + 1us;
    while (std::chrono::steady_clock::now() < end) {
    }
    if (rt.concurrency() == 1) seen = true;
  });
  EXPECT_TRUE(seen);
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
}

/// However few cores are left: nobody else would run the tasks of a pool that cannot borrow workers.
TEST(affinity, that_shrinks_leaves_a_worker_to_each_pool_that_cannot_borrow) {
  cpu_set_t whole, one;
  CPU_ZERO(&whole);
  ASSERT_EQ(sched_getaffinity(getpid(), sizeof whole, &whole), 0);
  const std::vector<unsigned> cpus = cpus_of(whole);
  if (cpus.size() < 2) GTEST_SKIP() << "there is one core";
  const std::string own = "own:cpus=" + std::to_string(cpus[1]);
  for (const std::string& pools :
       {own + ":exclusive", own + ":policy=static", own + ":exclusive,default:cpus=" + std::to_string(cpus[0])}) {
    for (const unsigned left : {cpus[0], cpus[1]}) {
      runtime rt({.pools = pools});
      CPU_ZERO(&one);
      CPU_SET(left, &one);
      ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
      EXPECT_TRUE(comes_true([&] {
        async([] {}).get();
        return rt.concurrency() == 2;
      })) << pools;
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(async(pool_executor("own"), [i] { return i; }).get(), i) << pools;
        EXPECT_EQ(async([i] { return i; }).get(), i) << pools;
        std::this_thread::sleep_for(60ms); // the mask is looked at twice in a second
      }
      ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
    }
  }
}

/// Where the program has said how many workers it wants, its main thread may be bound to a core of its own.
TEST(affinity, of_the_main_thread_is_its_own_where_workers_are_asked_for) {
  const masks of_main = masks_of_main_thread();
  const cpu_set_t &whole = of_main.whole, &one = of_main.one;
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  {
    runtime rt({.workers = 2});
    for (int i = 0; i < 100; ++i) {
      async([&] {
        cpu_set_t mine;
        CPU_ZERO(&mine);
        sched_getaffinity(0, sizeof mine, &mine);
        EXPECT_TRUE(CPU_EQUAL(&mine, &whole));
      }).get();
    }
    EXPECT_EQ(rt.concurrency(), 2u);
  }
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
}

/// A control group of its own for this process, where it may have one: as root, on a machine that lets it.
class own_group {
 public:
  own_group() {
    const std::string name = "/treadle-test-" + std::to_string(getpid());
    for (const std::string root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
      m_folder = root + name;
      if (mkdir(m_folder.c_str(), 0755) != 0) continue;
      m_before = root + path_in(root == "/sys/fs/cgroup" ? "" : "cpu");
      m_is_there = write("cgroup.procs", std::to_string(getpid()));
      if (m_is_there && set_quota(2)) return;
      leave();
    }
  }
  ~own_group() {
    if (m_is_there) leave();
  }
  own_group(const own_group&) = delete;
  own_group& operator=(const own_group&) = delete;

  bool is_there() const noexcept { return m_is_there; }
  /// In cores.
  bool set_quota(double cores) const {
    const std::string us = std::to_string(static_cast<long>(100'000 * cores));
    return write("cpu.cfs_quota_us", us) || write("cpu.max", us + " 100000");
  }

 private:
  bool write(const char* file, const std::string& text) const { return write_to(m_folder + "/" + file, text); }
  static bool write_to(const std::string& path, const std::string& text) {
    const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC); // which makes none
    if (file < 0) return false;
    const bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(file);
    return is_written;
  }
  /// Of the group that this process is in, in the hierarchy of the controller; "": that of version 2.
  static std::string path_in(const std::string& controller) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) { // "ID:CONTROLLERS:PATH"
      const std::size_t first = line.find(':'), second = line.find(':', first + 1);
      if (second == line.npos || line.substr(first + 1, second - first - 1) != controller) continue;
      return line.substr(second + 1);
    }
    return "/";
  }
  void leave() noexcept {
    if (m_is_there) write_to(m_before + "/cgroup.procs", std::to_string(getpid()));
    for (int tries = 0; tries < 1000 && rmdir(m_folder.c_str()) != 0 && errno == EBUSY; ++tries)
      usleep(1000); // a thread that has ended is still counted
    m_is_there = false;
  }

  std::string m_before, m_folder;
  bool m_is_there = false;
};

/// With a mask and what the program says, the least of all counts.
TEST(quota, is_followed_while_the_runtime_runs) {
  const auto [whole, one] = masks_of_main_thread();
  if (CPU_COUNT(&whole) < 2) GTEST_SKIP() << "there is one core";
  const own_group group;
  if (!group.is_there()) GTEST_SKIP() << "this process may have no control group of its own";
  runtime rt;
  EXPECT_TRUE(works_with(rt, 2)) << rt.concurrency();
  ASSERT_TRUE(group.set_quota(0.7));
  EXPECT_TRUE(works_with(rt, 1));
  ASSERT_TRUE(group.set_quota(1.2));
  EXPECT_TRUE(works_with(rt, 2));
  rt.set_concurrency(1);
  EXPECT_TRUE(works_with(rt, 1));
  rt.set_concurrency(rt.max_concurrency());
  EXPECT_TRUE(works_with(rt, 2));
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof one, &one), 0);
  EXPECT_TRUE(works_with(rt, 1));
  ASSERT_EQ(sched_setaffinity(getpid(), sizeof whole, &whole), 0);
  EXPECT_TRUE(works_with(rt, 2));
}

} // namespace
} // namespace treadle

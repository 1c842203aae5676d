#include "fiber/fiber.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <set>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <utility>
#include <vector>

namespace treadle::detail {
namespace {

thread_local fiber* t_home = nullptr;
thread_local std::vector<std::string>* t_log = nullptr;

void echo(fiber& self, fiber&) {
  for (int i = 0;; ++i) {
    t_log->push_back("fiber " + std::to_string(i));
    self.switch_to(*t_home, thread_exceptions());
  }
}

TEST(fiber_test, switches_back_and_forth) {
  fiber home;
  std::vector<std::string> log;
  t_home = &home;
  t_log = &log;
  fiber other(64 * 1024, echo);
  for (int i = 0; i < 3; ++i) {
    fiber& came_from = home.switch_to(other, thread_exceptions());
    EXPECT_EQ(&came_from, &other);
    log.push_back("home");
  }
  EXPECT_EQ(log, (std::vector<std::string>{"fiber 0", "home", "fiber 1", "home", "fiber 2", "home"}));
}

TEST(fiber_test, stacks_are_usable_to_the_guard_page_and_aligned) {
  fiber home;
  t_home = &home;
  static std::size_t misalignment;
  fiber other(64 * 1024, [](fiber& self, fiber&) {
    for (;;) {
      alignas(16) char local[16];
      misalignment = reinterpret_cast<std::uintptr_t>(local) % 16;
      volatile char* lowest = static_cast<char*>(self.memory().limit());
      *lowest = 1;
      self.switch_to(*t_home, thread_exceptions());
    }
  });
  home.switch_to(other, thread_exceptions());
  EXPECT_EQ(misalignment, 0u);
  EXPECT_GE(static_cast<char*>(other.memory().top()) - static_cast<char*>(other.memory().limit()), 64 * 1024);
}

TEST(fiber_test, stacks_that_were_given_back_are_used_again) {
  std::vector<stack> all;
  for (int i = 0; i < 100; ++i) {
    all.push_back(allocate_stack(64 * 1024));
    *static_cast<char*>(all.back().limit()) = 1;
  }
  for (int i = 0; i < 100; ++i) all.push_back(allocate_stack(16 * 1024));
  std::set<void*> small, large;
  for (const stack& each : all) (&each - all.data() < 100 ? large : small).insert(each.mapping);
  for (const stack& each : all) free_stack(each);
  int deep = 0;
  for (int i = 0; i < 100; ++i) {
    all[static_cast<std::size_t>(i)] = allocate_stack(64 * 1024);
    const stack& again = all[static_cast<std::size_t>(i)];
    EXPECT_EQ(static_cast<char*>(again.top()) - static_cast<char*>(again.limit()), 64 * 1024);
    EXPECT_FALSE(small.contains(again.mapping));
    EXPECT_TRUE(k_sanitized || large.contains(again.mapping));
    deep += *static_cast<char*>(again.limit()); // the memory of others went back to the system
  }
  EXPECT_LT(deep, 31);
  for (int i = 0; i < 100; ++i) free_stack(all[static_cast<std::size_t>(i)]);
}

TEST(fiber_death_test, idle_stacks_make_room_for_those_of_another_size) {
  if (k_sanitized) GTEST_SKIP() << "a sanitizer needs more address space";
  EXPECT_EXIT(
      {
        std::vector<stack> all;
        for (int i = 0; i < 1000; ++i) all.push_back(allocate_stack(1024 * 1024));
        for (const stack& each : std::exchange(all, {})) free_stack(each);
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = 2UL * 1024 * 1024 * 1024;
        setrlimit(RLIMIT_AS, &limit);
        for (int i = 0; i < 600; ++i) all.push_back(allocate_stack(2048 * 1024));
        std::exit(all.size() == 600 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(fiber_death_test, overflow_faults_in_the_guard_page) {
  EXPECT_DEATH(
      {
        const stack s = allocate_stack(16 * 1024);
        *(static_cast<volatile char*>(s.limit()) - 1) = 1;
      },
      "");
}

TEST(fiber_test, each_fiber_has_its_own_exception_state) {
  fiber home;
  t_home = &home;
  fiber other(256 * 1024, [](fiber& self, fiber&) {
    for (;;) {
      EXPECT_EQ(std::current_exception(), nullptr);
      try {
        throw std::runtime_error("inner");
      } catch (const std::exception& e) {
        self.switch_to(*t_home, thread_exceptions());
        EXPECT_STREQ(e.what(), "inner");
      }
      self.switch_to(*t_home, thread_exceptions());
    }
  });
  try {
    throw std::runtime_error("outer");
  } catch (const std::exception& e) {
    home.switch_to(other, thread_exceptions());
    EXPECT_STREQ(e.what(), "outer");
    home.switch_to(other, thread_exceptions());
    try {
      throw;
    } catch (const std::exception& again) {
      EXPECT_STREQ(again.what(), "outer");
    }
  }
}

TEST(fiber_test, a_fiber_goes_on_on_another_thread) {
  std::vector<std::string> log;
  auto other = std::make_unique<fiber>(64 * 1024, echo);
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      fiber home;
      t_home = &home;
      t_log = &log;
      home.switch_to(*other, thread_exceptions());
    }).join();
  }
  EXPECT_EQ(log, (std::vector<std::string>{"fiber 0", "fiber 1", "fiber 2"}));
}

} // namespace
} // namespace treadle::detail

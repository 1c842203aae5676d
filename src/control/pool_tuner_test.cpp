#include <treadle/tune/pool_tuner.hpp>

#include <treadle/treadle.hpp>
#include <treadle/tune/explain.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace treadle {
namespace {

/// Tasks that keep a worker without using a core, so that more workers are faster here, too.
void step(int of_urgent, int of_others) {
  std::vector<future<void>> all;
  const auto sleep = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
  for (int i = 0; i < of_urgent; ++i) all.push_back(async(pool_executor("urgent"), sleep));
  for (int i = 0; i < of_others; ++i) all.push_back(async(pool_executor("default"), sleep));
  wait_all(all);
}

TEST(pool_tuner, gives_workers_to_who_has_work) {
  runtime rt({.workers = 1, .pools = "urgent:3:exclusive"});
  pool_tuner tuner(rt, {.window_ns = 0, .budget = 0});
  const auto run_until = [&](const std::string& sizes, int of_urgent, int of_others) {
    for (int i = 0; i < 5000 && !(tuner.sizes() == sizes && tuner.settled()); ++i) {
      tuner.resume();
      step(of_urgent, of_others);
      tuner.done();
    }
    EXPECT_EQ(tuner.sizes(), sizes);
  };
  run_until("urgent:1,default:3", 1, 12);
  run_until("urgent:3,default:1", 12, 1); // the program has changed
}

TEST(pool_tuner, settles_where_workers_are_counted_by_cores) {
  runtime rt({.pools = "urgent:2:exclusive"});
  pool_tuner tuner(rt, {.window_ns = 0, .budget = 0});
  for (int i = 0; i < 5000 && !tuner.settled(); ++i) {
    step(2, 2);
    tuner.done();
  }
  EXPECT_TRUE(tuner.settled());
}

TEST(pool_tuner, works_by_itself) {
  runtime rt({.workers = 3, .pools = "urgent:1:exclusive"});
  {
    const pool_tuner tuner(rt, {.window_ns = 0, .budget = 0, .every_ms = 20});
    for (int i = 0; i < 5000 && !(tuner.sizes() == "urgent:3,default:1" && tuner.settled()); ++i) step(12, 0);
    EXPECT_EQ(tuner.sizes(), "urgent:3,default:1");
  }
  step(3, 3); // with what it has left
}

TEST(pool_tuner, is_explained) {
  runtime rt({.workers = 2, .pools = "urgent:1:exclusive"});
  pool_tuner tuner(rt, {.name = "sizes", .window_ns = 0, .budget = 0});
  for (int i = 0; i < 20; ++i) {
    step(1, 1);
    tuner.done();
  }
  bool found = false;
  for (const decision_report& one : explain()) {
    if (one.instance != "sizes") continue;
    found = true;
    EXPECT_EQ(one.kind, "pools");
    EXPECT_NE(std::string(one.chosen).find("urgent:"), std::string::npos);
  }
  EXPECT_TRUE(found);
}

TEST(pool_tuner, finds_that_one_pool_is_best) {
  runtime rt({.workers = 2, .pools = "urgent:2"});
  std::string last;
  {
    pool_tuner tuner(rt, {.window_ns = 0, .budget = 0});
    for (int i = 0; i < 5000 && !(tuner.sizes() == "urgent:0,default:4" && tuner.settled()); ++i) {
      // As if what differs were the only thing that counts: the rest of the machine does what it likes.
      const bool is_one = tuner.sizes() == "urgent:0,default:4";
      step(2, 2);
      tuner.resume();
      std::this_thread::sleep_for(std::chrono::milliseconds(is_one ? 1 : 4));
      tuner.done();
    }
    EXPECT_EQ(tuner.sizes(), "urgent:0,default:4");
  }
  EXPECT_TRUE(async(pool_executor("urgent"), [] { return pool_executor("default").is_here(); }).get());
}

/// Where pools go by critical paths, one is enough.
TEST(pool_tuner, finds_whether_tasks_should_be_ordered) {
  for (const char* pools : {"default:2:policy=critical-path", "default:2:policy=critical-path,urgent:1"}) {
    runtime rt({.pools = pools});
    pool_tuner tuner(rt, {.name = "order", .window_ns = 0, .budget = 0});
    EXPECT_TRUE(tuner.is_ordering());
    for (const bool ordered : {false, true}) { // the program changes in between
      for (int i = 0; i < 5000 && !(tuner.is_ordering() == ordered && tuner.settled()); ++i) {
        EXPECT_EQ(async([] { return 1 + async([] { return 1; }).get(); }).get(), 2);
        tuner.resume();
        std::this_thread::sleep_for(std::chrono::milliseconds(tuner.is_ordering() == ordered ? 1 : 4));
        tuner.done();
      }
      EXPECT_EQ(tuner.is_ordering(), ordered) << pools;
      for (const decision_report& one : explain())
        EXPECT_TRUE(one.instance != "order" || one.chosen.ends_with(" unordered") != ordered) << one.chosen;
    }
  }
}

TEST(pool_tuner, tries_bindings) {
  runtime rt({.workers = 2, .pools = "urgent:1"});
  {
    pool_tuner tuner(rt, {.name = "bindings", .window_ns = 0, .budget = 0, .bindings = {"scatter", "compact", "none"}});
    EXPECT_EQ(tuner.binding(), "none"); // begins with what is in force
    for (int i = 0; i < 5000 && !(tuner.binding() == "compact" && tuner.settled()); ++i) {
      step(1, 1);
      tuner.resume();
      std::this_thread::sleep_for(std::chrono::milliseconds(tuner.binding() == "compact" ? 1 : 4));
      tuner.done();
    }
    EXPECT_EQ(tuner.binding(), "compact");
    bool found = false;
    for (const decision_report& one : explain()) {
      if (one.instance != "bindings") continue;
      found = true;
      EXPECT_NE(one.chosen.find("urgent:"), std::string::npos) << one.chosen;
      EXPECT_NE(one.chosen.find(" compact"), std::string::npos) << one.chosen;
    }
    EXPECT_TRUE(found);
  }
  EXPECT_EQ(rt.binding(), "compact");
}

TEST(pool_tuner, leaves_the_binding_alone_unless_told) {
  runtime rt({.workers = 2, .pools = "urgent:1", .bind = "scatter"});
  pool_tuner tuner(rt, {.window_ns = 0, .budget = 0});
  for (int i = 0; i < 20; ++i) {
    step(1, 1);
    tuner.done();
    EXPECT_EQ(tuner.binding(), "scatter");
  }
}

TEST(pool_tuner, lists_bindings_when_one_is_unknown) {
  runtime rt({.workers = 2, .pools = "urgent:1"});
  try {
    pool_tuner tuner(rt, {.bindings = {"scatter", "best"}});
    ADD_FAILURE() << "nothing thrown";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "pool_tuner: expected a mapping (none, packed, compact, scatter, balanced, numa-balanced, "
                           "numa-balanced-mtp), got 'best'");
  }
}

TEST(pool_tuner, refuses_what_it_cannot_change) {
  runtime one({.workers = 2});
  EXPECT_THROW(pool_tuner{one}, std::invalid_argument);
}

/// Of a pool with hardware threads of its own the order is found out nevertheless.
TEST(pool_tuner, leaves_the_size_of_a_pool_that_shares_no_workers) {
  for (const char* pools :
       {"default:1:cpus=0:policy=critical-path", "default:1:cpus=0,urgent:1:policy=critical-path"}) {
    runtime rt({.pools = pools});
    pool_tuner tuner(rt, {.window_ns = 0, .budget = 0});
    for (int i = 0; i < 5000 && !(!tuner.is_ordering() && tuner.settled()); ++i) {
      EXPECT_EQ(async([] { return 1; }).get(), 1);
      tuner.resume();
      std::this_thread::sleep_for(std::chrono::milliseconds(tuner.is_ordering() ? 4 : 1));
      tuner.done();
    }
    EXPECT_FALSE(tuner.is_ordering()) << pools;
    EXPECT_EQ(tuner.sizes(), "default:1");
    EXPECT_THROW(pool_tuner(rt, {.every_ms = 20}), std::invalid_argument);
  }
}

TEST(pool_tuner, leaves_pools_with_hardware_threads_of_their_own) {
  runtime rt({.workers = 2, .pools = "a:1:cpus=0"});
  EXPECT_THROW(pool_tuner{rt}, std::invalid_argument);
}

} // namespace
} // namespace treadle

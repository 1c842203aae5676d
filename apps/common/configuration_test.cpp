#include "common/configuration.hpp"

#include <treadle/runtime.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

using namespace apps;

std::string message_of(auto call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing thrown";
}

treadle::runtime_options options_for(const configuration& how, pool_sizes sizes) {
  treadle::runtime_options options;
  apply(how, sizes, options);
  return options;
}

} // namespace

TEST(configuration, every_one_runs_tasks_of_both_kinds) {
  for (const configuration& how : configurations()) {
    for (const unsigned workers : {1U, 2U, 4U}) {
      if (how.is_split && workers == 1) continue;
      SCOPED_TRACE(std::string(how.name) + ", " + std::to_string(workers) + " workers");
      const treadle::runtime runtime(options_for(how, {workers, 0}));
      EXPECT_EQ(runtime.max_concurrency(), workers);
      const launcher marked = how.launcher_of(true), other = how.launcher_of(false);
      const int sum =
          treadle::async([&] {
            auto first = marked.async([](int a) { return a; }, 1).share();
            auto second =
                other.dataflow([](const treadle::shared_future<int>& a, int b) { return a.get() + b; }, first, 10);
            return marked
                .dataflow(
                    [](const treadle::shared_future<int>& a, treadle::future<int> b) { return a.get() + b.get(); },
                    first, std::move(second))
                .get();
          }).get();
      EXPECT_EQ(sum, 12);
    }
  }
}

TEST(configuration, default_changes_nothing) {
  treadle::runtime_options options;
  apply(find_configuration("default"), {0, 0}, options);
  EXPECT_EQ(options.workers, 0U);
  EXPECT_TRUE(options.pools.empty());
  EXPECT_EQ(options.bind, "");
}

TEST(configuration, splits_workers_as_asked) {
  const auto pools_of = [](const char* name, pool_sizes sizes) {
    return options_for(find_configuration(name), sizes).pools.list();
  };
  const auto paper = pools_of("paper-pools", {288, 256});
  ASSERT_EQ(paper.size(), 2U);
  EXPECT_EQ(paper[0].name, "critical");
  EXPECT_EQ(paper[0].workers, 256U);
  EXPECT_EQ(paper[1].name, "default");
  EXPECT_EQ(paper[1].workers, 32U);
  for (const treadle::pool& one : paper) {
    EXPECT_TRUE(one.exclusive);
    EXPECT_EQ(one.policy, treadle::scheduling::local_priority_fifo);
  }
  const auto lending = pools_of("lending", {5, 0});
  EXPECT_EQ(lending[0].workers, 2U);
  EXPECT_EQ(lending[1].workers, 3U);
  EXPECT_FALSE(lending[0].exclusive);
}

TEST(configuration, the_users_binding_stays) {
  treadle::runtime_options options;
  options.bind = "scatter";
  apply(find_configuration("paper-default"), {2, 0}, options);
  EXPECT_EQ(options.bind, "scatter");
  EXPECT_EQ(options_for(find_configuration("paper-pools-mtp"), {2, 1}).bind, "numa-balanced-mtp");
}

TEST(configuration, auto_begins_with_one_pool_and_has_as_many_workers_as_asked) {
  const configuration& how = find_configuration("auto");
  EXPECT_TRUE(how.is_tuned);
  const auto with = [&](pool_sizes sizes, const char* bind, const auto& check) {
    treadle::runtime_options options;
    options.bind = bind;
    apply(how, sizes, options);
    treadle::runtime runtime(options);
    EXPECT_EQ(runtime.max_concurrency(), sizes.workers);
    auto tuner = tuner_of(how, sizes, runtime);
    check(tuner);
    const launcher marked = how.launcher_of(true), other = how.launcher_of(false);
    EXPECT_EQ(marked.async([] { return 1; }).get() + other.async([] { return 2; }).get(), 3);
  };
  with({4, 0}, "", [](auto& tuner) {
    ASSERT_TRUE(tuner);
    EXPECT_EQ(tuner->sizes(), "critical:0,default:4");
    EXPECT_EQ(tuner->binding(), "none");
  });
  with({4, 1}, "scatter", [](auto& tuner) {
    ASSERT_TRUE(tuner);
    EXPECT_EQ(tuner->sizes(), "critical:1,default:3");
    EXPECT_EQ(tuner->binding(), "scatter");
  });
  with({1, 0}, "", [](auto& tuner) {
    ASSERT_TRUE(tuner);
    EXPECT_EQ(tuner->sizes(), "default:1");
    EXPECT_TRUE(tuner->is_ordering());
  });
}

TEST(configuration, only_auto_is_tuned) {
  for (const configuration& how : configurations()) {
    if (how.is_tuned) continue;
    treadle::runtime runtime(options_for(how, {2, 0}));
    EXPECT_FALSE(tuner_of(how, {2, 0}, runtime)) << how.name;
  }
}

TEST(configuration, says_what_cannot_be) {
  const std::string unknown = message_of([] { find_configuration("papers"); });
  EXPECT_NE(unknown.find("'papers'"), std::string::npos);
  for (const configuration& one : configurations()) EXPECT_NE(unknown.find(one.name), std::string::npos);
  const configuration& split = find_configuration("strict");
  EXPECT_EQ(message_of([&] { options_for(split, {1, 0}); }),
            "configuration strict has two pools and needs two workers, not 1");
  EXPECT_EQ(
      message_of([&] { options_for(split, {4, 4}); }),
      "configuration strict: the pool 'critical' cannot have 4 of 4 workers, because the pool 'default' needs one");
  const std::string twice = message_of([&] {
    treadle::runtime_options options;
    options.pools = "io:1";
    apply(split, {2, 1}, options);
  });
  EXPECT_EQ(twice, "configuration strict describes the pools itself: critical:1:exclusive,default:1:exclusive");
}

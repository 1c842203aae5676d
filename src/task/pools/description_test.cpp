#include <treadle/pools.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace treadle {
namespace {

std::string message(const char* text) {
  try {
    static_cast<void>(pools(text));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(pools_description, says_what_there_is_to_say) {
  const pools all = "io:1,critical:policy=static:4:exclusive:cpus=0-3+8:stack-bytes=524288,blas:domains=1";
  ASSERT_EQ(all.list().size(), 3u);
  const pool &io = all.list()[0], &critical = all.list()[1], &blas = all.list()[2];
  EXPECT_EQ(io.name, "io");
  EXPECT_EQ(io.workers, 1u);
  EXPECT_EQ(io.policy, scheduling::work_stealing);
  EXPECT_FALSE(io.exclusive);
  EXPECT_EQ(critical.workers, 4u);
  EXPECT_EQ(critical.policy, scheduling::static_placement);
  EXPECT_EQ(critical.cpus, (std::vector<unsigned>{0, 1, 2, 3, 8}));
  EXPECT_EQ(critical.stack_bytes, 524288u);
  EXPECT_TRUE(critical.exclusive);
  EXPECT_EQ(blas.domains, (std::vector<unsigned>{1}));
  EXPECT_EQ(blas.workers, 0u);
  EXPECT_TRUE(pools("").empty());
  EXPECT_EQ(pools().add({.name = "io", .workers = 2}).list().front().workers, 2u);
}

TEST(pools_description, all_policies_have_names) {
  for (const char* name :
       {"work-stealing", "local-priority-fifo", "local-priority-lifo", "static", "shared-priority", "critical-path"})
    EXPECT_EQ(to_string(scheduling_from_name(name)), name);
}

TEST(pools_description, what_is_wrong_is_named) {
  EXPECT_EQ(message("a b:1"), "pools 'a b:1': 'a b' is no name for a pool (1 to 15 letters, digits, '-' and '_')");
  EXPECT_EQ(message(",a:1"), "pools ',a:1': '' is no name for a pool (1 to 15 letters, digits, '-' and '_')");
  EXPECT_EQ(message("a:1,"), "pools 'a:1,': '' is no name for a pool (1 to 15 letters, digits, '-' and '_')");
  EXPECT_EQ(message("a:1,a:2"), "pools 'a:1,a:2': there are two pools 'a'");
  EXPECT_EQ(message("a:0"), "pools 'a:0': pool 'a': expected a number of workers, policy=NAME, cpus=LIST, "
                            "domains=LIST, stack-bytes=N or exclusive, got '0'");
  EXPECT_NE(message("a:many").find("got 'many'"), std::string::npos);
  EXPECT_NE(message("a:policy=best").find("pool 'a': no scheduling policy 'best'; there are work-stealing"),
            std::string::npos);
  for (const char* list : {"", "1-", "-1", "3-1", "0++1", "0-99999999"})
    EXPECT_NE(message(("a:cpus=" + std::string(list)).c_str()).find("expected a list such as 0-3+8"), std::string::npos)
        << list;
  EXPECT_NE(message("a:stack-bytes=0").find("expected a number of bytes"), std::string::npos);
  EXPECT_NE(message("a:cores=1").find("nothing is called 'cores'"), std::string::npos);
  EXPECT_EQ(message("a:1:2"), "pools 'a:1:2': pool 'a': has a number of workers twice");
  EXPECT_EQ(message("a:policy=static:policy=static"),
            "pools 'a:policy=static:policy=static': pool 'a': has policy twice");
  EXPECT_EQ(message("a:exclusive:1:exclusive"), "pools 'a:exclusive:1:exclusive': pool 'a': has exclusive twice");
  EXPECT_THROW(pools().add({.name = "a"}).add({.name = "a"}), std::invalid_argument);
}

} // namespace
} // namespace treadle

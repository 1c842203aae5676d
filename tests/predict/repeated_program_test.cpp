#include "predict/repeated_program.hpp"

#include <gtest/gtest.h>

namespace treadle::predict {
namespace {

constexpr unsigned k_repetitions = 200, k_seeds = 6;

/// On average over some searches: each has luck of its own.
double over_best(repeated_program& program) {
  constexpr unsigned k_searches = 8;
  double sum_ns = 0;
  for (std::uint64_t seed = 1; seed <= k_searches; ++seed)
    sum_ns += program.repeat(k_repetitions, k_seeds, auto_options(seed)).ns;
  return sum_ns / (k_searches * k_repetitions * program.best(k_seeds).ns) - 1;
}

TEST(repeated_program, costs_little_more_than_the_best_choice) {
  for (const char* costs : {"treadle", "hpx"}) {
    for (const repeated_case& what :
         {repeated_case{"cholesky:t=8,r=1", "potrf", 8, "numa:2 core:4 pu:2", costs},
          repeated_case{"cholesky:t=8,r=10", "potrf", 28, "numa:2 core:14 pu:1", costs},
          repeated_case{"merge-sort:n=10000,cutoff=64", "merge", 8, "numa:2 core:4 pu:1", costs}}) {
      repeated_program program(what);
      EXPECT_LT(over_best(program), 0.03) << what.program << ", " << costs;
    }
  }
}

/// Each new task costs more the more workers its pool has, so a small pool makes them, and lends itself out.
TEST(repeated_program, leaves_one_pool_where_two_are_much_better) {
  repeated_program program({"cholesky:t=8,r=3", "potrf", 28, "numa:2 core:14 pu:1", "hpx"});
  const auto best = program.best(k_seeds);
  ASSERT_GT(program.mean({0, "scatter"}, k_seeds) / best.ns, 1.3);
  const auto found = program.repeat(k_repetitions, k_seeds, auto_options(1));
  EXPECT_EQ(found.last.find("critical:0,"), std::string::npos) << found.last;
}

TEST(repeated_program, is_the_same_each_time) {
  const repeated_case what{"cholesky:t=6,r=3", "potrf", 8, "numa:2 core:4 pu:2", "treadle"};
  repeated_program one(what), other(what);
  EXPECT_EQ(one.repeat(50, k_seeds, auto_options(3)).ns, other.repeat(50, k_seeds, auto_options(3)).ns);
}

} // namespace
} // namespace treadle::predict

// Constructs whose parts really run at the same time.
#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

using physl::policy;

TEST(parallel, stress_on_shared_variables) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies) {
      // Different elements of one array, written by all tasks.
      EXPECT_EQ(repr(run("define(x, constant(0, list(200)))\n"
                         "parallel_map(lambda(i, store(slice(x, i), i * i)), range(200))\n"
                         "sum(x == square(arange(200)))",
                         {}, p)),
                "200");
      // A variable replaced by all tasks: one of the values stays.
      EXPECT_EQ(repr(run("define(last, [0.0])\n"
                         "parallel_map(lambda(i, store(last, [1.0, 2.0] * i)), range(200))\n"
                         "slice(last, 1) == 2.0 * slice(last, 0)",
                         {}, p)),
                "true");
      // Readers hold what a writer replaces.
      EXPECT_EQ(repr(run("define(x, constant(1.0, list(50)))\n"
                         "parallel_block(\n"
                         "  for_in(i, range(100), store(slice(x, i % 50), 1.0)),\n"
                         "  for_in(j, range(100), assert(sum(x) == 50.0)),\n"
                         "  for_in(k, range(100), assert(amin(x + x) == 2.0)))\n"
                         "sum(x)",
                         {}, p)),
                "50.0");
    }
  }
}

TEST(parallel, blocks_and_async_values_join) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies) {
      EXPECT_EQ(repr(run("define(fib, n, if(n < 2, n, fib(n - 1) + fib(n - 2)))\n"
                         "define(a, 0) define(b, 0)\n"
                         "parallel_block(store(a, fib(12)), store(b, fib(13)))\n"
                         "a + b",
                         {}, p)),
                "377");
      EXPECT_EQ(
          repr(run("define(values, fmap(lambda(i, async(i * 2)), range(100))) fold_left(__add, 0, values)", {}, p)),
          "9900");
      EXPECT_EQ(repr(run("define(x, 1) define(old, async(block(x))) define(s, 0)\n"
                         "for_in(i, range(50), block(store(x, i), store(s, s + async(i)))) assert(old >= 0) s",
                         {}, p)),
                "1225");
    }
  }
}

TEST(parallel, values_nobody_waits_for_end_before_the_run_does) {
  const workers w(2);
  for (auto p : k_policies) {
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(repr(run("define(f, n, block(async(sum(arange(n))), n)) fmap(f, range(20)) 1", {}, p)), "1");
    EXPECT_EQ(error_of("define(f, n, async(sum(arange(n)))) f(10) f(1000) 1 / 0", p).message(),
              "__div: integer division by zero");
  }
}

TEST(parallel, closures_in_their_own_frames_are_given_back) {
  const workers w(2); // leaks show under AddressSanitizer
  for (auto p : k_policies) {
    EXPECT_EQ(repr(run("define(make, n, block(define(self, nil), define(big, constant(0.0, list(1000))),\n"
                       "  store(self, lambda(k, if(k == 0, n, self(k - 1)))), self(3)))\n"
                       "fmap(make, range(50)) make(7)",
                       {}, p)),
              "7");
    EXPECT_EQ(run("lambda(1)", {}, p), value(1)); // a function is called at the end
    EXPECT_EQ(run("list(lambda(1))", {}, p).kind(), value_kind::list);
  }
}

TEST(parallel, independent_operands_overlap_but_ordered_ones_do_not) {
  const workers w(4);
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(repr(run("define(log, list())\n"
                       "define(note, n, block(store(log, append(log, n)), n))\n"
                       "list(note(1), list(note(2), note(3)), note(4) + note(5)) log",
                       {}, policy::always_async)),
              "list(1, 2, 3, 4, 5)");
}

} // namespace
} // namespace treadle::tree

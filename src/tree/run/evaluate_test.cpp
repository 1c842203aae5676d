#include "tree/test_support.hpp"

#include <treadle/async.hpp>

namespace treadle::tree {
namespace {

using physl::policy;

struct case_of {
  const char* text;
  const char* expected;
};

constexpr case_of k_cases[] = {
    // variables and functions
    {"define(x, 3) x + 1", "4"},
    {"define(f, a, b, a - b) f(5, 3)", "2"},
    {"define(f, lambda(7)) f()", "7"},
    {"define(f, a, __arg(b, a * 10), a + b) list(f(1), f(1, 2), f(__arg(b, 5), __arg(a, 1)))", "list(11, 3, 6)"},
    {"define(even, n, if(n == 0, true, odd(n - 1))) define(odd, n, if(n == 0, false, even(n - 1))) even(10)", "true"},
    {"define(add, a, lambda(b, a + b)) define(add2, add(2)) add2(5)", "7"},
    {"define(counter, block(define(n, 0), lambda(block(store(n, n + 1), n)))) define(c, counter) c() c() c()", "3"},
    {"define(f, x, block(define(x, x + 1), x)) f(1)", "2"},
    {"define(f, block(define(f, 1), f)) f", "1"},
    {"define(x, 1) define(f, block(define_global(x, 5))) x", "5"},
    {"define(f, a, define_global(g, a)) f(4) g", "4"},
    {"define(sum, a, b, a * b) sum(3, 4)", "12"},             // a user's name hides a primitive,
    {"define(n, sum([1, 2])) define(sum, n, n) sum(9)", "9"}, // but only from its definition on
    {"define(shape, shape([1, 2])) shape", "list(2)"},
    {"define(sum, a, sum{builtin}(a) + 1) sum([1, 2])", "4"},
    {"define(pi, 3) pi", "3"},
    {"fmap(sqrt, '(1.0, 4.0))", "list(1.0, 2.0)"},
    // control
    {"block()", "nil"},
    {"if(1 < 2, \"yes\", \"no\")", "\"yes\""},
    {"if(false, 1)", "nil"},
    {"define(i, 0) while(i < 3, store(i, i + 1)) i", "3"},
    {"define(i, 0) while(i < 3, block(store(i, i + 1), i * 10))", "30"},
    {"define(s, 0) for(define(i, 0), i < 4, store(i, i + 1), store(s, s + i)) s", "6"},
    {"define(s, 0) for_each(lambda(i, store(s, s + i)), range(5)) s", "10"},
    {"define(n, 0) for_each(lambda(i, block(store(n, n + 1), true)), range(5)) n", "5"},
    {"define(n, 0) for_each(lambda(i, block(if(i == 2, break()), store(n, n + 1))), range(5)) n", "2"},
    {"define(s, 0) for_in(i, [1, 2, 3], store(s, s + i)) list(s, i)", "list(6, 3)"},
    {"define(s, 0) for_in(i, range(10), block(if(i == 2, continue()), if(i == 5, break()), store(s, s + i))) s", "8"},
    {"define(s, 0) for(define(i, 0), i < 5, store(i, i + 1), block(if(i % 2 == 0, continue()), store(s, s + i))) s",
     "4"},
    {"define(i, 0) while(true, block(store(i, i + 1), if(i == 4, break()))) i", "4"},
    {"define(f, n, block(while(true, block(store(n, n - 1), if(n < 0, return(n * 100)))), 5)) f(3)", "-100"},
    {"define(f, n, block(if(n > 0, return(1)), 2)) list(f(1), f(0))", "list(1, 2)"},
    {"define(g, lambda(block(return(), 1))) g()", "nil"},
    {"define(f, n, for_in(i, range(10), for_in(j, range(10), if(i * j == n, return(list(i, j)))))) f(12)",
     "list(2, 6)"},
    // sequences
    {"fmap(lambda(a, b, a + b), '(1, 2, 3), '(10, 20))", "list(11, 22)"},
    {"filter(lambda(x, x > 1), '(1, 2, 3))", "list(2, 3)"},
    {"fold_left(lambda(a, b, a - b), 10, '(1, 2))", "7"},
    {"fold_left(__add, nil, '(1, 2, 3))", "6"},
    {"fold_right(lambda(a, b, a - b), 10, '(1, 2))", "9"},
    {"apply(lambda(a, b, a * b), '(3, 4))", "12"},
    {"parallel_map(lambda(x, x * x), range(4))", "list(0, 1, 4, 9)"},
    {"parallel_block(1, 2, 3)", "3"},
    {"car('(1, 2))", "1"},
    {"cdr('(1, 2))", "list(2)"},
    {"cadr('(1, 2))", "2"},
    {"cddar('('(1, 2, 3)))", "list(3)"},
    {"append('(1), 2)", "list(1, 2)"},
    {"prepend(0, '(1))", "list(0, 1)"},
    {"len(range(2, 10, 3))", "3"},
    {"zip('(1, 2), [3, 4])", "list(list(1, 3), list(2, 4))"},
    {"enumerate('(\"a\"))", "list(list(0, \"a\"))"},
    {"__contains('(1, 2), 2.0)", "true"},
    {"__contains(list(9007199254740993), 9007199254740992)", "false"},
    {"__contains([[1, 2], [3, 4]], 3)", "true"},
    {"slice('(1, 2), full{array}(list(), 1))", "2"},
    {"zeros(full{array}(list(), 2))", "[0.0, 0.0]"},
    {"dot(full{array}(list(), 2), [1, 2])", "[2, 4]"},
    {"dict_keys(dict(list(1, 2)))", "list(1)"},
    // asynchronous values
    {"define(a, async(1 + 2)) define(b, async(a * 2)) a + b", "9"},
    {"async(5)", "5"},
    {"list(async(1), list(async(2)))", "list(1, list(2))"},
    {"define(f, x, async(x + 1)) f(f(f(0)))", "3"},
    {"define(a, async([1, 2])) block(store(slice(a, 0), 9), a)", "[9, 2]"},
    {"if(async(true), 1, 2)", "1"},
    // text and information
    {"string(1, \" \", 2.5)", "\"1 2.5\""},
    {"format(\"{} + {{{}}}\", 1, 2)", "\"1 + {2}\""},
    {"__type(1.5)", "\"float64\""},
    {"__name(sin(1))", "\"/phylanx$0/sin$0/0$1$8\""},
    {"list(find_here(), num_localities(), find_all_localities())", "list(0, 1, list(0))"},
    {"annotate(5, \"note\")", "5"},
    {"timer(lambda(2 + 3), lambda(t, assert(t >= 0.0)))", "5"},
    {"enable_tracing(true)", "nil"},
    // order of effects
    {"define(x, 1) define(f, block(0)) x + block(store(x, 10), x)", "11"},
    {"define(x, 1) list(x, block(store(x, 2), x), x)", "list(1, 2, 2)"},
    {"define(x, [1, 2]) list(x, block(store(slice(x, 0), 9), x))", "list([1, 2], [9, 2])"},
    {"define(n, 0) define(tick, a, block(store(n, n * 10 + a), a)) tick(1) + tick(2) * tick(3) n", "123"},
};

TEST(evaluate, every_policy_gives_the_same_values) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies)
      for (const auto& c : k_cases) {
        try {
          EXPECT_EQ(repr(run(c.text, {}, p)), c.expected)
              << c.text << " with " << to_string(p) << ", workers " << count;
        } catch (const physl::error& e) {
          ADD_FAILURE() << c.text << " with " << to_string(p) << ": " << e.what();
        }
      }
  }
}

TEST(evaluate, always_inline_needs_no_runtime) {
  EXPECT_EQ(runtime::current_or_null(), nullptr);
  EXPECT_EQ(repr(run("parallel_map(lambda(x, async(x + 1)), range(3))")), "list(1, 2, 3)");
  EXPECT_EQ(runtime::current_or_null(), nullptr);
}

TEST(evaluate, arguments_reach_the_result_and_sys_argv) {
  const physl::program p("define(f, a, b, a + b) f", "test.physl");
  const value args[] = {2, 3};
  EXPECT_EQ(repr(p.run(args, with_policy(policy::always_inline))), "5");
  EXPECT_EQ(repr(run("slice(sys_argv, 1)", {1, "two"})), "\"two\"");
  EXPECT_EQ(repr(run("len(sys_argv)")), "0");
  EXPECT_EQ(repr(run("")), "nil");
}

TEST(evaluate, deep_recursion_works_in_every_policy) {
  const workers w(2);
  for (auto p : k_policies) {
    EXPECT_EQ(repr(run("define(down, n, if(n == 0, 0, 1 + down(n - 1))) down(50000)", {}, p)), "50000");
    EXPECT_EQ(repr(run("define(fib, n, if(n < 2, n, fib(n - 1) + fib(n - 2))) fib(20)", {}, p)), "6765");
    std::string nested = "1.0";
    for (int i = 0; i < 1900; ++i) nested = "sin(" + nested + ")";
    EXPECT_EQ(run(nested, {}, p).kind(), value_kind::float64);
  }
}

TEST(evaluate, deep_and_wide_functions_compile_on_the_stack_of_a_task) {
  const workers w(1);
  std::string nested = "x", wide = "list(x";
  for (int i = 0; i < 1900; ++i) nested = "sin(" + nested + ")";
  for (int i = 0; i < 20'000; ++i) wide += ", 1, x";
  async([&] {
    EXPECT_EQ(run("define(f, x, " + nested + ") f(1.0)").kind(), value_kind::float64);
    EXPECT_EQ(repr(run("define(f, x, len(" + wide + "))) f(1)")), "40001");
  }).get();
}

TEST(evaluate, output_goes_to_the_caller_alone) {
  std::string text;
  auto options = with_policy(policy::always_inline);
  options.write = [](void* to, std::string_view part) { *static_cast<std::string*>(to) += part; };
  options.write_context = &text;
  static_cast<void>(physl::program("cout(1, \"two\", [3]) debug() cout(3.5)", "t").run({}, options));
  EXPECT_EQ(text, "1 two [3]\n\n3.5\n");
  EXPECT_NO_THROW(static_cast<void>(run("cout(1)")));
}

TEST(evaluate, a_run_can_be_cancelled) {
  const workers w(2);
  const std::atomic<bool> cancel{true};
  for (auto p : k_policies) {
    auto options = with_policy(p);
    options.cancel = &cancel;
    EXPECT_THROW(static_cast<void>(physl::program("while(true, 1)", "t").run({}, options)), physl::error);
    EXPECT_THROW(
        static_cast<void>(physl::program("define(f, f2()) define(f2, lambda(f2())) f2()", "t").run({}, options)),
        physl::error);
  }
}

TEST(evaluate, runs_of_one_program_do_not_see_each_other) {
  const workers w(4);
  const physl::program p("define(x, 0) define(f, n, block(while(x < n, store(x, x + 1)), x)) f", "t");
  std::vector<future<value>> results;
  for (int i = 0; i < 20; ++i)
    results.push_back(async([p, i] {
      const value args[] = {i};
      return p.run(args, with_policy(k_policies[static_cast<std::size_t>(i) % std::size(k_policies)]));
    }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].get(), value(i));
}

TEST(programs, end_in_the_function_that_arguments_are_for) {
  EXPECT_EQ(run("define(f, a, b, a - b)", {value(5), value(3)}), value(2));
  EXPECT_EQ(run("define(k, 10) define(f, a, k * a)", {value(5)}), value(50));
  EXPECT_EQ(run("define(f, lambda(a, a + 1))", {value(5)}), value(6));
  EXPECT_EQ(run("define(f, a, if(a < 2, 1, a * f(a - 1)))", {value(5)}), value(120)); // may call itself
  EXPECT_EQ(run("define(f, a, a) define(f, a, a + 1)", {value(5)}), value(6));        // the last of them
  EXPECT_EQ(run("define(f, a, a)"), value());                                         // nothing to call it with
  EXPECT_EQ(run("define(f, a, a) define(x, 5)", {value(5)}), value());
  EXPECT_THROW(run("define(f, a, b, a)", {value(5)}), physl::error);
}

} // namespace
} // namespace treadle::tree

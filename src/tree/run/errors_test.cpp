#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

std::string place_and_message(std::string_view text) {
  const auto e = error_of(text);
  return std::to_string(e.line()) + ":" + std::to_string(e.column()) + " " + e.message();
}

TEST(errors, of_names_suggest_what_was_meant) {
  EXPECT_EQ(place_and_message("define(value_a, 1) value_b"), "1:20 unknown name 'value_b': did you mean 'value_a'?");
  EXPECT_EQ(place_and_message("\n sqr(4)"), "2:2 unknown function 'sqr': did you mean 'sqrt'?");
  EXPECT_EQ(place_and_message("frobnicate(4)"), "1:1 unknown function 'frobnicate'");
  EXPECT_EQ(place_and_message("store(x, 1)"), "1:7 unknown variable 'x': variables are made by define(x, ...)");
  EXPECT_EQ(place_and_message("x + block(define(x, 1), 1)"), "1:1 access-variable: 'x' is used before it is defined");
}

TEST(errors, of_arity) {
  EXPECT_EQ(place_and_message("sin(1, 2)"), "1:1 sin() takes 1 argument, 2 given");
  EXPECT_EQ(place_and_message("dot(1)"), "1:1 dot() takes 2 arguments, 1 given");
  EXPECT_EQ(place_and_message("sum()"), "1:1 sum() takes 1 to 5 arguments, 0 given");
  EXPECT_EQ(place_and_message("if(1)"), "1:1 if() takes 2 to 3 arguments, 1 given");
  EXPECT_EQ(place_and_message("define(f, a, a) f()"), "1:17 f() takes 1 argument, 0 given");
  EXPECT_EQ(place_and_message("define(f, a, a) f(1, 2)"), "1:17 f() takes 1 argument, 2 given");
  EXPECT_EQ(place_and_message("define(f, a, a) f(__arg(b, 1))"), "1:19 f() has no argument 'b'");
  EXPECT_EQ(place_and_message("define(x) if(false, store(x, 1)) x"),
            "1:34 access-variable: 'x' is used before it is defined");
  EXPECT_EQ(place_and_message("define(g, f, f(1, __arg(x, 5))) g(lambda(x, __arg(y, 0), x))"),
            "1:14 call-function: lambda() got argument 'x' twice");
  EXPECT_EQ(place_and_message("int(ninf)"), "1:1 int: cannot convert -inf to int64");
  EXPECT_EQ(place_and_message("define(f, a, a) f(1, __arg(a, 1))"), "1:17 f() takes 1 argument, 2 given");
  EXPECT_EQ(place_and_message("sum(1, __arg(axes, 1))"), "1:8 sum() has no argument 'axes'");
  EXPECT_EQ(place_and_message("define(f, lambda(a, a)) store(f, lambda(a, a)) f(1, 2)"),
            "1:48 call-function: lambda() takes 1 argument, 2 given");
  EXPECT_EQ(place_and_message("define(x, 1) x(2)"), "1:14 call-function: 'x' is not a function but int64");
  EXPECT_EQ(place_and_message("define(f, a, a, a, a) 1"), "1:1 parameter 'a' is given twice");
}

TEST(errors, of_misplaced_statements) {
  EXPECT_EQ(place_and_message("return(1)"), "1:1 return() outside of a function");
  EXPECT_EQ(place_and_message("define(f, 1 + return(1)) define(g, a, a + return(1))"),
            "1:15 return() outside of a function");
  EXPECT_EQ(place_and_message("define(g, a, a + return(1))"),
            "1:18 return() must be a statement, not part of an expression");
  EXPECT_EQ(place_and_message("break()"), "1:1 break() must be a statement in the body of a loop");
  EXPECT_EQ(place_and_message("fmap(lambda(x, continue()), '(1))"),
            "1:16 continue() must be a statement in the body of a loop");
  EXPECT_EQ(place_and_message("while(true, parallel_block(break()))"),
            "1:28 break() must be a statement in the body of a loop");
  EXPECT_EQ(place_and_message("__arg(a, 1)"),
            "1:1 __arg(name, value) may stand only among the arguments of a call or the parameters of a function");
  EXPECT_EQ(place_and_message("store(f(x), 1)"), "1:7 cannot store into 'f(...)': only variables and slices of them");
  EXPECT_EQ(place_and_message("define(1, 2)"), "1:1 define needs a variable name first");
  EXPECT_EQ(place_and_message("lambda()"), "1:1 lambda needs a body");
  EXPECT_EQ(place_and_message("lambda(1 + 2, 3)"), "1:10 a parameter must be a name or __arg(name, default)");
}

TEST(errors, at_run_time_carry_the_place_of_the_primitive) {
  EXPECT_EQ(place_and_message("define(x, [1, 2])\nx +\n [1, 2, 3]"),
            "2:3 __add: operands of shapes (2,) and (3,) cannot be broadcast");
  EXPECT_EQ(place_and_message("if([1, 2], 1, 2)"),
            "1:1 if: the truth value of an array of shape (2,) is ambiguous: use any() or all()");
  EXPECT_EQ(place_and_message("assert(1 > 2, \"order\")"), "1:1 assert: assertion failed: order");
  EXPECT_EQ(place_and_message("for_in(i, 5, i)"), "1:1 for_in: expected something with a length, found int64");
  EXPECT_EQ(place_and_message("fmap(5, '(1))"), "1:1 fmap: expected a function, found int64");
  EXPECT_EQ(place_and_message("file_read_csv(\"/no/such/file\")"),
            "1:1 file_read_csv: /no/such/file: cannot be opened: No such file or directory");
  EXPECT_EQ(place_and_message("format(\"{}\")"), "1:1 format: more {} than arguments in \"{}\"");
  EXPECT_EQ(place_and_message("zeros(list(1000000000, 1000000000))"),
            "1:1 zeros: an array of shape (1000000000, 1000000000) is impossible");
#if !defined(TREADLE_ASAN) && !defined(TREADLE_TSAN) // whose allocators abort instead
  EXPECT_EQ(place_and_message("zeros(list(1000000000, 100000000))"), "1:1 zeros: out of memory");
#endif
}

TEST(errors, quote_the_source_and_trace_the_calls) {
  const auto e =
      error_of("define(inner, a,\n  a + [1, 2])\ndefine(outer, b, inner(b))\nouter([1.0])\nouter([1, 2, 3])");
  EXPECT_STREQ(e.what(), "test.physl(2, 5): __add: operands of shapes (3,) and (2,) cannot be broadcast\n"
                         "      a + [1, 2])\n"
                         "        ^\n"
                         "  called from test.physl(3, 18): inner\n"
                         "  called from test.physl(5, 1): outer");
  ASSERT_EQ(e.back_trace().size(), 2u);
  EXPECT_EQ(e.back_trace()[1].function, "outer");
}

TEST(errors, are_the_same_in_every_policy) {
  for (unsigned count : k_worker_counts) {
    const workers w(count);
    for (auto p : k_policies) {
      const auto e = error_of("define(f, n, 1 / n) define(g, n, f(n) + f(1)) fmap(g, '(1, 0))", p);
      EXPECT_EQ(e.message(), "__div: integer division by zero");
      EXPECT_EQ(e.column(), 16u);
      ASSERT_EQ(e.back_trace().size(), 2u);
      EXPECT_EQ(e.back_trace()[0].function, "f");
      const auto first = error_of("list(sin(\"left\"), 1 / 0, slice([1], 5))", p); // the leftmost operand's
      EXPECT_EQ(first.message(), "sin: expected an array, found string");
      EXPECT_EQ(error_of("parallel_block(1 / 0, sin(\"x\"))", p).message(), "__div: integer division by zero");
      EXPECT_EQ(error_of("parallel_map(lambda(i, 10 / (i - 3)), range(6))", p).message(),
                "__div: integer division by zero");
      EXPECT_EQ(error_of("define(a, async(1 / 0)) a + a", p).message(), "__div: integer division by zero");
      EXPECT_EQ(repr(run("define(a, async(1 / 1)) async(sum([1])) 5", {}, p)), "5");
    }
  }
}

TEST(errors, of_endless_recursion_are_short) {
  const workers w(2);
  for (auto p : k_policies) {
    const auto e = error_of("define(f, n, 1 + f(n + 1)) f(0)", p);
    EXPECT_EQ(e.message(), "call-function: calls are nested more than 100000 deep in f()");
    EXPECT_EQ(e.back_trace().size(), 20u);
    EXPECT_EQ(e.omitted_calls(), 100'000u - 20u);
  }
}

TEST(errors, of_tagged_programs_speak_of_the_other_source) {
  const std::string source = "def f(x):\n    return x + [1, 2]\n";
  try {
    physl::program p("define$1$1(f$1$5, x$1$7, __add$2$12(x$2$12, [1, 2])) f$1$5", "f.py", source);
    const value args[] = {array::zeros(dtype::float64, {3})};
    static_cast<void>(p.run(args, with_policy(physl::policy::always_inline)));
    FAIL();
  } catch (const physl::error& e) {
    EXPECT_STREQ(e.what(), "f.py(2, 12): __add: operands of shapes (3,) and (2,) cannot be broadcast\n"
                           "        return x + [1, 2]\n"
                           "               ^\n"
                           "  called from f.py(1, 5): the program's result");
  }
}

} // namespace
} // namespace treadle::tree

// What the compiler finds out about loops and blocks.
#include "tree/test_support.hpp"

#include <cstring>

namespace treadle::tree {
namespace {

std::string notes(const std::string& text, std::string_view form) {
  std::string all;
  for (const auto& n : physl::program(text, "t").parallelism())
    if (n.form == form) all += (all.empty() ? "" : "; ") + n.text;
  return all;
}

// A loop over i with this body, in a function where x is an array, m a matrix, n and s numbers.
std::string loop_note(const std::string& body) {
  return notes("define(f, x, m, n, s, block(define(i, 0), while(i < n, block(" + body + ", store(i, i + 1))), i)) f",
               "while");
}

TEST(dependence, independent_iterations) {
  for (const char* body : {
           "store(slice(x, i), i * n)",
           "store(slice(x, list(i)), 1)",
           "store(slice(x, 2 + i), 1)",
           "store(slice(x, __index(i)), 1)",
           "store(slice(m, list(i, i + 1, 1), nil), x)",
           "store(slice(m, i, list(0, 3)), x)",
           "store(slice_row(m, i), x)",
           "store(slice_column(m, i), x)",
           "store(slice(m, 2, i), 1)",
           "block(define(t, i * 2), store(slice(x, i), t))",
           "define(t, i)",
           "store(slice(x, i), slice(x, i) + 1)",
           "store(slice_column(m, i), slice_column(m, i) * 2)",
           "block(store(slice(x, i), 1), store(slice(x, i), slice(x, i) + 1))",
           "block(define(y, constant(0, list(3))), store(slice(y, 0), i), store(slice(x, i), sum(y)))",
           "if(i == 2, define(t, 1), define(t, 2))",
           "block(define(t, 0), if(i > 1, store(t, 1)), store(slice(x, i), t))",
           "block(define(t, 0), while(t < i, store(t, t + s)), store(slice(x, i), t))",
           "block(define(t, 0), while(true, block(store(t, t + 1), if(t > i, break()))))",
           "store(slice(x, i), sum(fmap(lambda(k, k * n + s), range(i))))",
           "block(define(t, i), store(slice(x, i), sum(fmap(lambda(k, k * t), range(i)))))",
       })
    EXPECT_EQ(loop_note(body).substr(0, 8), "parallel") << body << ": " << loop_note(body);
}

TEST(dependence, iterations_that_need_others) {
  const std::pair<const char*, const char*> k_cases[] = {
      {"store(s, s + i)", "'s' is read before it is written"},
      {"block(define(t, i), store(s, s + t))", "'s' is read before it is written"},
      {"if(i == 2, store(s, i))", "'s' is not written in every iteration"},
      {"while(s < i, define(t, i))", "'t' is not written in every iteration"},
      {"__and(i > 2, block(define(t, i), true))", "'t' is not written in every iteration"},
      {"store(slice(x, i), slice(x, i - 1))", "iterations use the same parts of 'x'"},
      {"block(store(slice(x, i), 1), store(slice(x, i + 1), 1))", "iterations use the same parts of 'x'"},
      {"store(slice(x, list(i, i + 2)), 1)", "iterations use the same parts of 'x'"},
      {"store(slice(x, i), sum(x))", "'x' is read before it is written"},
      {"store(slice(x, i), slice(x, s))", "'x' is read before it is written"},
      {"store(slice(x, 0), i)", "the part of 'x' that is written does not follow 'i'"},
      {"store(slice(x, i * 2), i)", "the part of 'x' that is written does not follow 'i'"},
      {"store(slice(x, list(i, nil)), i)", "the part of 'x' that is written does not follow 'i'"},
      {"store(slice(m, s, i), 1)", "the part of 'm' that is written does not follow 'i'"}, // s may take several axes
      {"store(slice(slice(m, 0), i), 1)", "the part of 'm' that is written does not follow 'i'"},
      {"block(store(slice(m, i, 0), 1), store(slice(m, 0, i), 1))", "different axes of 'm' are used"},
      {"block(store(slice(x, i), 1), store(x, [1]))", "'x' is written as a whole and in parts"},
      {"block(if(s > 0, define(y, [1, 2])), store(slice(y, i), 1))", "'y' is written as a whole and in parts"},
      {"store(n, n - 1)", "its bound 'n' changes"},
      {"store(i, i + 1)", "'i' is written more than once"},
      {"if(i == 3, break())", "it may be left early"},
      {"if(i == 3, continue())", "it may be left early"},
      {"if(i == 3, return(1))", "it may be left early"},
      {"cout(i)", "'cout' keeps the order of the program"},
      {"store(slice(x, i), random())", "'random' keeps the order of the program"},
      {"define(t, async(1))", "'async' keeps the order of the program"},
      {"define(t, list(lambda(i)))", "a function is made in it"},
      {"s(i)", "what 's' calls is not known"},
      {"fmap(s, x)", "'fmap' keeps the order of the program"},
  };
  for (const auto& [body, reason] : k_cases) EXPECT_EQ(loop_note(body).substr(0, std::strlen(reason)), reason) << body;
}

TEST(dependence, loops_of_every_form) {
  const auto f = [](const std::string& loop, const char* form) {
    return notes("define(f, x, n, block(define(i, 0), " + loop + ", i)) f", form);
  };
  EXPECT_EQ(f("while(i <= 5, block(store(slice(x, i), 1), store(i, i + 1)))", "while"), "parallel");
  EXPECT_EQ(f("while(n > i, block(store(slice(x, i), 1), block(store(i, 1 + i))))", "while"), "parallel");
  EXPECT_EQ(f("while(i < n, block(store(slice(x, i), 1), store(slice(x, i + 1), 2), store(i, i + 2)))", "while"),
            "parallel");
  EXPECT_EQ(f("for(store(i, 3), i < n, store(i, i + 1), store(slice(x, i), 1))", "for"), "parallel");
  EXPECT_EQ(f("for_in(i, range(n), store(slice(x, i), 1))", "for_in"), "parallel");
  EXPECT_EQ(f("for_in(i, x, define(t, i))", "for_in"), "parallel");
  EXPECT_EQ(f("for_in(i, range(n), store(i, 1))", "for_in"), "'i' is written more than once");
  EXPECT_EQ(f("while(sum(x) > i, store(i, i + 1))", "while"), "its condition does not compare a variable with a bound");
  EXPECT_EQ(f("while(i < sum(x), store(i, i + 1))", "while"), "its condition does not compare a variable with a bound");
  EXPECT_EQ(f("while(i < n, store(i, i * 2))", "while"), "it does not end with adding a constant to 'i'");
  EXPECT_EQ(f("while(i < n, store(i, i - 1))", "while"), "it does not end with adding a constant to 'i'");
  EXPECT_EQ(f("while(i < n, block(store(i, i + 1), 5))", "while"), "it does not end with adding a constant to 'i'");
}

TEST(dependence, calls_are_looked_into) {
  const auto in_program = [](const std::string& definitions, const std::string& body) {
    return notes("define(x, constant(0, list(9))) define(t, 0) define(i, 0) " + definitions + " while(i < 9, block(" +
                     body + ", store(i, i + 1)))",
                 "while");
  };
  EXPECT_EQ(in_program("define(f, a, a + 1)", "store(slice(x, i), f(i))"), "parallel");
  EXPECT_EQ(in_program("define(f, a, a + t)", "store(slice(x, i), f(i))"), "parallel");
  EXPECT_EQ(in_program("define(f, a, a + t)", "block(store(t, i), store(slice(x, i), f(i)))"), "parallel");
  EXPECT_EQ(in_program("define(f, a, a + t)", "block(store(slice(x, i), f(i)), store(t, i))"),
            "'t' is read before it is written");
  EXPECT_EQ(in_program("define(g, lambda(sum(x))) define(f, a, g() + a)", "store(slice(x, i), f(i))"),
            "'x' is read before it is written");
  EXPECT_EQ(in_program("define(f, a, store(t, a))", "f(i)"), "'f' writes variables around it");
  EXPECT_EQ(in_program("define(f, a, block(cout(a), a))", "f(i)"), "'f' keeps the order of the program");
  EXPECT_EQ(in_program("define(f, n, if(n < 2, n, f(n - 1) + f(n - 2)))", "store(slice(x, i), f(i))"), "parallel");
}

TEST(dependence, closures_that_calls_make_keep_variables_of_the_loop) {
  const auto in_function = [](const std::string& outside, const std::string& inside, const std::string& body) {
    return notes(outside + " define(f, n, block(define(t, 0), define(i, 0), " + inside + " while(i < n, block(" + body +
                     ", store(i, i + 1))), i)) f",
                 "while");
  };
  const std::string keeps = " makes a function that keeps variables of the loop";
  EXPECT_EQ(in_function("", "define(h, lambda(lambda(t))),", "block(store(t, i), define(g, h()))"), "'h'" + keeps);
  EXPECT_EQ(in_function("", "define(h, lambda(lambda(1))), define(k, lambda(h())),", "define(g, k())"), "'k'" + keeps);
  EXPECT_EQ(in_function("", "", "block(store(t, i), define(g, fmap(lambda(k, lambda(t)), range(2))))"),
            "'fmap'" + keeps);
  // These keep variables of others only.
  EXPECT_EQ(in_function("define(h, a, lambda(a))", "", "define(g, h(i))"), "parallel");
  EXPECT_EQ(in_function("", "define(h, a, a + t),", "define(g, sum(fmap(lambda(k, h(k)), range(i))))"), "parallel");
}

TEST(dependence, statements_of_blocks) {
  const auto f = [](const std::string& statements) {
    return notes("define(f, a, b, block(" + statements + ")) f", "block");
  };
  EXPECT_EQ(f("define(x, a + 1), define(y, b + 1), x + y"), "parallel");
  EXPECT_EQ(f("define(x, a), define(y, b + 1), x + y"), "");
  EXPECT_EQ(f("define(x, a + 1), define(y, x + 1)"), "");
  EXPECT_EQ(f("define(x, a + 1), define(x, b + 1)"), "");
  EXPECT_EQ(f("define(x, a + b), store(a, b + 1)"), "");
  EXPECT_EQ(f("cout(a + 1), define(y, b + 1)"), "");
  EXPECT_EQ(f("for_in(i, a, for_in(j, a, store(slice(b, a), 1))), define(y, b + 1)"), "");
  EXPECT_EQ(f("for_in(i, a, for_in(j, a, cout(j))), define(y, b + 1)"), "");
  EXPECT_EQ(f("if(a, return(1)), define(y, b + 1)"), "");
  EXPECT_EQ(f("define(x, a + 1), define(y, x + 1), define(u, b + 1), define(v, u + 1), y + v"), "parallel");
}

TEST(dependence, als_is_parallel_but_for_its_iteration) {
  EXPECT_EQ(notes(text_of("apps/physl/als.physl"), "while"), "'Y' is read before it is written; parallel; parallel");
}

} // namespace
} // namespace treadle::tree

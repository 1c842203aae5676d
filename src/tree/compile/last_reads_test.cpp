// Which reads of variables the compiler finds to be the last ones.
#include "tree/compile/last_reads.hpp"

#include "physl/ast.hpp"
#include "tree/compile/compiler.hpp"
#include "tree/test_support.hpp"

#include <algorithm>

namespace treadle::tree {
namespace {

// The body of a function of x, y, n and s, with a ! behind each variable that gives its value away.
std::string marked(std::string text) {
  const std::string head = "define(f, x, y, n, s, ";
  text = head + text + ") f";
  const auto program = compile(physl::parse(text));
  std::vector<std::size_t> ends;
  for (const auto& n : program->nodes)
    if (is_given(*n)) ends.push_back(n->where().column - 1 + n->instance_name().size());
  std::sort(ends.rbegin(), ends.rend());
  for (auto end : ends) text.insert(end, "!");
  return text.substr(head.size(), text.size() - head.size() - 3);
}

void expect(std::initializer_list<const char*> programs) {
  for (std::string expected : programs) {
    std::string text = expected;
    std::erase(text, '!'); // != does not appear here
    EXPECT_EQ(marked(text), expected);
  }
}

TEST(last_reads, statements) {
  expect({"x! + y!",
          "x + x", // the operands may be borrowed, or be evaluated at the same time
          "(x + 1) * (x + 2)", "block(define(a, x + 1), define(b, a! * x!), b! + y!)",
          "block(store(x, x! + 1), store(x, x! * 2), x!)", "block(store(x, sin(x!)), return(x!))",
          "block(store(slice(x, 0), y!), x!)", "block(store(slice(x, 0), x), x!)",
          "block(define(a, x), store(slice(a, 0), 1), x! + sum(a!))", "if(n! > 1, x! + 1, x! + 2)",
          "block(if(n! > 1, store(x, y!)), x!)", "block(if(n > 1, return(x!)), x! * n!)", "__and(x, x!)",
          "__or(x! > 1, y! > 2)", "list(x, y!, sum(x))"});
}

TEST(last_reads, loops) {
  expect({"while(n > 0, store(n, n! - 1))",
          "block(while(n > 0, block(define(t, n * 2), store(s, s! + t!), store(n, n! - 1))), s!)",
          "while(n > 0, store(s, s! + n))",
          "block(while(n > 0, block(store(n, n! - 1), if(n > 3, block(store(s, x!), break())), store(s, y))), s!)",
          "while(n > 0, block(store(s, x), if(s! > 3, continue()), store(s, 2), store(n, s!)))",
          "for_in(i, x!, store(s, s! + i!))", "block(for_in(i, range(n!), store(s, s! + i)), i! + s!)",
          "block(for_in(i, range(n!), if(i! > 2, return(s!))), s!)",
          "for(define(i, 0), i < n, store(i, i! + 1), block(define(a, x + i), store(s, s! + sum(a!))))",
          "for_in(i, range(n!), for_in(j, y, block(store(x, x! + i), store(s, x!), store(x, s!))))"});
}

TEST(last_reads, functions_that_are_called_whenever_keep_what_they_read) {
  expect({"block(define(g, x!), define(h, a, a! + g), h(1) + y!)", "block(define(h, lambda(x + 1)), x + h())",
          "sum(fmap(lambda(k, k! * s), y))", "block(define(a, async(x)), x + a!)",
          "block(parallel_block(define(a, sum(x)), define(b, sum(x))), a + b)"});
}

TEST(last_reads, statements_in_stages) {
  // The first two need only what was there before, the third waits for the first.
  expect({"block(define(a, sum(x)), define(b, sum(x)), list(a!, b!))",
          "block(define(a, sin(y!)), define(b, cos(a!) + x), define(c, tan(x)), list(b!, c!))",
          "block(define(a, sin(x)), define(b, cos(y!)), store(a, a! + b!), a! + x!)"});
}

TEST(last_reads, values) {
  const auto result = [](const char* statements, physl::policy p) {
    return repr(run("define(f, n, block(define(x, constant(1.0, list(n))), define(y, x * 2), " +
                        std::string(statements) + ")) f(1000)",
                    {}, p));
  };
  const runtime rt(runtime_options{.workers = 2});
  for (auto p : k_policies) {
    EXPECT_EQ(result("sum(y + 1)", p), "3000.0");
    EXPECT_EQ(result("block(store(y, y * 3), store(y, y - x), store(x, y), sum(x + y))", p), "10000.0");
    EXPECT_EQ(result("block(define(z, y), store(y, y + 1), define(g, a, a * a), sum(g(y)) + sum(g(z)))", p), "13000.0");
  }
}

} // namespace
} // namespace treadle::tree

// What is refused before a program runs. What localities do together: tests/localities/arrays.cpp.
#include "tree/test_support.hpp"

namespace treadle::tree {
namespace {

TEST(localities, what_is_placed_needs_nothing_that_only_this_one_has) {
  const auto refused = [](const char* text, const std::string& message) {
    const auto e = error_of(text);
    EXPECT_NE(e.message().find(message), std::string::npos) << text << ": " << e.message();
    EXPECT_NE(e.line(), 0u) << text;
  };
  const char* const k_own = "another locality does not have the variable 'k': make it an argument";
  refused("define(k, 2) define(f, x, x * k) f{L#0}(1)", k_own);
  refused("define(k, 2) define(f, x, store(k, x)) f{L#0}(1)", k_own);
  refused("define(k, 2) define(f, x, __arg(y, k), x) f{L#0}(1)", k_own);
  refused("define(k, 2) define(g, lambda(k)) define(f, x, g()) f{L#0}(1)", k_own);
  refused("define(k, 2) define(g, x, x * k) define(f, x, g(x)) f{L#0}(1)", k_own);
  refused("define(k, 2) define(g, x, x * k) define(f, x, g{L#0}(x)) f(1)", k_own);
  refused("define(k, 2) define(f, x, fmap(lambda(y, y * k), x)) f{L#0}('(1))", k_own);
  refused("define(k, [1]) define(f, x, block(define(h, lambda(store(slice(k, 0), x))), h())) f{L#0}(1)", k_own);
  refused("define(f, x, for_in(k, range(x), define_global(k, x))) f{L#0}(1)", k_own);
  refused("define(f, x, block(define(g, y, y), g{L#0}(x))) f(1)", "only a primitive can be placed, or a function");
  refused("define(f, x, x) define(f, x, 2 * x) f{L#0}(1)", "only a primitive can be placed, or a function");
  refused("define{L#0}(k, 2)", "only a primitive can be placed, or a function");
  refused("define(k, 2) store{L#0}(k, 2)", "only a primitive can be placed, or a function");
  refused("block{L#0}(1, 2)", "only a primitive can be placed, or a function");
  refused("define(g, f, f{L#0}(1)) g(sin)", "only a primitive can be placed, or a function");
  for (const char* place : {"L#", "L#x", "L#1x", "L#-1", "L#99999999999"})
    refused(("sin{" + std::string(place) + "}(1)").c_str(), "a place is written {L#1}");
  refused("all_gather_d{L#0}([1])", "which it cannot do alone");
  refused("define(f, x, all_reduce_d(x)) f{L#0}(1)", "which it cannot do alone");
  refused("sin{L#1}(1)", "there is no locality 1: the program has 1");
  EXPECT_NE(error_of("sin{L#0}()").message().find("sin() takes 1 argument"), std::string::npos);
}

TEST(localities, order_of_what_they_exchange_is_the_same_everywhere) {
  for (const char* text : {"parallel_block(all_reduce_d(1), 2)", "parallel_map(lambda(x, all_reduce_d(x)), range(3))",
                           "parallel_map(all_reduce_d, range(3))", "async(all_reduce_d(1))",
                           "define(f, x, all_reduce_d(x)) parallel_map(f, range(3))",
                           "define(f, x, block(all_reduce_d(x), x)) parallel_block(1 + f(2), 3)",
                           "all_reduce_d(1) define(g, h, parallel_map(lambda(x, h(x)), range(3))) g(sin)"}) {
    EXPECT_NE(error_of(text).message().find("in an order that is not the same in all of them"), std::string::npos)
        << text;
  }
  const char* const k_needs_order = "which needs an order";
  for (const char* text :
       {"define(draw, k, random(2)) parallel_map(lambda(k, draw{L#0}(k)), range(3))",
        "parallel_block(random{L#0}(3), 1)", "block(define(a, async(random(3))), random{L#0}(3), a)",
        "async(cout{L#0}(1))",
        "define(f, x, block(cout(x), x)) f{L#0}(1) define(g, h, parallel_map(lambda(x, h(x)), range(3))) g(sin)"})
    EXPECT_NE(error_of(text).message().find(k_needs_order), std::string::npos) << text;
  check({{"parallel_map(lambda(k, sin{L#0}(k * 0)), range(2))", "list(0.0, 0.0)"},
         {"list(all_reduce_d(1), async(2), parallel_map(lambda(x, x * x), range(3)))", "list(1, 2, list(0, 1, 4))"},
         {"parallel_block(1, find_here())", "0"},
         {"fmap(all_reduce_d, range(3))", "list(0, 1, 2)"}});
}

TEST(localities, one_alone_has_all_of_everything) {
  check({{"define(f, x, x + find_here()) f{L#0}(3)", "3"},
         {"list{L#0}()", "list()"},
         {"all_gather_d([1, 2])", "[1, 2]"},
         {"dot_d([[1, 2]], retile_d([3, 4]))", "[11]"},
         {"cannon_product_d([[1, 2]], retile_d([[3], [4]]))", "[[11]]"},
         {"diag_d([1, 2])", "[[1, 0], [0, 2]]"},
         {"diag_d(retile_d([[1, 2], [3, 4]]), 1)", "[2]"},
         {"shape_d(constant_d(1, '(3, 4)), 1)", "4"},
         {"annotate(5, \"note\")", "5"},
         {"annotate_d([1, 2], \"v\", list(\"tile\", list(\"columns\", 0, 2)))", "[1, 2]"},
         {"all_gather_d(annotate_d([1, 2], \"v\", list(\"tile\", list(\"columns\", 1, 3))))",
          "error all_gather_d: the tiles of \"v\" leave gaps: [1:3]"},
         {"annotate_d([1, 2], \"v\", list(\"tile\", list(\"columns\", 0, 3)))",
          "error annotate_d: columns 0 to 3 are not those of an array of shape (2,)"},
         {"annotate_d([1, 2], \"v\", list(\"tile\", list(\"pages\", 0, 2)))",
          "error annotate_d: an array of 1 dimensions has no \"pages\""},
         {"retile_d([1, 2], \"odd\")",
          "error retile_d: unknown kind of tiles \"odd\": use \"row\", \"column\" or \"sym\""},
         {"retile_d([1, 2], \"row\", 3, 2)", "error retile_d: there is no tile 3 of 2"}});
}

} // namespace
} // namespace treadle::tree

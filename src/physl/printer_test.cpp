#include "physl/ast.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace treadle::physl {
namespace {

TEST(printer, writes_canonical_text) {
  EXPECT_EQ(format("__add(a,__mul(b,c))", "t"), "a + b * c\n");
  EXPECT_EQ(format("(a+b)*c - (d - e)", "t"), "(a + b) * c - (d - e)\n");
  EXPECT_EQ(format("__add$3$4(a, b)", "t"), "__add$3$4(a, b)\n");
  EXPECT_EQ(format("__add(a,b,c)", "t"), "__add(a, b, c)\n");
  EXPECT_EQ(format("-(5) !(a && b) - -5.0", "t"), "-(5)\n!(a && b) - -5.0\n");
  EXPECT_EQ(format("'(1,[2.0,3],\"x\")", "t"), "'(1, [2.0, 3.0], \"x\")\n");
  EXPECT_EQ(format("f{L#1}(x$7)", "t"), "f{L#1}(x$7)\n");
}

TEST(printer, keeps_neighbours_apart) {
  EXPECT_EQ(format("x (-5)", "t"), "x(-5)\n"); // a call: a name followed by a parenthesis
  EXPECT_EQ(format("f() (-5)", "t"), "f()\n(-5)\n");
  EXPECT_EQ(format("(x) '(1)", "t"), "x\n'(1)\n");
  EXPECT_EQ(format("1 (a + b) * c", "t"), "(1)\n(a + b) * c\n");
}

TEST(printer, breaks_long_calls_into_lines) {
  const auto text = format("block(" + std::string(60, 'a') + ", " + std::string(60, 'b') + ")", "t");
  EXPECT_EQ(text, "block(\n    " + std::string(60, 'a') + ",\n    " + std::string(60, 'b') + ")\n");
  EXPECT_EQ(format(text, "t"), text);
}

TEST(printer, reports_mistakes_with_the_file_name) {
  try {
    format("1 +\n *", "file.physl");
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.file(), "file.physl");
    EXPECT_EQ(e.line(), 2u);
    EXPECT_EQ(e.column(), 2u);
    EXPECT_STREQ(e.what(), "file.physl(2, 2): expected an expression, found '*'\n     *\n     ^");
  }
}

// Random trees
// ---------------------------------------------------------------------------------------------------------

value random_literal() {
  switch (*rc::gen::inRange(0, 6)) {
  case 0:
    return *rc::gen::arbitrary<std::int64_t>();
  case 1:
    return static_cast<double>(*rc::gen::arbitrary<std::int32_t>()) / 1024.0;
  case 2:
    return *rc::gen::map(rc::gen::arbitrary<std::string>(), [](const std::string& s) { return s; });
  case 3:
    return array::of<std::int64_t>({2}, std::vector<std::int64_t>{*rc::gen::arbitrary<std::int64_t>(), -7});
  case 4:
    return array::of<double>({1, 2}, std::vector<double>{std::numeric_limits<double>::infinity(), -0.0});
  default:
    return array::zeros(dtype::float64, {1, 0});
  }
}

ast_index grow(ast& tree, int fuel) {
  constexpr const char* k_names[] = {"x",     "f",    "__add", "__sub", "__mul", "__minus",
                                     "__not", "__lt", "__and", "__eq",  "block"};
  ast_node n;
  const auto kind = *rc::gen::inRange(0, fuel > 0 ? 6 : 2);
  if (kind == 0) {
    n.literal = random_literal();
  } else {
    n.kind = kind == 1 ? ast_kind::name : kind == 2 ? ast_kind::list : ast_kind::call;
    if (kind != 2) n.name = kind == 1 ? "x" : k_names[*rc::gen::inRange<std::size_t>(0, std::size(k_names))];
    if (kind == 5 || kind == 1) {
      n.tag_count = static_cast<std::uint8_t>(*rc::gen::inRange(0, 3));
      for (std::uint8_t i = 0; i < n.tag_count; ++i) n.tags[i] = *rc::gen::inRange(0, 500);
    }
    if (kind == 4 && *rc::gen::inRange(0, 4) == 0) n.attribute = "L#0";
    if (kind > 1) {
      const auto count = *rc::gen::inRange(0, 4);
      for (int i = 0; i < count; ++i) n.operands.push_back(grow(tree, fuel - 1));
    }
  }
  tree.nodes.push_back(std::move(n));
  return static_cast<ast_index>(tree.nodes.size() - 1);
}

RC_GTEST_PROP(printer, what_is_printed_reads_back_as_the_same_tree, ()) {
  ast tree;
  const auto roots = *rc::gen::inRange(1, 4);
  for (int i = 0; i < roots; ++i) tree.roots.push_back(grow(tree, 4));
  const auto text = print(tree);
  RC_LOG() << text;
  const auto again = parse(text);
  RC_ASSERT(again == tree);
  RC_ASSERT(print(again) == text);
}

} // namespace
} // namespace treadle::physl

#include "physl/ast.hpp"

#include <gtest/gtest.h>

namespace treadle::physl {
namespace {

// The tree in call form, so that precedence shows.
std::string tree_text(const ast& t, ast_index i) {
  const auto& n = t.nodes[i];
  std::string text = n.kind == ast_kind::literal ? repr(n.literal) : n.kind == ast_kind::list ? "'" : n.name;
  for (std::uint8_t k = 0; k < n.tag_count; ++k) text += "$" + std::to_string(n.tags[k]);
  if (!n.attribute.empty()) text += "{" + n.attribute + "}";
  if (n.kind == ast_kind::literal || n.kind == ast_kind::name) return text;
  text += "(";
  for (std::size_t k = 0; k < n.operands.size(); ++k) text += (k ? "," : "") + tree_text(t, n.operands[k]);
  return text + ")";
}

std::string parsed(std::string_view text) {
  const auto t = parse(text);
  std::string result;
  for (auto root : t.roots) result += (result.empty() ? "" : " ") + tree_text(t, root);
  return result;
}

std::string error_in(std::string_view text) {
  try {
    return "no error: " + parsed(text);
  } catch (const failure& f) {
    return std::to_string(f.where.line) + ":" + std::to_string(f.where.column) + " " + f.message;
  }
}

TEST(parser, literals) {
  EXPECT_EQ(parsed("42"), "42");
  EXPECT_EQ(parsed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed("1. .5 1e3 1.5E-3"), "1.0 0.5 1000.0 0.0015");
  EXPECT_EQ(parsed("1e-999"), "0.0");
  EXPECT_EQ(parsed("true nil x"), "true nil x");
  EXPECT_EQ(parsed(R"("a\n\x41\"b")"), R"("a\nA\"b")");
}

TEST(parser, array_literals) {
  EXPECT_EQ(parsed("[1, 2]"), "[1, 2]");
  EXPECT_EQ(parsed("[1, 2.5]"), "[1.0, 2.5]");
  EXPECT_EQ(parsed("[true, false]"), "[true, false]");
  EXPECT_EQ(parsed("[[1, 2], [3, -4]]"), "[[1, 2], [3, -4]]");
  EXPECT_EQ(parsed("[[[[1]]]]"), "[[[[1]]]]");
  EXPECT_EQ(parsed("[] [[]] [[[]]] [[[[]]]]"), "[] [[]] [[[]]] [[[[]]]]");
  EXPECT_EQ(parsed("[inf, -inf, nan, ninf]"), "[inf, -inf, nan, -inf]");
}

TEST(parser, operators_bind_as_in_c) {
  EXPECT_EQ(parsed("a + b * c"), "__add(a,__mul(b,c))");
  EXPECT_EQ(parsed("a * b + c"), "__add(__mul(a,b),c)");
  EXPECT_EQ(parsed("a - b - c"), "__sub(__sub(a,b),c)");
  EXPECT_EQ(parsed("a - b + c"), "__add(__sub(a,b),c)");
  EXPECT_EQ(parsed("a / b * c % d"), "__mod(__mul(__div(a,b),c),d)");
  EXPECT_EQ(parsed("a + (b - c) * d"), "__add(a,__mul(__sub(b,c),d))");
  EXPECT_EQ(parsed("a < b && c < d || e"), "__or(__and(__lt(a,b),__lt(c,d)),e)");
  EXPECT_EQ(parsed("a == b < c"), "__eq(a,__lt(b,c))");
  EXPECT_EQ(parsed("a != b <= c >= d > e"), "__ne(a,__gt(__ge(__le(b,c),d),e))");
  EXPECT_EQ(parsed("-a * b"), "__mul(__minus(a),b)");
  EXPECT_EQ(parsed("!a && b"), "__and(__not(a),b)");
  EXPECT_EQ(parsed("- - + a"), "__minus(__minus(__plus(a)))");
  EXPECT_EQ(parsed("a - -5"), "__sub(a,-5)");
  EXPECT_EQ(parsed("-(5)"), "__minus(5)");
  EXPECT_EQ(parsed("-f(x) + y"), "__add(__minus(f(x)),y)");
}

TEST(parser, calls_lists_tags_and_attributes) {
  EXPECT_EQ(parsed("f() g(x, h(y))"), "f() g(x,h(y))");
  EXPECT_EQ(parsed("'(1, '(2), '())"), "'(1,'(2),'())");
  EXPECT_EQ(parsed("f$3$14(x$2)"), "f$3$14(x$2)");
  EXPECT_EQ(parsed("f{L#0}(x)"), "f{L#0}(x)");
  EXPECT_EQ(parsed("f (x)"), "f(x)");
  EXPECT_EQ(parsed("_a1"), "_a1");
}

TEST(parser, comments_and_juxtaposition) {
  EXPECT_EQ(parsed("#! first line\n1 // one\n/* two\n lines */ 2 # end"), "1 2");
  EXPECT_EQ(parsed("define(x, 1)\nx + 1\nx"), "define(x,1) __add(x,1) x");
  EXPECT_EQ(parsed(""), "");
}

TEST(parser, positions_are_of_the_text) {
  const auto t = parse("a +\n  foo(b)");
  const auto& add = t.nodes[t.roots[0]];
  EXPECT_EQ(add.where, (place{1, 3}));
  EXPECT_EQ(t.nodes[add.operands[1]].where, (place{2, 3}));
  EXPECT_EQ(t.nodes[t.nodes[add.operands[1]].operands[0]].where, (place{2, 7}));
}

TEST(parser, every_kind_of_mistake_has_a_place) {
  EXPECT_EQ(error_in("1 +"), "1:4 expected an expression, found end of input");
  EXPECT_EQ(error_in("(1"), "1:3 expected ')' to complete '(' opened at (1, 1), found end of input");
  EXPECT_EQ(error_in("f(1 2)"), "1:5 expected ',' or ')' to complete the arguments of 'f' opened at (1, 1), found '2'");
  EXPECT_EQ(error_in("f(1,)"), "1:5 expected an expression, found ')'");
  EXPECT_EQ(error_in("f(,1)"), "1:3 expected an expression, found ','");
  EXPECT_EQ(error_in("'(1"), "1:4 expected ',' or ')' to complete the list '(' opened at (1, 1), found end of input");
  EXPECT_EQ(error_in("(1, 2)"), "1:3 ',' inside a parenthesised expression: a list is '(a, b)");
  EXPECT_EQ(error_in("1)"), "1:2 ')' without a matching '('");
  EXPECT_EQ(error_in("1, 2"), "1:2 ',' outside of a call or list");
  EXPECT_EQ(error_in("()"), "1:2 expected an expression, found ')'");
  EXPECT_EQ(error_in("* 2"), "1:1 expected an expression, found '*'");
  EXPECT_EQ(error_in("x = 1"), "1:3 unexpected '=': assign with store(x, e), compare with ==");
  EXPECT_EQ(error_in("a & b"), "1:3 unexpected '&': did you mean '&&'?");
  EXPECT_EQ(error_in("'x'"), "1:1 unexpected ''': strings take double quotes, lists are '(...)");
  EXPECT_EQ(error_in("a @ b"), "1:3 unexpected '@'");
  EXPECT_EQ(error_in("\x01"), "1:1 unexpected byte 0x01");
  EXPECT_EQ(error_in("\"abc"), "1:1 string is never closed");
  EXPECT_EQ(error_in("\"a\\q\""),
            "1:3 unknown escape in a string: use \\a \\b \\f \\n \\r \\t \\v \\\\ \\' \\\" or \\xHH");
  EXPECT_EQ(error_in("\n/* x"), "2:1 comment '/*' is never closed");
  EXPECT_EQ(error_in("12abc"), "1:1 malformed number");
  EXPECT_EQ(error_in("1.2.3"), "1:1 malformed number");
  EXPECT_EQ(error_in("1e"), "1:1 the exponent of a number has no digits");
  EXPECT_EQ(error_in("1e999"), "1:1 number out of the range of float64");
  EXPECT_EQ(error_in("9223372036854775808"), "1:1 integer out of the range of int64");
  EXPECT_EQ(error_in("99999999999999999999"), "1:1 integer out of the range of int64");
  EXPECT_EQ(error_in("x$"), "1:3 expected a number after '$'");
  EXPECT_EQ(error_in("x$1$2$3"), "1:6 an identifier takes at most two tags, name$line$column");
  EXPECT_EQ(error_in("f{L#0"), "1:2 attribute '{' is never closed");
  EXPECT_EQ(error_in("f{L#0} x"), "1:8 an attribute must be followed by '(', found identifier 'x'");
  EXPECT_EQ(error_in("[1, [2]]"), "1:5 array literal mixes numbers and rows");
  EXPECT_EQ(error_in("[[1], 2]"), "1:7 array literal mixes numbers and rows");
  EXPECT_EQ(error_in("[[1], [2, 3]]"), "1:7 rows of an array literal differ in length: 1 and 2");
  EXPECT_EQ(error_in("[[], [1]]"), "1:6 rows of an array literal differ in length: 0 and 1");
  EXPECT_EQ(error_in("[1 2]"), "1:4 expected ',' or ']' in an array literal, found '2'");
  EXPECT_EQ(error_in("[1, x]"), "1:5 expected a number in an array literal, found identifier 'x'");
  EXPECT_EQ(error_in("[1,"), "1:4 expected a number in an array literal, found end of input");
  EXPECT_EQ(error_in("[[[[[1]]]]]"), "1:5 array literals have at most 4 dimensions");
  EXPECT_EQ(error_in("]"), "1:1 expected an expression, found ']'");
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST(parser, nesting_is_bounded_but_never_overflows) {
  EXPECT_EQ(parsed(repeated("(", 10'000) + "x" + repeated(")", 10'000)), "x");
  const auto limit = "expressions may nest 2000 levels deep, not more";
  EXPECT_NE(error_in(repeated("f(", 10'000) + "x" + repeated(")", 10'000)).find(limit), std::string::npos);
  EXPECT_NE(error_in(repeated("-", 10'000) + "x").find(limit), std::string::npos);
  EXPECT_NE(error_in("x" + repeated(" + x", 10'000)).find(limit), std::string::npos);
  EXPECT_NE(error_in(repeated("'(", 10'000)).find("expected an expression"), std::string::npos);
  EXPECT_NE(error_in(repeated("[", 10'000)).find("at most 4 dimensions"), std::string::npos);
  EXPECT_EQ(parse(repeated("f(", 1'990) + "x" + repeated(")", 1'990)).nodes.size(), 1'991u);
}

} // namespace
} // namespace treadle::physl

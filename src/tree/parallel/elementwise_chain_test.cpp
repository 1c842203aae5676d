// Chains of elementwise operations computed in blocks, and products in tiles, against the single operations.
#include "tree/test_support.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace treadle::tree {
namespace {

using physl::policy;

array random_array(const extents& shape, unsigned seed, dtype type = dtype::float64) {
  std::mt19937 engine(seed);
  auto a = array::uninitialized(dtype::float64, shape);
  auto* x = a.mutable_data<double>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = static_cast<double>(engine() % 2001) / 8.0 - 100.0;
  return a.cast(type);
}

// The same expression with every operation in a statement of its own, which nothing fuses.
constexpr std::pair<const char*, const char*> k_chains[] = {
    {"a * b", "a * b"}, // under always-inline there are no blocks either
    {"a + b * c - d", "block(define(x, b * c), define(y, a + x), y - d)"},
    {"(a + 1) * 2.5 - b", "block(define(x, a + 1), define(y, x * 2.5), y - b)"},
    {"sqrt(absolute(a)) + exp(b / 100.0)",
     "block(define(x, absolute(a)), define(y, sqrt(x)), define(u, b / 100.0), define(v, exp(u)), y + v)"},
    {"(a > b) * c", "block(define(x, a > b), x * c)"},
    {"(k + 1) * k - k", "block(define(x, k + 1), define(y, x * k), y - k)"},
    {"k * 2 + a", "block(define(x, k * 2), x + a)"},
    {"(k + 1) / 7 > k", "block(define(x, k + 1), define(y, x / 7), y > k)"},
    {"-(a * a)", "block(define(x, a * a), -x)"},
    {"__add(a * b, c, d, 1)", "block(define(x, a * b), __add(x, c, d, 1))"},
    {"power(a * 1.0, 2) + maximum(a, b)",
     "block(define(x, a * 1.0), define(y, power(x, 2)), define(z, maximum(a, b)), y + z)"},
};

TEST(elementwise_chain, gives_the_bits_of_single_operations) {
  for (unsigned count : {1u, 4u}) {
    const workers w(count);
    for (const auto& shape : {extents{3}, extents{131072}, extents{140001}, extents{400, 401}, extents{8, 16384, 2}}) {
      const std::vector<value> args = {random_array(shape, 1), random_array(shape, 2), random_array(shape, 3),
                                       random_array(shape, 4), random_array(shape, 5, dtype::int64)};
      for (const auto& [chain, steps] : k_chains) {
        const auto program = [](const std::string& e) {
          return physl::program("define(f, a, b, c, d, k, " + e + ") f", "t");
        };
        const auto expected = program(steps).run(args, with_policy(policy::always_inline));
        const auto fused = program(chain);
        EXPECT_EQ(fused.run(args, with_policy(policy::always_inline)), expected) << chain;
        for (auto options : splitting_options())
          for (int i = 0; i < 2; ++i) EXPECT_EQ(fused.run(args, options), expected) << chain << ", workers " << count;
      }
    }
  }
}

TEST(elementwise_chain, anything_else_goes_node_by_node) {
  const std::vector<value> args = {random_array({400, 400}, 1), random_array({400}, 2), random_array({399}, 3), 0};
  const workers w(2);
  auto options = with_policy(policy::adaptive);
  options.worth_ns = 0;
  const auto f = [&](const std::string& e) {
    const physl::program p("define(f, a, b, c, z, " + e + ") f", "t");
    std::string result;
    for (int i = 0; i < 2; ++i) { // the second time it has been measured
      try {
        result = repr(p.run(args, options));
      } catch (const physl::error& failed) {
        result = failed.message();
      }
    }
    return result;
  };
  EXPECT_EQ(f("sum((a + b) * 0.0)"), "0.0"); // broadcast
  EXPECT_EQ(f("a * 2.0 + c"), "__add: operands of shapes (400, 400) and (399,) cannot be broadcast");
  EXPECT_EQ(f("sum(transpose(a) * 0.0 + a * 0.0)"), "0.0");
  EXPECT_EQ(f("(1 + a * 0.0 > 5) / z"), "__div: integer division by zero");
  EXPECT_EQ(f("a + \"text\" * 2"), f("block(define(x, \"text\" * 2), a + x)"));
}

TEST(elementwise_chain, counts_its_instances_once) {
  const physl::program p("define(f, a, a + a * 2.0 - 1.0) f", "t");
  const value args[] = {random_array({140000}, 1)};
  const workers w(2);
  auto options = with_policy(policy::adaptive);
  options.worth_ns = 0;
  for (int i = 0; i < 3; ++i) static_cast<void>(p.run(args, options));
  for (const auto& n : p.profile()) {
    if (n.primitive == "define-variable" || n.primitive == "access-function") continue;
    EXPECT_EQ(n.count, 3u) << n.name;
    if (n.primitive == "__sub") {
      EXPECT_GT(n.inclusive_ns, n.self_ns);
    }
  }
}

TEST(tiled_product, is_the_same_for_any_number_of_workers) {
  const std::pair<extents, extents> k_shapes[] = {
      {{8200, 64}, {64, 64}},   {{1100, 60}, {60, 300}}, {{40, 300}, {300, 1200}}, {{1600, 200}, {200, 30}},
      {{1030, 64}, {64, 1040}}, {{3000, 1500}, {1500}},  {{512, 130}, {130, 100}}, {{90, 200}, {200, 700}}};
  for (const auto& [left, right] : k_shapes) {
    const std::vector<value> args = {random_array(left, 1), random_array(right, 2)};
    for (const char* text : {"define(f, a, b, dot(a, b)) f", "define(f, a, b, dot(transpose(b), transpose(a))) f"}) {
      const physl::program p(text, "t");
      const auto expected = p.run(args, with_policy(policy::always_inline));
      for (unsigned count : k_worker_counts) {
        const workers w(count);
        for (const auto& options : splitting_options()) EXPECT_EQ(p.run(args, options), expected);
      }
    }
    // Against the definition.
    const auto a = args[0].as_array(), b = args[1].as_array();
    const auto c = run("dot(slice(sys_argv, 0), slice(sys_argv, 1))", args).to_array();
    const auto n = b.rank() == 1 ? 1 : b.shape()[1];
    for (std::int64_t i : {std::int64_t{0}, a.shape()[0] / 2, a.shape()[0] - 1})
      for (std::int64_t j : {std::int64_t{0}, n / 2, n - 1}) {
        double sum = 0;
        for (std::int64_t k = 0; k < a.shape()[1]; ++k)
          sum += a.data<double>()[i * a.shape()[1] + k] * b.data<double>()[k * n + j];
        EXPECT_NEAR(c.data<double>()[i * n + j], sum, 1e-6 * std::max(1.0, std::abs(sum)));
      }
  }
}

} // namespace
} // namespace treadle::tree

#include "tree/test_support.hpp"

#include "base/rng.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace treadle::tree {
namespace {

using i64 = std::int64_t;

TEST(conv1d, as_keras_has_it) {
  const std::string x = "conv1d([[[1], [2], [3], [4]]], ", k = "[[[1]], [[10]]]";
  check({{x + k + ")", "[[[21], [32], [43]]]"},
         {x + k + ", \"same\")", "[[[21], [32], [43], [4]]]"},
         {x + k + ", \"causal\")", "[[[10], [21], [32], [43]]]"},
         {x + k + ", \"valid\", 2)", "[[[21], [43]]]"},
         {x + k + ", \"causal\", 3)", "[[[10], [43]]]"},
         {x + k + ", \"valid\", 1, 3)", "[[[41]]]"},
         {x + k + ", \"valid\", 1, 4)", "[[]]"},
         {x + k + ", __arg(dilation_rate, 2), __arg(padding, \"causal\"))", "[[[10], [20], [31], [42]]]"},
         {x + "[[[1.0, -1.0]]])", "[[[1.0, -1.0], [2.0, -2.0], [3.0, -3.0], [4.0, -4.0]]]"},
         {"conv1d([[[1, 10], [2, 20]]], [[[1], [1]]])", "[[[11], [22]]]"},
         {"conv1d([[[true], [true]]], [[[true]], [[true]]])", "[[[2]]]"}});
}

TEST(conv1d, refuses_what_does_not_fit) {
  check({{"conv1d([1, 2], [[[1]]])", "error conv1d: conv1d() takes arrays of shapes (batch, length, channels) and "
                                     "(width, channels, filters), not (2,) and (1, 1, 1)"},
         {"conv1d([[[1]]], [[[1], [2]]])", "error conv1d: conv1d(): the input has 1 channels, the kernel 2"},
         {"conv1d([[[1]]], zeros(list(0, 1, 1)))", "error conv1d: conv1d(): a kernel of width 0"},
         {"conv1d([[[1]]], [[[1]]], \"full\")",
          "error conv1d: unknown padding \"full\": use \"valid\", \"same\" or \"causal\""},
         {"conv1d([[[1]]], [[[1]]], \"same\", 0)", "error conv1d: strides must be a number from 1 to 2^31, not 0"},
         {"conv1d([[[1]]], [[[1]]], \"same\", 1, -1)",
          "error conv1d: dilation_rate must be a number from 1 to 2^31, not -1"}});
}

/// Each output by its definition.
TEST(conv1d, is_the_sum_that_it_is_defined_as) {
  detail::xorshift random(3);
  for (int i = 0; i < 300; ++i) {
    const auto upto = [&](std::uint32_t most) { return static_cast<i64>(random.below(most + 1)); };
    const i64 batch = upto(2), length = upto(9), channels = upto(3), width = 1 + upto(3), filters = upto(2),
              stride = 1 + upto(3), dilation = 1 + upto(3);
    const std::string padding = std::vector<std::string>{"valid", "same", "causal"}[random.below(3)];
    const i64 span = (width - 1) * dilation + 1, all = (length + stride - 1) / stride;
    const i64 outputs = padding != "valid" ? all : length < span ? 0 : (length - span) / stride + 1;
    const i64 before = padding == "causal" ? span - 1
                       : padding == "same" ? std::max<i64>((all - 1) * stride + span - length, 0) / 2
                                           : 0;
    i64 sum = 0, weighted = 0, number = 0; // of all outputs
    for (i64 b = 0; b < batch; ++b) {
      for (i64 o = 0; o < outputs; ++o) {
        for (i64 f = 0; f < filters; ++f) {
          i64 output = 0;
          for (i64 k = 0; k < width; ++k) {
            const i64 at = o * stride - before + k * dilation;
            for (i64 c = 0; c < channels && at >= 0 && at < length; ++c)
              output += ((b * length + at) * channels + c - 7) * ((k * channels + c) * filters + f - 2);
          }
          sum += output;
          weighted += output * ++number;
        }
      }
    }
    const auto shape = [](i64 a, i64 b, i64 c) {
      return "list(" + std::to_string(a) + ", " + std::to_string(b) + ", " + std::to_string(c) + ")";
    };
    const auto counted = [&](i64 a, i64 b, i64 c, int less) {
      return "(reshape(arange(" + std::to_string(a * b * c) + "), " + shape(a, b, c) + ") - " + std::to_string(less) +
             ")";
    };
    const std::string program = "define(y, conv1d(" + counted(batch, length, channels, 7) + ", " +
                                counted(width, channels, filters, 2) + ", \"" + padding + "\", " +
                                std::to_string(stride) + ", " + std::to_string(dilation) +
                                ")) list(shape(y), sum(y), sum(y * reshape(arange(1, size(y) + 1), shape(y))))";
    const std::string expected =
        "list(" + shape(batch, outputs, filters) + ", " + std::to_string(sum) + ", " + std::to_string(weighted) + ")";
    check({{program, expected}});
  }
}

} // namespace
} // namespace treadle::tree

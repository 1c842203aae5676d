#include <treadle/localities/arriving.hpp>

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace treadle::detail {
namespace {

using arguments = std::tuple<std::uint32_t, bool, std::vector<double>>;
static_assert(ends_in_vector<arguments>);
static_assert(ends_in_vector<std::tuple<std::vector<char>>>);
static_assert(!ends_in_vector<std::tuple<std::vector<double>, int>>);
static_assert(!ends_in_vector<std::tuple<std::vector<std::array<double, 3>>>>, "pieces do not hold whole ones");
static_assert(!ends_in_vector<std::tuple<std::string, std::vector<double>>>);
static_assert(!ends_in_vector<std::tuple<>>);

arguments executed;
void execute(arguments& values, unsigned, std::uint64_t) { executed = std::move(values); }
using arriving_arguments = arriving<arguments, execute>;

std::vector<std::byte> archive_of(const arguments& values) {
  std::vector<std::byte> bytes;
  std::apply([&](const auto&... each) { (write_value(bytes, each), ...); }, values);
  return bytes;
}

/// As they were, wherever the first piece ends and its bytes are.
TEST(arriving, pieces_become_the_arguments) {
  xorshift random(8);
  for (int round = 0; round < 200; ++round) {
    const arguments sent{random.below(1000), true, std::vector<double>(random.below(3000), 1.5)};
    const std::vector<std::byte> bytes = archive_of(sent);
    constexpr std::size_t k_before = 4 + 1 + 8;
    const std::size_t first = std::min(bytes.size(), k_before + 64 * random.below(20));
    std::vector<std::byte> moved(bytes.size() + 8);
    const std::span<std::byte> piece(moved.data() + random.below(8), first);
    std::memcpy(piece.data(), bytes.data(), first);
    const auto parcel = arriving_arguments::begin(piece, bytes.size());
    ASSERT_TRUE(parcel);
    for (std::size_t at = first; at < bytes.size();) {
      const std::size_t size = std::min<std::size_t>(64 * (1 + random.below(30)), bytes.size() - at);
      ASSERT_TRUE(parcel->add(std::span(bytes).subspan(at, size)));
      at += size;
    }
    EXPECT_FALSE(parcel->add(std::span(bytes).first(8))) << "there are no more elements";
    parcel->handle(0, 0);
    EXPECT_EQ(executed, sent);
  }
}

/// What does not fit together is left to who has it whole, and can say so.
TEST(arriving, damage_is_found) {
  const std::vector<std::byte> bytes = archive_of({7, true, std::vector<double>(100, 2.5)});
  EXPECT_TRUE(arriving_arguments::begin(bytes, bytes.size()));
  for (std::size_t size = 0; size < 13; ++size)
    EXPECT_FALSE(arriving_arguments::begin(std::span(bytes).first(size), bytes.size())) << size;
  EXPECT_FALSE(arriving_arguments::begin(std::span(bytes).first(17), bytes.size())) << "half of an element";
  EXPECT_FALSE(arriving_arguments::begin(std::span(bytes).first(21), bytes.size() + 8)) << "another length";
  EXPECT_FALSE(arriving_arguments::begin(std::span(bytes).first(21), bytes.size() - 8));
  auto damaged = bytes;
  damaged[4] = std::byte{2}; // no truth value
  EXPECT_FALSE(arriving_arguments::begin(damaged, damaged.size()));
  damaged = bytes;
  std::memset(damaged.data() + 5, 0xff, 8); // elements
  EXPECT_FALSE(arriving_arguments::begin(damaged, damaged.size()));
  const auto parcel = arriving_arguments::begin(std::span(bytes).first(21), bytes.size());
  ASSERT_TRUE(parcel);
  EXPECT_FALSE(parcel->add(std::span(bytes).subspan(21, 7)));
}

} // namespace
} // namespace treadle::detail

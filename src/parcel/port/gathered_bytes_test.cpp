#include "parcel/port/gathered_bytes.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace treadle::detail {
namespace {

std::string text_of(const gathered_bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.all().data()), bytes.all().size()};
}

/// In its own memory and in lent one, which may not suffice.
TEST(gathered_bytes, are_what_was_added) {
  xorshift random(9);
  gathered_bytes bytes;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> lent(random.below(200));
    const bool is_lent = random.below(2) == 0;
    if (is_lent) bytes.lend(lent);
    std::string expected;
    for (std::uint32_t left = random.below(20); left > 0; --left) {
      const std::string more(random.below(round % 50 == 0 ? 100'000 : 100), static_cast<char>('a' + left));
      if (random.below(2) == 0)
        bytes.append(std::as_bytes(std::span(more)));
      else
        std::memcpy(bytes.extend(more.size()), more.data(), more.size());
      expected += more;
      ASSERT_EQ(text_of(bytes), expected);
      ASSERT_EQ(bytes.is_lent(), is_lent && expected.size() <= lent.size());
      if (!bytes.unused().empty()) {
        ASSERT_EQ(bytes.unused().data(), bytes.all().data() + bytes.all().size());
      }
    }
    bytes.clear();
    EXPECT_TRUE(bytes.empty());
    EXPECT_FALSE(bytes.is_lent());
  }
}

} // namespace
} // namespace treadle::detail

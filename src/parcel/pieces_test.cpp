#include "parcel/pieces.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace treadle::detail {
namespace {

struct joined_messages final : message_sink {
  void arrived(unsigned from, std::span<const std::byte> message) override {
    EXPECT_EQ(from, 3U);
    all.emplace_back(message.begin(), message.end());
  }
  std::vector<std::vector<std::byte>> all;
};

TEST(pieces, messages_are_whole_again_wherever_room_ends) {
  xorshift random(4);
  message_splitter splitter;
  message_joiner joiner;
  joined_messages got;
  std::vector<std::vector<std::byte>> sent;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> message(random.below(1000));
    for (std::byte& one : message) one = static_cast<std::byte>(random.below(256));
    const std::size_t most = 1 + random.below(200);
    while (!splitter.send(message, most, [&](const piece_header& header, std::span<const std::byte> piece) {
      if (random.below(3) == 0) return false; // no room
      EXPECT_LE(piece.size(), most);
      std::vector<std::byte> record(sizeof header + piece.size());
      std::memcpy(record.data(), &header, sizeof header);
      std::copy(piece.begin(), piece.end(), record.begin() + sizeof header);
      EXPECT_TRUE(joiner.take(record, 3, got));
      return true;
    })) {
    }
    sent.push_back(std::move(message));
  }
  EXPECT_EQ(got.all, sent);
}

TEST(pieces, anything_else_is_damaged_or_a_message) {
  xorshift random(5);
  joined_messages got;
  for (int round = 0; round < 2000; ++round) {
    message_joiner joiner;
    for (int i = 0; i < 6; ++i) {
      std::vector<std::byte> record(random.below(60));
      for (std::byte& one : record) one = static_cast<std::byte>(random.below(4) == 0 ? random.below(256) : 0);
      if (record.size() >= sizeof(piece_header) && random.below(2) == 0) {
        const piece_header header{random.below(80), static_cast<piece_kind>(random.below(4))};
        std::memcpy(record.data(), &header, sizeof header);
      }
      if (!joiner.take(record, 3, got)) break;
    }
  }
  for (const auto& message : got.all) EXPECT_LE(message.size(), 80U);
}

} // namespace
} // namespace treadle::detail

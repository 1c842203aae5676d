#include "parcel/transport/pieces.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace treadle::detail {
namespace {

struct joined_messages final : message_sink {
  void arrived(unsigned from, std::span<const std::byte> message) override {
    EXPECT_EQ(from, 3U);
    all.emplace_back(message.begin(), message.end());
  }
  /// Those that begin with an odd byte are taken as they come.
  struct taken final : message_in_pieces {
    bool add(std::span<const std::byte> piece) override {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return bytes.size() < refused_from;
    }
    std::size_t refused_from = ~std::size_t{0};
    std::vector<std::byte> bytes;
  };
  std::unique_ptr<message_in_pieces> begin_pieces(unsigned, std::span<const std::byte> first, std::size_t) override {
    if (first.empty() || (first[0] & std::byte{1}) == std::byte{0}) return nullptr;
    auto made = std::make_unique<taken>();
    EXPECT_TRUE(made->add(first));
    return made;
  }
  void end_pieces(unsigned, message_in_pieces& whole) override {
    all.push_back(static_cast<taken&>(whole).bytes);
    ++in_pieces;
  }
  std::vector<std::vector<std::byte>> all;
  int in_pieces = 0;
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
    const std::size_t most = random.below(2) == 0 ? 1 + random.below(200) : 64 * (1 + random.below(4));
    const std::size_t of_first = random.below(2) == 0 ? message.size() : random.below(100) * message.size() / 100;
    const std::span<const std::byte> all(message);
    const message_parts parts(all.first(of_first), all.subspan(of_first));
    while (!splitter.send(parts, most, [&](const piece_header& header, std::size_t from, std::size_t bytes) {
      if (random.below(3) == 0) return false; // no room
      EXPECT_LE(bytes, header.kind == piece_kind::whole ? most + most / 2 : most);
      if (header.kind == piece_kind::further && most % 64 == 0 && of_first < most) {
        EXPECT_EQ((from - of_first) % 64, 0U);
      }
      std::vector<std::byte> record(sizeof header + bytes);
      std::memcpy(record.data(), &header, sizeof header);
      parts.copy(record.data() + sizeof header, from, bytes);
      EXPECT_TRUE(joiner.take(record, 3, got));
      return true;
    })) {
    }
    sent.push_back(std::move(message));
  }
  EXPECT_EQ(got.all, sent);
  EXPECT_GT(got.in_pieces, 0);
}

TEST(pieces, may_come_without_headers_where_the_first_one_says_so) {
  joined_messages got;
  message_joiner joiner;
  const auto piece = [](piece_kind kind, std::size_t bytes, std::uint64_t total) {
    std::vector<std::byte> record(sizeof(piece_header) + bytes, std::byte{2});
    const piece_header header{total, kind};
    std::memcpy(record.data(), &header, sizeof header);
    return record;
  };
  const std::vector<std::byte> bare(8, std::byte{2});
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(joiner.awaits_bare());
    EXPECT_TRUE(joiner.take(piece(piece_kind::first_of_bare, 4, 20), 3, got));
    EXPECT_TRUE(joiner.awaits_bare());
    EXPECT_TRUE(joiner.take_bare(bare, 3, got));
    EXPECT_TRUE(joiner.awaits_bare());
    EXPECT_TRUE(joiner.take_bare(bare, 3, got));
  }
  EXPECT_EQ(got.all, std::vector(2, std::vector<std::byte>(20, std::byte{2})));
  EXPECT_FALSE(joiner.take_bare(bare, 3, got)); // nobody has said so
  EXPECT_TRUE(joiner.take(piece(piece_kind::first, 4, 20), 3, got));
  EXPECT_FALSE(joiner.take_bare(bare, 3, got));
  message_joiner other;
  EXPECT_TRUE(other.take(piece(piece_kind::first_of_bare, 4, 20), 3, got));
  EXPECT_FALSE(other.take(piece(piece_kind::further, 8, 20), 3, got));
}

TEST(pieces, what_the_sink_refuses_is_damaged) {
  struct refusing final : message_sink {
    void arrived(unsigned, std::span<const std::byte>) override {}
    std::unique_ptr<message_in_pieces> begin_pieces(unsigned, std::span<const std::byte>, std::size_t) override {
      auto made = std::make_unique<joined_messages::taken>();
      made->refused_from = 1;
      return made;
    }
  } sink;
  std::byte record[sizeof(piece_header) + 8] = {};
  const auto take = [&](message_joiner& by, piece_kind kind) {
    const piece_header header{16, kind};
    std::memcpy(record, &header, sizeof header);
    return by.take(record, 3, sink);
  };
  message_joiner joiner;
  EXPECT_TRUE(take(joiner, piece_kind::first));
  EXPECT_FALSE(take(joiner, piece_kind::further));
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
        const piece_header header{random.below(80), static_cast<piece_kind>(random.below(5))};
        std::memcpy(record.data(), &header, sizeof header);
      }
      if (!(random.below(4) == 0 ? joiner.take_bare(record, 3, got) : joiner.take(record, 3, got))) break;
    }
  }
  for (const auto& message : got.all) EXPECT_LE(message.size(), 80U);
}

} // namespace
} // namespace treadle::detail

#include "parcel/transport/byte_ring.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace treadle::detail {
namespace {

struct ring {
  explicit ring(std::size_t capacity)
      : bytes(capacity), writer(positions, bytes.data(), capacity), reader(positions, bytes.data(), capacity) {}
  /// `unused`: bytes that the writer has room for, too.
  bool write(const std::string& text, std::size_t unused = 0) {
    std::byte* const room = writer.begin(text.size() + unused);
    if (!room) return false;
    std::memcpy(room, text.data(), text.size());
    writer.end(text.size());
    return true;
  }
  /// The oldest record, "-" where there is none.
  std::string read() {
    const ring_reader::record one = reader.begin();
    EXPECT_FALSE(one.is_damaged);
    if (!one.bytes) return "-";
    const std::string text(reinterpret_cast<const char*>(one.bytes), one.size);
    reader.end();
    return text;
  }

  ring_positions positions;
  std::vector<std::byte> bytes;
  ring_writer writer;
  ring_reader reader;
};

TEST(byte_ring, records_of_any_size_come_in_order_while_there_is_room) {
  xorshift random(5);
  for (const std::size_t capacity : {64U, 256U, 4096U}) {
    ring r(capacity);
    std::deque<std::string> model;
    std::size_t refused = 0;
    for (int step = 0; step < 20'000; ++step) {
      if (random.below(2) == 0) {
        const std::uint32_t room = random.below(static_cast<std::uint32_t>(r.writer.largest() + 1));
        const std::string text(random.below(room + 1), static_cast<char>('a' + step % 26));
        if (r.write(text, room - text.size()))
          model.push_back(text);
        else
          ++refused;
      } else {
        EXPECT_EQ(r.read(), model.empty() ? "-" : model.front());
        if (!model.empty()) model.pop_front();
      }
    }
    EXPECT_GT(refused, 0U);
    while (!model.empty()) {
      EXPECT_EQ(r.read(), model.front());
      model.pop_front();
    }
    EXPECT_TRUE(r.writer.is_drained());
    EXPECT_TRUE(r.write(std::string(r.writer.largest(), 'x'))) << "an empty ring takes the largest record";
  }
}

TEST(byte_ring, an_abandoned_record_was_never_there) {
  ring r(256);
  ASSERT_NE(r.writer.begin(100), nullptr);
  EXPECT_EQ(r.read(), "-");
  EXPECT_TRUE(r.write("after"));
  EXPECT_EQ(r.read(), "after");
  ASSERT_TRUE(r.write(std::string(100, 'x')));
  r.read();
  ASSERT_TRUE(r.write(std::string(100, 'y')));
  r.read();
  ASSERT_NE(r.writer.begin(100), nullptr); // at the beginning of the ring
  EXPECT_TRUE(r.write("before the end of it"));
  EXPECT_EQ(r.read(), "before the end of it");
}

TEST(byte_ring, between_two_threads) {
  ring r(512);
  constexpr std::uint64_t k_records = 200'000;
  std::thread writes([&] {
    for (std::uint64_t i = 0; i < k_records;) {
      const std::size_t words = 1 + i % 20;
      std::byte* const room = r.writer.begin(words * 8);
      if (!room) {
        std::this_thread::yield();
        continue;
      }
      for (std::size_t w = 0; w < words; ++w) std::memcpy(room + 8 * w, &i, 8);
      r.writer.end(words * 8);
      ++i;
    }
  });
  for (std::uint64_t i = 0; i < k_records;) {
    const ring_reader::record one = r.reader.begin();
    ASSERT_FALSE(one.is_damaged);
    if (!one.bytes) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(one.size, 8 * (1 + i % 20));
    for (std::size_t w = 0; w < one.size / 8; ++w) {
      std::uint64_t seen = 0;
      std::memcpy(&seen, one.bytes + 8 * w, 8);
      ASSERT_EQ(seen, i);
    }
    r.reader.end();
    ++i;
  }
  writes.join();
}

/// Whatever stands in the shared memory: the reader says that it is damaged, and reads nothing outside.
TEST(byte_ring, damage_is_found) {
  xorshift random(11);
  for (int run = 0; run < 2'000; ++run) {
    ring r(256);
    for (int i = 0; i < 3; ++i) r.write(std::string(random.below(60), 'x'));
    for (int i = 0; i < 8; ++i) r.bytes[random.below(256)] = static_cast<std::byte>(random.below(256));
    if (random.below(3) == 0) r.positions.written.store(random(), order::relaxed);
    for (int i = 0; i < 100; ++i) {
      const ring_reader::record one = r.reader.begin();
      if (one.is_damaged || !one.bytes) break;
      ASSERT_GE(one.bytes, r.bytes.data());
      ASSERT_LE(one.bytes + one.size, r.bytes.data() + r.bytes.size());
      r.reader.end();
    }
  }
}

} // namespace
} // namespace treadle::detail

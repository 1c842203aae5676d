#include "parcel/shared_memory.hpp"

#include "base/rng.hpp"
#include "parcel/port.hpp"

#include <treadle/this_task.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace treadle::detail {
namespace {

/// An empty file for the localities of one test, all of them in this process.
class shared_file {
 public:
  shared_file() { close(mkstemp(m_path.data())); }
  ~shared_file() { unlink(m_path.c_str()); }
  std::unique_ptr<transport> open(unsigned rank, unsigned size) const { return open_shared_memory({m_path, rank, size}); }

 private:
  std::string m_path = "/tmp/treadle-parcel-test-XXXXXX";
};

struct collected final : message_sink {
  void arrived(unsigned from, std::span<const std::byte> message) override {
    all.emplace_back(from, std::string(reinterpret_cast<const char*>(message.data()), message.size()));
  }
  std::vector<std::pair<unsigned, std::string>> all;
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

TEST(shared_memory, messages_of_any_size_arrive_in_order) {
  const shared_file file;
  const auto a = file.open(0, 2), b = file.open(1, 2);
  xorshift random(3);
  std::vector<std::string> sent;
  collected got;
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t size = i % 50 == 7 ? random.below(3U << 20U) : random.below(2000);
    sent.emplace_back(size, static_cast<char>('a' + i % 26));
    while (!a->send(1, bytes_of(sent.back()))) EXPECT_TRUE(b->poll(got)) << "what does not fit is made room for by reading";
  }
  while (b->poll(got)) {
  }
  ASSERT_EQ(got.all.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(got.all[i].first, 0U);
    EXPECT_EQ(got.all[i].second, sent[i]);
  }
  EXPECT_FALSE(a->poll(got));
}

TEST(shared_memory, a_locality_sends_to_itself) {
  const shared_file file;
  const auto a = file.open(0, 1);
  collected got;
  EXPECT_TRUE(a->send(0, bytes_of("me")));
  EXPECT_TRUE(a->poll(got));
  EXPECT_EQ(got.all.at(0).second, "me");
}

TEST(shared_memory, all_join_or_are_refused) {
  const shared_file file;
  std::vector<std::string> complaints(3);
  const auto join_all = [&](const shared_file& in, std::vector<std::uint64_t> digests) {
    std::vector<std::thread> threads;
    for (unsigned rank = 0; rank < digests.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          in.open(rank, static_cast<unsigned>(digests.size()))->join(digests[rank]);
        } catch (const std::runtime_error& e) {
          complaints[rank] = e.what();
        }
      });
    }
    for (std::thread& one : threads) one.join();
  };
  join_all(file, {7, 7, 7});
  for (const std::string& none : complaints) EXPECT_EQ(none, "");
  const shared_file other;
  join_all(other, {7, 8, 7});
  EXPECT_NE(complaints[0].find("locality 1 runs another program"), std::string::npos) << complaints[0];
  EXPECT_NE(complaints[1].find("locality 0 runs another program"), std::string::npos) << complaints[1];
}

TEST(shared_memory, places_are_read_and_refused) {
  const shared_memory_place place = parse_shared_memory_place("/tmp/a:b:2:4");
  EXPECT_EQ(place.file, "/tmp/a:b");
  EXPECT_EQ(place.rank, 2U);
  EXPECT_EQ(place.size, 4U);
  for (const char* bad : {"", "x", "x:1", ":1:2", "x:2:2", "x:0:0", "x:-1:2", "x:0:2x", "x::", "x:0:5000", "x:0:99999999999999"}) {
    try {
      parse_shared_memory_place(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).find("TREADLE_LOCALITIES: expected FILE:RANK:SIZE"), 0U) << e.what();
    }
  }
  EXPECT_THROW(open_shared_memory({"/nowhere/at/all", 0, 2}), std::system_error);
}

/// Counts, and checks that those of one sender come in order.
struct counting final : parcel_receiver {
  explicit counting(unsigned senders) : next(senders) {}
  void arrived(unsigned from, std::span<const std::byte> message) override {
    std::uint64_t number = 0;
    ASSERT_GE(message.size(), sizeof number);
    std::memcpy(&number, message.data(), sizeof number);
    EXPECT_EQ(number, next[from]++);
    count.fetch_add(1, std::memory_order_release);
  }
  void failed(std::exception_ptr) noexcept override { ADD_FAILURE() << "failed"; }
  std::vector<std::uint64_t> next;
  std::atomic<std::uint64_t> count{0};
};

/// Ports that nobody polls for: their own threads do all of it, asleep in between.
TEST(parcel_port, everybody_sends_to_everybody_without_workers) {
  constexpr unsigned k_size = 3;
  constexpr std::uint64_t k_each = 20'000;
  const shared_file file;
  std::vector<std::unique_ptr<counting>> receivers;
  std::vector<std::unique_ptr<parcel_port>> ports;
  for (unsigned rank = 0; rank < k_size; ++rank) {
    receivers.push_back(std::make_unique<counting>(k_size));
    ports.push_back(std::make_unique<parcel_port>(file.open(rank, k_size), *receivers.back()));
  }
  std::vector<std::thread> senders;
  for (unsigned rank = 0; rank < k_size; ++rank) {
    senders.emplace_back([&, rank] {
      xorshift random(rank + 1);
      std::vector<std::byte> message;
      for (std::uint64_t i = 0; i < k_each; ++i) {
        message.assign(8 + random.below(i % 100 == 0 ? 50'000 : 64), std::byte{0});
        std::memcpy(message.data(), &i, 8);
        for (unsigned to = 0; to < k_size; ++to) ports[rank]->send(to, message);
        if (random.below(4000) == 0) usleep(2000); // the others fall asleep
      }
    });
  }
  for (std::thread& one : senders) one.join();
  for (unsigned rank = 0; rank < k_size; ++rank) {
    while (receivers[rank]->count.load(std::memory_order_acquire) < k_size * k_each) usleep(100);
    EXPECT_EQ(ports[rank]->sent(), k_size * k_each);
  }
}

} // namespace
} // namespace treadle::detail

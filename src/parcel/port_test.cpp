#include "parcel/port.hpp"

#include "base/rng.hpp"
#include "parcel/delays.hpp"
#include "parcel/shared_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace treadle::detail {
namespace {

struct header {
  std::uint64_t number, bytes; ///< of the whole parcel
};

/// Counts, and checks that those of one sender come in order.
struct counting final : parcel_receiver {
  explicit counting(unsigned senders) : next(senders) {}
  void arrived(unsigned from, std::span<const std::byte> message) override {
    while (!message.empty()) {
      header of{};
      ASSERT_GE(message.size(), sizeof of);
      std::memcpy(&of, message.data(), sizeof of);
      EXPECT_EQ(of.number, next[from]++);
      ASSERT_LE(of.bytes, message.size());
      message = message.subspan(of.bytes);
      count.fetch_add(1, std::memory_order_release);
    }
  }
  void failed(std::exception_ptr) noexcept override { ADD_FAILURE() << "failed"; }
  std::vector<std::uint64_t> next;
  std::atomic<std::uint64_t> count{0};
};

struct localities_in_one {
  localities_in_one(unsigned size, const network_delays& delays) {
    for (unsigned rank = 0; rank < size; ++rank) {
      receivers.push_back(std::make_unique<counting>(size));
      ports.push_back(std::make_unique<parcel_port>(with_delays(file.open(rank, size), delays), *receivers.back()));
      ports.back()->start();
    }
  }
  shared_file file;
  std::vector<std::unique_ptr<counting>> receivers;
  std::vector<std::unique_ptr<parcel_port>> ports;
};

class parcel_port_test : public testing::TestWithParam<network_delays> {};
INSTANTIATE_TEST_SUITE_P(networks, parcel_port_test,
                         testing::Values(network_delays{}, network_delays{20'000, 200, 100, 500}));

/// Nobody polls: the ports' own threads do all of it, asleep in between.
TEST_P(parcel_port_test, everybody_sends_to_everybody_without_workers) {
  constexpr unsigned k_size = 3;
  constexpr std::uint64_t k_each = 10'000;
  localities_in_one all(k_size, GetParam());
  std::vector<std::thread> senders;
  for (unsigned rank = 0; rank < k_size; ++rank) {
    senders.emplace_back([&, rank] {
      xorshift random(rank + 1);
      std::vector<std::byte> parcel;
      coalescing how;
      for (std::uint64_t i = 0; i < k_each; ++i) {
        if (random.below(500) == 0) {
          how = {.how = static_cast<coalescing_kind>(random.below(3)),
                 .parcels = 1 + static_cast<unsigned>(random.below(60)),
                 .interval_ns = 1000 * static_cast<std::int64_t>(random.below(300)),
                 .hold_ns = 1000 * static_cast<std::int64_t>(random.below(100)),
                 .bytes = random.below(20'000)};
        }
        const header of{i, sizeof of + random.below(i % 100 == 0 ? 50'000 : 64)};
        parcel.assign(of.bytes, std::byte{0});
        std::memcpy(parcel.data(), &of, sizeof of);
        for (unsigned to = 0; to < k_size; ++to) all.ports[rank]->send(to, parcel, how);
        if (random.below(2000) == 0) all.ports[rank]->flush();
        if (random.below(2000) == 0) usleep(2000); // the others fall asleep
      }
    });
  }
  for (std::thread& one : senders) one.join();
  for (unsigned rank = 0; rank < k_size; ++rank) {
    while (all.receivers[rank]->count.load(std::memory_order_acquire) < k_size * k_each) usleep(100);
    EXPECT_EQ(all.ports[rank]->sent().parcels, k_size * k_each);
    EXPECT_LE(all.ports[rank]->sent().messages, k_size * k_each);
  }
}

TEST(parcel_port, what_is_gathered_leaves_by_itself) {
  localities_in_one all(2, {});
  const header of{0, sizeof of};
  const auto parcel = std::as_bytes(std::span(&of, 1));
  coalescing waits{.how = coalescing_kind::paper, .parcels = 1000, .interval_ns = 1'000'000};
  all.ports[0]->send(1, parcel, waits); // sparse: it leaves
  for (std::uint64_t i = 1; i < 10; ++i) {
    const header next{i, sizeof next};
    all.ports[0]->send(1, std::as_bytes(std::span(&next, 1)), waits); // these wait for the interval
  }
  while (all.receivers[1]->count.load(std::memory_order_acquire) < 10) usleep(100);
  EXPECT_LE(all.ports[0]->sent().messages, 10U);
}

} // namespace
} // namespace treadle::detail

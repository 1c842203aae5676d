#include "parcel/port/port.hpp"

#include "base/rng.hpp"
#include "parcel/transport/delays.hpp"
#include "parcel/transport/shared_file.hpp"

#include <treadle/tune/explain.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

struct header {
  std::uint64_t number, bytes; ///< of the whole parcel
};

constexpr coalescing k_fixed{.hold_ns = 0, .bytes = 16'384};
constexpr coalescing k_held{.hold_ns = 1'000'000'000,
                            .bytes = 16'384}; ///< so that there is always something to go on with

/// Counts, and checks that those of one sender come in order.
struct counting final : parcel_receiver {
  explicit counting(unsigned senders) : next(senders) {}
  void arrived(unsigned from, std::span<const std::byte> message) override {
    while (!message.empty()) {
      header of{};
      ASSERT_GE(message.size(), sizeof of);
      std::memcpy(&of, message.data(), sizeof of);
      EXPECT_TRUE(takes_any_order || of.number == next[from]) << of.number;
      ++next[from];
      ASSERT_LE(of.bytes, message.size());
      message = message.subspan(of.bytes);
      count.fetch_add(1, std::memory_order_release);
    }
  }
  void failed(std::exception_ptr) noexcept override { ADD_FAILURE() << "failed"; }
  coalescing how_to_coalesce(std::uint32_t lane) const override {
    const scoped_lock guard(lock);
    return asked[lane];
  }
  std::string name_of_lane(std::uint32_t lane) const override { return std::to_string(lane); }
  mutable spinlock lock;
  std::array<coalescing, 3> asked{k_fixed, k_fixed, k_fixed};
  std::vector<std::uint64_t> next;
  std::atomic<std::uint64_t> count{0};
  std::atomic<bool> takes_any_order{false};
};

struct localities_in_one {
  localities_in_one(unsigned size, const network_delays& delays) {
    for (unsigned rank = 0; rank < size; ++rank) {
      receivers.push_back(std::make_unique<counting>(size));
      const bool is_far = delays.latency_ns != 0; // else as it is: with_delays() copies what it delays
      ports.push_back(std::make_unique<parcel_port>(
          is_far ? with_delays(file.open(rank, size), delays) : file.open(rank, size), *receivers.back()));
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
      for (std::uint64_t i = 0; i < k_each; ++i) {
        if (random.below(500) == 0) {
          const bool is_open = random.below(3) == 0;
          const coalescing how{.how = static_cast<coalescing_kind>(random.below(4)),
                               .parcels = 1 + random.below(60),
                               .interval_ns = 1000 * static_cast<std::int64_t>(random.below(300)),
                               .hold_ns = is_open ? -1 : 1000 * static_cast<std::int64_t>(random.below(100)),
                               .bytes = is_open ? -1 : static_cast<std::int64_t>(random.below(20'000)),
                               .trigger = static_cast<coalescing_trigger>(random.below(4)),
                               .every = 1 + random.below(500)};
          {
            const scoped_lock guard(all.receivers[rank]->lock);
            all.receivers[rank]->asked[random.below(3)] = how;
          }
          all.ports[rank]->settings_changed();
          all.ports[rank]->event(random.below(5));
        }
        const header of{i, sizeof of + random.below(i % 100 == 0 ? 50'000 : 64)};
        parcel.assign(of.bytes, std::byte{0});
        std::memcpy(parcel.data(), &of, sizeof of);
        const std::uint32_t lane = random.below(3);
        for (unsigned to = 0; to < k_size; ++to) all.ports[rank]->send(to, parcel, lane);
        if (random.below(2000) == 0) all.ports[rank]->flush();
        if (random.below(2000) == 0) usleep(2000); // the others fall asleep
      }
    });
  }
  for (std::thread& one : senders) one.join();
  for (unsigned rank = 0; rank < k_size; ++rank) {
    while (all.receivers[rank]->count.load(std::memory_order_acquire) < k_size * k_each) usleep(100);
    parcel_port::counts sent;
    for (std::uint32_t lane = 0; lane < all.ports[rank]->lanes(); ++lane) {
      const parcel_port::counts of_lane = all.ports[rank]->sent(lane);
      sent.parcels += of_lane.parcels;
      sent.messages += of_lane.messages;
      EXPECT_LE(of_lane.gaps.count(), of_lane.parcels / 30);
      if (of_lane.parcels > 1000) {
        EXPECT_GT(of_lane.gaps.count(), 0U);
      }
    }
    EXPECT_EQ(sent.parcels, k_size * k_each);
    EXPECT_LE(sent.messages, k_size * k_each);
    EXPECT_GT(all.ports[rank]->spent().sending_ns, 0);
    EXPECT_GT(all.ports[rank]->spent().looking_ns, 0);
  }
}

/// As send_bitwise() does; true: without the lock.
bool send_small(parcel_port& port, unsigned to, std::uint32_t action, const header& of) {
  const auto write = [&](std::byte* at) {
    std::memset(at, 0, of.bytes);
    std::memcpy(at, &of, sizeof of);
  };
  parcel_run* const run = run_for(to);
  if (std::byte* const at = run ? run->begin(to, action, of.bytes) : nullptr) {
    write(at);
    run->end(action, of.bytes);
    return true;
  }
  const std::uint32_t lane = action < 2 ? action : 2; // mostly one of its own
  const parcel_place place = port.begin(to, lane, of.bytes);
  if (place.at) {
    write(place.at);
    port.end(place, action, of.bytes);
  } else {
    std::vector<std::byte> parcel(of.bytes);
    write(parcel.data());
    port.send(to, parcel, lane);
  }
  return false;
}

/// Small parcels until the thread goes on without the lock.
std::uint64_t begin_stream(localities_in_one& all, unsigned to) {
  all.receivers[0]->asked[1] = k_held;
  std::uint64_t number = 0;
  while (number < 100 || !run_for(to) || !run_for(to)->outbox()) {
    send_small(*all.ports[0], to, 1, {number, 24});
    ++number;
  }
  EXPECT_TRUE(send_small(*all.ports[0], to, 1, {number, 24})); // nothing is due, and nobody else wants it
  return number + 1;
}

TEST(sampled_gaps, are_of_pairs) {
  lane of;
  std::vector<std::uint64_t> noted;
  for (of.parcels = 0; of.parcels < 2000;) {
    ++of.parcels;
    if (of.gaps.wants(of.parcels)) noted.push_back(of.parcels);
    of.gaps.note(of.parcels);
  }
  ASSERT_EQ(noted.size() % 2, 0U);
  EXPECT_EQ(of.gaps.count(), noted.size() / 2);
  EXPECT_EQ(noted.size() / 2, 8U); // of 2000, one pair in 257
  for (std::size_t i = 0; i < noted.size(); i += 2) EXPECT_EQ(noted[i] + 1, noted[i + 1]);
}

/// A kind of which something is to be decided keeps runs from beginning, for as long as it is seen now and then.
TEST(parcel_run, begins_when_nothing_is_to_be_decided) {
  parcel_run run;
  std::array<std::byte, 1000> room{};
  int outbox = 0;
  std::size_t left_of_second = 500;
  const auto open = [&](std::uint32_t action) {
    run.open(&outbox, 1, action, 24, action, room.data(), room.size(), 128,
             [&](const parcel_run::part& part) { return part.lane == 2 ? left_of_second : std::size_t{1000}; });
    return run.outbox() != nullptr;
  };
  const auto add = [&](std::uint32_t action) {
    if (!run.begin(1, action, 24)) return false;
    run.end(action, 24);
    return true;
  };
  const auto close = [&] {
    std::size_t parcels = 0;
    run.close(true, [&](const parcel_run::part& part) { parcels += part.parcels; });
    return parcels;
  };
  ASSERT_TRUE(open(1));
  EXPECT_TRUE(add(1));
  EXPECT_FALSE(add(2)) << "it knows nothing of it";
  EXPECT_EQ(close(), 1U);
  ASSERT_TRUE(open(2));
  EXPECT_TRUE(add(1));
  EXPECT_TRUE(add(2));
  EXPECT_EQ(close(), 2U);
  left_of_second = 100; // less than pays
  EXPECT_FALSE(open(1));
  EXPECT_FALSE(add(1));
  EXPECT_FALSE(open(2));
  left_of_second = 240;
  ASSERT_TRUE(open(1));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(add(1)) << i;
  EXPECT_FALSE(add(1)) << "there is no more room";
  EXPECT_EQ(close(), 10U);
  left_of_second = 0;
  int opens = 0;
  while (!open(1)) ++opens;
  EXPECT_EQ(opens, 2) << "until it is forgotten: the last run had none, too";
  EXPECT_EQ(close(), 0U);
}

/// Streams of small parcels, in which others ask, flush and change what is decided; between ports that come and go,
/// from threads that come and go: each parcel arrives once, those of a port in their order.
TEST_P(parcel_port_test, streams_of_small_parcels) {
  constexpr std::uint64_t k_parcels = 40'000;
  xorshift random(7);
  for (int round = 0; round < 4; ++round) {
    localities_in_one all(2, GetParam());
    parcel_port& port = *all.ports[0];
    std::uint64_t next = begin_stream(all, 1);
    all.receivers[0]->asked[0] = all.receivers[0]->asked[1] = {.hold_ns = 50'000 * random.below(2), .bytes = 20'000};
    std::atomic<bool> is_over{false};
    std::thread others([&] {
      xorshift chance(9);
      while (!is_over) {
        if (chance.below(4) == 0) {
          const scoped_lock guard(all.receivers[0]->lock);
          all.receivers[0]->asked[chance.below(2)].bytes = 200 + chance.below(chance.below(4) == 0 ? 200'000 : 40'000);
        }
        chance.below(2) == 0 ? port.flush() : static_cast<void>(port.sent(chance.below(3)));
        usleep(chance.below(2000));
      }
    });
    while (next < k_parcels) {
      const std::uint64_t end = std::min(k_parcels, next + 1 + random.below(20'000)); // of a thread, and its runs
      std::thread([&] {
        for (; next < end; ++next) {
          const std::uint64_t size = random.below(50) == 0 ? 600 + random.below(1000) : 24 + 8 * random.below(2);
          const auto action = static_cast<std::uint32_t>(random.below(200) == 0 ? random.below(20) : next % 2);
          send_small(port, 1, action, {next, size});
          if (random.below(2000) == 0) port.settings_changed();
        }
      }).join();
    }
    is_over = true;
    others.join();
    if (round % 2 == 0) port.flush(); // else by the port's thread
    while (all.receivers[1]->count.load(std::memory_order_acquire) < k_parcels) usleep(100);
    std::uint64_t sent = 0;
    for (std::uint32_t lane = 0; lane < port.lanes(); ++lane) sent += port.sent(lane).parcels;
    EXPECT_EQ(sent, k_parcels);
  }
}

/// Two threads send to one destination: a run of one of them is ended by the other, and no parcel is lost.
TEST(parcel_port, two_streams_to_one_destination) {
  constexpr std::uint64_t k_each = 200'000;
  localities_in_one all(2, {});
  all.receivers[1]->takes_any_order = true;
  const std::uint64_t before = begin_stream(all, 1);
  std::thread senders[2];
  for (std::thread& one : senders) {
    one = std::thread([&] {
      for (std::uint64_t i = 0; i < k_each; ++i) send_small(*all.ports[0], 1, 1, {i, 24});
    });
  }
  for (std::thread& one : senders) one.join();
  all.ports[0]->flush();
  while (all.receivers[1]->count.load(std::memory_order_acquire) < before + 2 * k_each) usleep(100);
  EXPECT_EQ(all.ports[0]->sent(1).parcels, before + 2 * k_each);
}

/// Destinations 1 and 9 share a run, which somebody ends while the thread goes from one to the other.
TEST(parcel_port, more_destinations_than_runs) {
  constexpr std::uint64_t k_each = 30'000;
  localities_in_one all(10, {});
  const std::uint64_t before = begin_stream(all, 1);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    xorshift chance(5);
    while (!is_over) {
      static_cast<void>(all.ports[0]->sent(1));
      usleep(chance.below(50));
    }
  });
  for (std::uint64_t i = 0; i < k_each; ++i) {
    const unsigned to = i / 50 % 2 == 0 ? 1 : 9;
    send_small(*all.ports[0], to, 1, {i / 100 * 50 + i % 50 + (to == 1 ? before : 0), 24});
  }
  is_over = true;
  other.join();
  all.ports[0]->flush();
  for (const unsigned to : {1U, 9U})
    while (all.receivers[to]->count.load(std::memory_order_acquire) < k_each / 2 + (to == 1 ? before : 0)) usleep(100);
}

/// What a thread goes on with belongs to a port: the next one knows nothing of it.
TEST(parcel_port, a_stream_ends_with_its_port) {
  for (int round = 0; round < 20; ++round) {
    localities_in_one all(2, {});
    const std::uint64_t sent = begin_stream(all, 1);
    if (round % 2 == 0) continue; // with what it has gathered
    all.ports[0]->flush();
    while (all.receivers[1]->count.load(std::memory_order_acquire) < sent) usleep(100);
  }
  ASSERT_NE(run_for(1), nullptr);
  EXPECT_EQ(run_for(1)->begin(1, 1, 24), nullptr);
}

TEST(parcel_port, the_child_of_a_fork_goes_on_with_no_stream) {
  localities_in_one all(2, {});
  begin_stream(all, 1);
  const pid_t child = fork();
  if (child == 0) _exit(run_for(1) ? 1 : 0);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

/// One that fails when it is told to, and refuses messages by chance.
class moody_transport final : public transport {
 public:
  moody_transport(std::unique_ptr<transport> over, const std::atomic<bool>& fails, unsigned refuses_of_ten = 0)
      : m_over(std::move(over)), m_fails(fails), m_refuses(refuses_of_ten) {}
  unsigned rank() const noexcept override { return m_over->rank(); }
  unsigned size() const noexcept override { return m_over->size(); }
  bool send(unsigned to, message_parts message) override {
    return m_chance.below(10) >= m_refuses && m_over->send(to, message);
  }
  std::span<std::byte> reserve(unsigned to, std::size_t bytes) noexcept override {
    return m_chance.below(10) >= m_refuses ? m_over->reserve(to, bytes) : std::span<std::byte>();
  }
  void send_reserved(unsigned to, std::size_t bytes) noexcept override { m_over->send_reserved(to, bytes); }
  bool is_free(unsigned to) noexcept override { return m_over->is_free(to); }
  bool poll(message_sink& sink) override {
    ++polls;
    if (m_fails) throw std::runtime_error("it fails");
    return m_over->poll(sink);
  }
  void begin_polling() noexcept override { m_over->begin_polling(); }
  void end_polling() noexcept override { m_over->end_polling(); }
  void wait(std::int64_t timeout_ns) noexcept override { m_over->wait(timeout_ns); }
  void wake() noexcept override { m_over->wake(); }
  void join(std::uint64_t digest) override { m_over->join(digest); }

  unsigned polls = 0; ///< one thread at a time

 private:
  const std::unique_ptr<transport> m_over;
  const std::atomic<bool>& m_fails;
  const unsigned m_refuses;
  xorshift m_chance{3}; ///< of who sends, with the lock of the one destination
};

/// While one looks that waits, others find nothing; also while there are several, and until the last one ends.
TEST(parcel_port, leaves_messages_to_those_that_wait) {
  shared_file file;
  const std::atomic<bool> fails{false};
  counting here(2);
  auto made = std::make_unique<moody_transport>(file.open(0, 2), fails);
  const moody_transport& over = *made;
  parcel_port port(std::move(made), here); // it has no thread before start()
  const auto looks = [&](poller who) {
    const unsigned before = over.polls;
    EXPECT_FALSE(port.poll(who));
    return over.polls != before;
  };
  port.begin_polling(poller::idle);
  EXPECT_TRUE(looks(poller::idle));
  for (int waiters = 1; waiters <= 2; ++waiters) {
    port.begin_polling(poller::waiter);
    EXPECT_FALSE(looks(poller::idle));
    EXPECT_TRUE(looks(poller::waiter));
  }
  port.end_polling(poller::waiter);
  EXPECT_FALSE(looks(poller::idle));
  port.end_polling(poller::waiter);
  EXPECT_TRUE(looks(poller::idle));
  port.end_polling(poller::idle);
}

/// Nobody flushes: what had no room leaves by the port's thread, and by who sends more.
TEST(parcel_port, what_had_no_room_leaves_later) {
  constexpr std::uint64_t k_each = 3000;
  shared_file file;
  const std::atomic<bool> fails{false};
  counting here(2), there(2);
  parcel_port receives(file.open(1, 2), there);
  parcel_port sends(std::make_unique<moody_transport>(file.open(0, 2), fails, 5), here);
  receives.start();
  sends.start();
  for (int round = 1; round <= 20; ++round) {
    here.asked[1] = {.hold_ns = 0, .bytes = 100 * round};
    sends.settings_changed();
    for (std::uint64_t i = 0; i < k_each; ++i)
      send_small(sends, 1, 1, {static_cast<std::uint64_t>(round - 1) * k_each + i, 24});
    while (there.count.load(std::memory_order_acquire) < static_cast<std::uint64_t>(round) * k_each) usleep(100);
  }
}

std::vector<std::byte> parcel_of(const header& of) {
  std::vector<std::byte> parcel(of.bytes);
  for (std::size_t at = 0; at < of.bytes; at += 1000)
    std::memset(parcel.data() + at, static_cast<int>(of.number + at / 1000),
                std::min<std::size_t>(1000, of.bytes - at));
  std::memcpy(parcel.data(), &of, sizeof of);
  return parcel;
}

/// Threads send what is large and what is small, over a transport that refuses by chance: all arrives, that of each
/// thread in its order.
TEST(parcel_port, large_parcels_are_sent_from_where_they_are) {
  constexpr std::uint64_t k_parcels = 150;
  struct checking final : parcel_receiver {
    void arrived(unsigned, std::span<const std::byte> message) override {
      while (!message.empty()) {
        header of{};
        ASSERT_GE(message.size(), sizeof of);
        std::memcpy(&of, message.data(), sizeof of);
        ASSERT_LE(of.bytes, message.size());
        const std::uint64_t thread = of.number >> 32U;
        EXPECT_EQ(of.number & 0xffff'ffffU, next[thread]++);
        const std::vector<std::byte> expected = parcel_of(of);
        ASSERT_EQ(std::memcmp(message.data(), expected.data(), of.bytes), 0) << of.bytes;
        message = message.subspan(of.bytes);
        count.fetch_add(1, std::memory_order_release);
      }
    }
    void failed(std::exception_ptr) noexcept override { ADD_FAILURE() << "failed"; }
    coalescing how_to_coalesce(std::uint32_t) const override { return k_fixed; }
    std::string name_of_lane(std::uint32_t) const override { return ""; }
    std::uint64_t next[3] = {};
    std::atomic<std::uint64_t> count{0};
  } here, there;
  shared_file file;
  const std::atomic<bool> fails{false};
  parcel_port receives(file.open(1, 2), there);
  parcel_port sends(std::make_unique<moody_transport>(file.open(0, 2), fails, 3), here);
  receives.start();
  sends.start();
  std::thread threads[3];
  for (std::uint64_t t = 0; t < 3; ++t) {
    threads[t] = std::thread([&, t] {
      xorshift random(t + 1);
      for (std::uint64_t i = 0; i < k_parcels; ++i) {
        const std::uint32_t kind = random.below(4);
        const header of{t << 32U | i, sizeof(header) + random.below(kind == 0 ? 3'000'000 : kind == 1 ? 300'000 : 100)};
        std::vector<std::byte> parcel = parcel_of(of);
        if (kind > 1) {
          sends.send(1, parcel, 1);
          continue;
        }
        std::vector<std::byte> first(parcel.begin(), parcel.begin() + sizeof of);
        const auto send = [&] { sends.send_large(1, first, std::span(parcel).subspan(sizeof of), 1); };
        if (t == 2) { // must not wait: what has no room is copied
          const callback_scope handles;
          send();
        } else {
          send();
        }
        std::fill(parcel.begin(), parcel.end(), std::byte{0xee}); // it is its sender's again
      }
    });
  }
  for (std::thread& one : threads) one.join();
  sends.flush();
  while (there.count.load(std::memory_order_acquire) < 3 * k_parcels) usleep(100);
}

/// Nobody reads; the port fails: who waits gets that, and nobody reads what it had.
TEST(parcel_port, who_waits_with_a_large_parcel_gets_the_failure) {
  struct failed_receiver final : parcel_receiver {
    void arrived(unsigned, std::span<const std::byte>) override {}
    void failed(std::exception_ptr) noexcept override {}
    coalescing how_to_coalesce(std::uint32_t) const override { return k_fixed; }
    std::string name_of_lane(std::uint32_t) const override { return ""; }
  } receiver;
  std::atomic<bool> fails{false};
  shared_file file;
  parcel_port port(std::make_unique<moody_transport>(file.open(0, 2), fails), receiver);
  port.start();
  std::thread ends([&] {
    usleep(20'000);
    fails = true;
    port.poll(poller::idle);
  });
  std::vector<std::byte> first(8);
  const std::vector<std::byte> rest(std::size_t{8} << 20U);
  EXPECT_THROW(port.send_large(1, first, rest, 1), std::runtime_error);
  ends.join();
}

/// A thread that has an open run gets the failure with its next parcel.
TEST(parcel_port, a_stream_ends_with_the_failure_of_the_transport) {
  struct failed_receiver final : parcel_receiver {
    void arrived(unsigned, std::span<const std::byte>) override {}
    void failed(std::exception_ptr) noexcept override { has_failed = true; }
    coalescing how_to_coalesce(std::uint32_t) const override { return k_held; }
    std::string name_of_lane(std::uint32_t) const override { return ""; }
    std::atomic<bool> has_failed{false};
  } receiver;
  std::atomic<bool> fails{false};
  shared_file file;
  parcel_port port(std::make_unique<moody_transport>(file.open(0, 2), fails), receiver);
  port.start();
  std::uint64_t number = 0;
  while (!run_for(1) || !run_for(1)->outbox()) send_small(port, 1, 1, {number++, 24});
  fails = true;
  port.poll(poller::idle);
  while (!receiver.has_failed) usleep(100);
  EXPECT_THROW(send_small(port, 1, 1, {number, 24}), std::runtime_error);
  EXPECT_EQ(run_for(1)->outbox(), nullptr);
}

/// For all destinations together, and for one alone when there is much for it. Messages cost enough to be felt.
TEST(parcel_port, destinations_share_what_is_found_out) {
  const auto decisions = [] {
    std::set<std::string> names;
    for (const decision_report& one : explain())
      if (one.kind == "coalescing") names.insert(one.instance);
    return names;
  };
  using names = std::set<std::string>;
  localities_in_one all(4, {.latency_ns = 2000, .overhead_ns = 2000});
  parcel_port& port = *all.ports[0];
  const auto ask = [&](const coalescing& how) {
    {
      const scoped_lock guard(all.receivers[0]->lock);
      all.receivers[0]->asked[1] = how;
    }
    port.settings_changed();
  };
  std::uint64_t next[4] = {};
  const auto send = [&](unsigned to) { send_small(port, to, 1, {next[to]++, 24}); };
  const auto send_to_each = [&](int parcels) {
    for (int i = 0; i < parcels; ++i)
      for (const unsigned to : {1U, 2U, 3U}) send(to);
  };
  ask({});
  send_to_each(300);
  EXPECT_EQ(decisions(), names{});
  send_to_each(1000);
  EXPECT_EQ(decisions(), names{"1 to all localities"});
  for (int i = 0; i % 1024 != 0 || !decisions().contains("1 to locality 1"); ++i) send(1);
  EXPECT_GE(next[1], 16'384U);
  EXPECT_EQ(decisions(), (names{"1 to all localities", "1 to locality 1"}));

  ask(k_fixed);
  send_to_each(100);
  EXPECT_EQ(decisions(), names{});
  ask({.bytes = 1000}); // another one, beginning from nothing
  send_to_each(100);
  EXPECT_EQ(decisions(), names{});
  send_to_each(1000);
  EXPECT_TRUE(decisions().contains("1 to all localities"));
  port.flush();
  for (const unsigned to : {1U, 2U, 3U})
    while (all.receivers[to]->count.load(std::memory_order_acquire) < next[to]) usleep(100);
}

TEST(parcel_port, what_is_gathered_leaves_by_itself) {
  localities_in_one all(2, {});
  const header of{0, sizeof of};
  const auto parcel = std::as_bytes(std::span(&of, 1));
  all.receivers[0]->asked[2] = {.how = coalescing_kind::paper, .parcels = 1000, .interval_ns = 1'000'000};
  all.ports[0]->send(1, parcel, 2); // sparse: it leaves
  for (std::uint64_t i = 1; i < 10; ++i) {
    const header next{i, sizeof next};
    all.ports[0]->send(1, std::as_bytes(std::span(&next, 1)), 2); // these wait for the interval
  }
  while (all.receivers[1]->count.load(std::memory_order_acquire) < 10) usleep(100);
  EXPECT_LE(all.ports[0]->sent(2).messages, 10U);
}

} // namespace
} // namespace treadle::detail

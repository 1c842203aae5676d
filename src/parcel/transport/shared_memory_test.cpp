#include "parcel/transport/shared_memory.hpp"

#include "base/rng.hpp"
#include "parcel/transport/shared_file.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle::detail {
namespace {

struct collected final : message_sink {
  void arrived(unsigned from, std::span<const std::byte> message) override {
    all.emplace_back(from, std::string(reinterpret_cast<const char*>(message.data()), message.size()));
  }
  std::vector<std::pair<unsigned, std::string>> all;
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// All of these, and nothing else, from locality 0; some have been got before.
void expect_arrival(transport& by, collected& got, const std::vector<std::string>& sent) {
  while (by.poll(got)) {
  }
  ASSERT_EQ(got.all.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(got.all[i].first, 0U);
    EXPECT_EQ(got.all[i].second, sent[i]);
  }
}

TEST(shared_memory, messages_of_any_size_arrive_in_order) {
  const shared_file file;
  const auto a = file.open(0, 2), b = file.open(1, 2);
  xorshift random(3);
  std::vector<std::string> sent;
  collected got;
  for (int i = 0; i < 300; ++i) {
    const std::uint32_t size = i % 50 == 7 ? random.below(3U << 20U) : random.below(2000);
    sent.emplace_back(size, static_cast<char>('a' + i % 26));
    while (!a->send(1, bytes_of(sent.back())))
      EXPECT_TRUE(b->poll(got)) << "what does not fit is made room for by reading";
  }
  expect_arrival(*b, got, sent);
  EXPECT_FALSE(a->poll(got));
}

/// Some are written where they are sent, into room that is larger, and some of that room is not used in the end.
TEST(shared_memory, messages_may_be_written_in_place) {
  const shared_file file;
  const auto a = file.open(0, 2), b = file.open(1, 2);
  xorshift random(4);
  std::vector<std::string> sent;
  collected got;
  unsigned refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::uint32_t room = 1 + random.below(70'000), kind = random.below(3);
    const std::string text(1 + random.below(room), static_cast<char>('a' + i % 26));
    if (const std::span<std::byte> place = a->reserve(1, room); kind != 0 && !place.empty()) {
      ASSERT_EQ(place.size(), room);
      std::memset(place.data(), 'x', place.size());
      if (kind == 2) continue;
      std::memcpy(place.data(), text.data(), text.size());
      a->send_reserved(1, text.size());
      sent.push_back(text);
    } else if (a->send(1, bytes_of(text))) {
      sent.push_back(text);
    } else {
      ++refused;
      while (random.below(4) != 0) b->poll(got);
    }
  }
  EXPECT_GT(refused, 0U);
  expect_arrival(*b, got, sent);
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

/// What this process is told when the other one has ended.
std::string told_after(const std::function<void(std::unique_ptr<transport>)>& end) {
  const shared_file file;
  const pid_t child = fork();
  if (child == 0) {
    auto own = file.open(1, 2);
    own->join(7);
    const std::string last_words = "bye";
    own->send(0, bytes_of(last_words));
    end(std::move(own));
  }
  const auto own = file.open(0, 2);
  own->join(7);
  int status = 0;
  waitpid(child, &status, 0);
  collected got;
  std::string told;
  for (int looks = 0; looks < 3 && told.empty(); ++looks) {
    own->wait(-1);
    try {
      while (own->poll(got)) {
      }
    } catch (const std::runtime_error& e) {
      told = e.what();
    }
  }
  EXPECT_EQ(got.all.size(), 1U) << "what was sent before arrives";
  return told;
}

TEST(shared_memory, who_dies_is_missed_and_who_leaves_is_not) {
  EXPECT_EQ(told_after([](std::unique_ptr<transport>) { _exit(0); }),
            "localities: locality 1 has ended without warning");
  EXPECT_EQ(told_after([](std::unique_ptr<transport>) { raise(SIGKILL); }),
            "localities: locality 1 has ended without warning");
  EXPECT_EQ(told_after([](std::unique_ptr<transport> own) {
              own.reset();
              _exit(0);
            }),
            "");
}

TEST(shared_memory, who_dies_is_missed_while_a_child_of_it_lives_on) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(told_after([&](std::unique_ptr<transport>) {
              if (fork() == 0) {
                char none = 0;
                close(ends[1]);
                _exit(read(ends[0], &none, 1) == 0 ? 0 : 1); // until the test is over
              }
              raise(SIGKILL);
            }),
            "localities: locality 1 has ended without warning");
  close(ends[0]);
  close(ends[1]);
}

TEST(shared_memory, places_are_read_and_refused) {
  const shared_memory_place place = parse_shared_memory_place("/tmp/a:b:2:4");
  EXPECT_EQ(place.file, "/tmp/a:b");
  EXPECT_EQ(place.rank, 2U);
  EXPECT_EQ(place.size, 4U);
  for (const char* bad :
       {"", "x", "x:1", ":1:2", "x:2:2", "x:0:0", "x:-1:2", "x:0:2x", "x::", "x:0:5000", "x:0:99999999999999"}) {
    try {
      parse_shared_memory_place(bad);
      ADD_FAILURE() << bad;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).find("TREADLE_LOCALITIES: expected FILE:RANK:SIZE"), 0U) << e.what();
    }
  }
  EXPECT_THROW(open_shared_memory({"/nowhere/at/all", 0, 2}), std::system_error);
}

} // namespace
} // namespace treadle::detail

#include "agent_link/conversation.hpp"

#include "observe/programs/state_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace treadle::detail {
namespace {

constexpr std::int64_t k_ms = 1'000'000;

program_state with(unsigned workers, unsigned active, std::uint64_t queued = 0) {
  program_state s{};
  s.workers = workers;
  s.active = active;
  s.queued = queued;
  return s;
}
template <class Message>
const Message* find(const conversation::actions& a) {
  for (const any_message& m : a.send)
    if (const auto* const found = std::get_if<Message>(&m)) return found;
  return nullptr;
}

class conversation_test : public ::testing::Test {
 protected:
  conversation talk{std::string(32, 'a'), 42, "program", 0};
  program_state state = with(8, 8);

  conversation::actions grant(std::uint64_t epoch, unsigned workers, std::int64_t now, unsigned lease_ms = 100) {
    return talk.receive(message::grant{epoch, workers, lease_ms, "because"}, now, state);
  }
};

TEST_F(conversation_test, says_hello_until_somebody_answers) {
  auto first = talk.look(0, state);
  ASSERT_NE(find<message::hello>(first), nullptr);
  EXPECT_EQ(find<message::hello>(first)->workers, 8u);
  EXPECT_EQ(find<message::hello>(talk.look(999 * k_ms, state)), nullptr);
  EXPECT_NE(find<message::hello>(talk.look(1000 * k_ms, state)), nullptr);
  EXPECT_FALSE(talk.status().is_governed);
}

TEST_F(conversation_test, follows_a_grant_says_so_and_when_it_is_in_effect) {
  static_cast<void>(talk.look(0, state));
  auto got = grant(5, 3, 10 * k_ms);
  EXPECT_EQ(got.govern, 3u);
  ASSERT_NE(find<message::ack>(got), nullptr);
  EXPECT_EQ(find<message::ack>(got)->epoch, 5u);
  EXPECT_EQ(talk.status().reason, "because");
  EXPECT_EQ(find<message::effective>(talk.look(11 * k_ms, with(8, 5))), nullptr);
  EXPECT_LE(talk.next_look_ns(), 12 * k_ms);
  auto later = talk.look(12 * k_ms, with(8, 3));
  ASSERT_NE(find<message::effective>(later), nullptr);
  EXPECT_EQ(find<message::effective>(later)->epoch, 5u);
  EXPECT_EQ(find<message::effective>(later)->after_us, 2000);
}

TEST_F(conversation_test, is_free_again_when_the_lease_is_over) {
  static_cast<void>(talk.look(0, state));
  static_cast<void>(grant(5, 3, 0));
  static_cast<void>(talk.look(50 * k_ms, with(8, 3)));
  EXPECT_EQ(grant(5, 3, 60 * k_ms).govern, std::nullopt) << "the same grant again";
  EXPECT_EQ(talk.look(120 * k_ms, with(8, 3)).govern, std::nullopt);
  EXPECT_LE(talk.next_look_ns(), 160 * k_ms);
  auto over = talk.look(160 * k_ms, with(8, 3));
  EXPECT_EQ(over.govern, k_not_governed);
  EXPECT_NE(find<message::hello>(over), nullptr);
  EXPECT_EQ(find<message::hello>(over)->epoch, 5u);
  EXPECT_EQ(grant(5, 3, 170 * k_ms).govern, 3u) << "the agent was stopped for a while";
}

TEST_F(conversation_test, ignores_what_was_overtaken) {
  static_cast<void>(grant(7, 3, 0));
  auto old = grant(6, 8, k_ms);
  EXPECT_EQ(old.govern, std::nullopt);
  EXPECT_TRUE(old.send.empty());
  EXPECT_EQ(talk.status().granted, 3u);
}

TEST_F(conversation_test, whatever_an_agent_says_the_program_can_work) {
  core_wish wish;
  wish.least = 2;
  talk.introduce(wish);
  EXPECT_EQ(grant(1, 1'000'000, 0).govern, 8u);
  EXPECT_EQ(grant(2, 1, 0).govern, 2u);
  EXPECT_EQ(grant(3, 0, 0).govern, 0u); // it is paused
  EXPECT_EQ(grant(4, 5, 0, 4'000'000'000u).govern, 5u);
  EXPECT_LE(talk.next_look_ns(), std::int64_t{3'600'000} * k_ms);
}

TEST_F(conversation_test, lends_when_nothing_can_run_and_wants_back_at_once) {
  static_cast<void>(talk.look(0, state));
  static_cast<void>(grant(1, 4, 0));
  EXPECT_EQ(find<message::need>(talk.look(2 * k_ms, with(8, 4))), nullptr);
  EXPECT_EQ(find<message::need>(talk.look(3 * k_ms, with(8, 0))), nullptr) << "perhaps for a moment";
  EXPECT_LE(talk.next_look_ns(), 5 * k_ms);
  EXPECT_EQ(find<message::need>(talk.look(4 * k_ms, with(8, 1))), nullptr);
  EXPECT_EQ(find<message::need>(talk.look(5 * k_ms, with(8, 0))), nullptr);
  auto idle = talk.look(7 * k_ms, with(8, 0));
  ASSERT_NE(find<message::need>(idle), nullptr);
  EXPECT_EQ(find<message::need>(idle)->workers, 0u);
  EXPECT_TRUE(talk.said_idle());
  EXPECT_TRUE(talk.look(20 * k_ms, with(8, 0)).send.empty());
  auto busy = talk.look(21 * k_ms, with(8, 0, 1));
  ASSERT_NE(find<message::need>(busy), nullptr);
  EXPECT_EQ(find<message::need>(busy)->workers, 8u);
}

TEST_F(conversation_test, a_program_whose_other_threads_compute_is_not_idle) {
  static_cast<void>(talk.look(0, state));
  static_cast<void>(grant(1, 4, 0, 10'000));
  program_state outside = with(8, 0);
  std::int64_t now = 10 * k_ms;
  const auto go_on = [&](unsigned threads) {
    outside.outside = threads;
    now = talk.next_look_ns();
    return talk.look(now, outside);
  };
  static_cast<void>(talk.look(now, outside));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(find<message::need>(go_on(1)), nullptr);
  EXPECT_GE(talk.next_look_ns(), now + 50 * k_ms) << "it is not looked at all the time";
  const auto idle = go_on(0);
  ASSERT_NE(find<message::need>(idle), nullptr);
  EXPECT_EQ(find<message::need>(idle)->workers, 0u);
  EXPECT_EQ(find<message::need>(go_on(0)), nullptr);
  const auto busy = go_on(1);
  ASSERT_NE(find<message::need>(busy), nullptr);
  EXPECT_EQ(find<message::need>(busy)->workers, 8u);
}

TEST_F(conversation_test, says_how_many_workers_it_has_when_that_changes) {
  static_cast<void>(talk.look(0, state));
  static_cast<void>(grant(1, 4, 0, 10'000));
  EXPECT_EQ(find<message::hello>(talk.look(200 * k_ms, with(0, 0))), nullptr) << "between two runtimes";
  const auto more = talk.look(300 * k_ms, with(12, 4));
  ASSERT_NE(find<message::hello>(more), nullptr);
  EXPECT_EQ(find<message::hello>(more)->workers, 12u);
  EXPECT_EQ(find<message::hello>(talk.look(350 * k_ms, with(8, 4))), nullptr) << "perhaps for a moment";
  EXPECT_NE(find<message::hello>(talk.look(400 * k_ms, with(8, 4))), nullptr);
}

TEST_F(conversation_test, of_a_new_agent_and_of_one_that_refuses) {
  static_cast<void>(talk.look(0, state));
  static_cast<void>(grant(9, 4, 0));
  auto who = talk.receive(message::who{}, k_ms, state);
  ASSERT_NE(find<message::hello>(who), nullptr);
  EXPECT_EQ(find<message::hello>(who)->epoch, 9u);
  static_cast<void>(talk.receive(message::refused{"no"}, 2 * k_ms, state));
  EXPECT_EQ(talk.status().trouble, "no");
  EXPECT_EQ(find<message::hello>(talk.look(50 * k_ms, with(8, 4))), nullptr);
  EXPECT_TRUE(talk.receive(message::ack{3}, 3 * k_ms, state).send.empty()) << "not for programs";
}

} // namespace
} // namespace treadle::detail

#include "agent/roster.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace treadle::agent {
namespace {

namespace message = detail::message;
constexpr std::int64_t k_ms = 1'000'000;

message::hello hello(char number, int pid, unsigned workers = 4, std::uint64_t epoch = 0) {
  message::hello h;
  h.program = std::string(32, number);
  h.pid = pid;
  h.name = std::string("program-") + number;
  h.workers = workers;
  h.epoch = epoch;
  return h;
}
template <class Message>
const Message* first(const std::vector<roster::outgoing>& sent) {
  for (const auto& one : sent)
    if (const auto* const found = std::get_if<Message>(&one.what)) return found;
  return nullptr;
}

class roster_test : public ::testing::Test {
 protected:
  roster all;
  void SetUp() override {
    EXPECT_TRUE(all.receive("r1", 11, hello('a', 11), 0).must_decide);
    EXPECT_TRUE(all.receive("r2", 12, hello('b', 12), 0).must_decide);
  }
  std::vector<roster::outgoing> grant(unsigned a, unsigned b, std::int64_t now = 0) {
    return all.grant({{a, "x"}, {b, "y"}}, now, 100);
  }
};

TEST_F(roster_test, epochs_grow_with_what_is_granted_and_with_nothing_else) {
  const auto once = grant(2, 2);
  ASSERT_EQ(once.size(), 2u);
  EXPECT_EQ(std::get<message::grant>(once[0].what).epoch, 1u);
  EXPECT_EQ(std::get<message::grant>(once[1].what).epoch, 2u);
  const auto again = grant(2, 3);
  EXPECT_EQ(std::get<message::grant>(again[0].what).epoch, 1u);
  EXPECT_EQ(std::get<message::grant>(again[1].what).epoch, 3u);
  EXPECT_EQ(again[1].route, "r2");
}

TEST_F(roster_test, an_agent_that_begins_anew_goes_on_above_the_epochs_of_its_programs) {
  EXPECT_TRUE(all.receive("r3", 13, hello('c', 13, 4, 700), 0).must_decide);
  const auto sent = all.grant({{1, ""}, {1, ""}, {1, ""}}, 0, 100);
  for (const auto& one : sent) EXPECT_GT(std::get<message::grant>(one.what).epoch, 700u);
}

TEST_F(roster_test, who_is_not_known_is_asked) {
  const auto r = all.receive("r9", 19, message::ack{1}, 0);
  EXPECT_NE(first<message::who>(r.send), nullptr);
  EXPECT_FALSE(r.must_decide);
}

TEST_F(roster_test, one_cannot_be_another) {
  EXPECT_NE(first<message::refused>(all.receive("r3", 13, hello('c', 14), 0).send), nullptr); // another number
  EXPECT_NE(first<message::refused>(all.receive("r3", 13, hello('a', 13), 0).send), nullptr); // another program
  EXPECT_EQ(all.all().size(), 2u);
  // The same process with another program: it has executed one.
  EXPECT_TRUE(all.receive("r3", 12, hello('c', 12), 0).must_decide);
  ASSERT_EQ(all.all().size(), 2u);
  EXPECT_EQ(all.all()[1].name, "program-c");
}

TEST_F(roster_test, who_does_not_answer_for_a_lease_loses_its_cores_until_it_does) {
  grant(2, 2);
  static_cast<void>(all.receive("r1", 11, message::ack{1}, 90 * k_ms));
  EXPECT_FALSE(all.look(99 * k_ms, 100 * k_ms).must_decide);
  const auto silent = all.look(101 * k_ms, 100 * k_ms);
  EXPECT_TRUE(silent.must_decide);
  EXPECT_NE(silent.cause.find("program-b does not answer"), std::string::npos);
  EXPECT_TRUE(all.view_of(all.all()[1]).is_silent);
  EXPECT_FALSE(all.look(110 * k_ms, 100 * k_ms).must_decide);
  EXPECT_TRUE(all.receive("r2", 12, message::ack{2}, 120 * k_ms).must_decide);
  EXPECT_FALSE(all.view_of(all.all()[1]).is_silent);
}

TEST_F(roster_test, ends_good_byes_and_pauses) {
  EXPECT_TRUE(all.receive("r1", 11, message::need{0}, 0).must_decide);
  EXPECT_TRUE(all.view_of(all.all()[0]).is_idle);
  EXPECT_FALSE(all.receive("r1", 11, message::need{0}, 0).must_decide);
  EXPECT_TRUE(all.receive("r1", 11, message::need{4}, 0).must_decide);
  EXPECT_TRUE(all.ended(11).must_decide);
  EXPECT_FALSE(all.ended(11).must_decide);
  EXPECT_TRUE(all.receive("r2", 12, message::bye{}, 0).must_decide);
  EXPECT_TRUE(all.all().empty());
}

TEST_F(roster_test, messages_out_of_order_and_of_agents_change_nothing) {
  grant(2, 2);
  static_cast<void>(all.receive("r1", 11, message::ack{77}, 0));
  EXPECT_EQ(all.all()[0].acknowledged, 0u);
  static_cast<void>(all.receive("r1", 11, message::effective{77, 1}, 0));
  EXPECT_FALSE(all.all()[0].took_effect_us);
  static_cast<void>(all.receive("r1", 11, message::ack{1}, 5 * k_ms));
  EXPECT_EQ(all.all()[0].acknowledged, 1u);
  EXPECT_EQ(all.all()[0].acknowledged_after_ns, 5 * k_ms);
  EXPECT_NE(first<message::refused>(all.receive("r1", 11, message::grant{9, 9, 9, ""}, 0).send), nullptr);
}

TEST_F(roster_test, what_is_set_goes_before_what_the_program_wants_and_survives) {
  all.set("program-a", nlohmann::json::parse(R"({"least": 2, "weight": 3, "paused": true})"));
  EXPECT_EQ(all.view_of(all.all()[0]).least, 2u);
  EXPECT_EQ(all.view_of(all.all()[0]).weight, 3);
  EXPECT_TRUE(all.view_of(all.all()[0]).is_paused);
  roster other;
  other.restore(nlohmann::json::parse(all.state().dump()));
  static_cast<void>(other.receive("r7", 11, hello('a', 11), 0));
  EXPECT_TRUE(other.view_of(other.all()[0]).is_paused);
  other.set("11", nlohmann::json::parse(R"({"paused": null, "weight": null})"));
  EXPECT_FALSE(other.view_of(other.all()[0]).is_paused);
  EXPECT_EQ(other.view_of(other.all()[0]).weight, 1);
  EXPECT_THROW(all.set("nobody", nlohmann::json::object()), std::invalid_argument);
  EXPECT_THROW(all.set("12", nlohmann::json::parse(R"({"hue": 1})")), std::invalid_argument);
  EXPECT_THROW(all.set("12", nlohmann::json::parse(R"({"least": -1})")), std::invalid_argument);
  EXPECT_THROW(all.set("12", nlohmann::json::parse(R"({"least": 5, "most": 0, "weight": -1})")), std::invalid_argument);
}

} // namespace
} // namespace treadle::agent

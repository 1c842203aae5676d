#include "agent_link/messages.hpp"

#include "agent_link/wish.hpp"

#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace treadle {
namespace {

using namespace detail;

std::vector<any_message> some_of_each() {
  core_wish wish;
  wish.least = 1;
  wish.most = 4;
  wish.weight = 2.5;
  wish.group = "g";
  wish.role = "producer";
  wish.target = 8;
  return {message::hello{std::string(32, '7'), 12, "a \"name\" \n\xff", 8, wish, 3},
          message::ack{1},
          message::effective{2, 1.5},
          message::need{0},
          message::bye{},
          message::grant{9, 0, 1500, "weighted: 0 of 2 cores"},
          message::who{},
          message::refused{"why"},
          message::request{"set", R"({"program":"x"})"},
          message::answer{R"([1,2,{"a":null}])"}};
}

TEST(messages, come_back_as_they_were) {
  for (const any_message& m : some_of_each()) {
    const std::string text = to_json(m);
    const any_message back = message_from_json(text);
    EXPECT_EQ(back.index(), m.index());
    EXPECT_EQ(to_json(back), text);
  }
}

void refuses(const std::string& text, const std::string& what) {
  try {
    static_cast<void>(message_from_json(text));
    ADD_FAILURE() << text;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
  }
}

TEST(messages, that_are_none_are_refused_by_field) {
  refuses("", "no JSON");
  refuses("\xff\xfe", "no JSON");
  refuses("[1]", "object");
  refuses("{}", "version is missing");
  refuses(R"({"version": 2, "type": "bye"})", "version 2");
  refuses(R"({"version": "1", "type": "bye"})", "version");
  refuses(R"({"version": 1})", "type is missing");
  refuses(R"({"version": 1, "type": "dance"})", "dance");
  refuses(R"({"version": 1, "type": "ack"})", "epoch is missing");
  refuses(R"({"version": 1, "type": "ack", "epoch": -1})", "epoch");
  refuses(R"({"version": 1, "type": "ack", "epoch": 1.5})", "epoch");
  refuses(R"({"version": 1, "type": "grant", "epoch": 0, "workers": 1, "lease_ms": 1})", "epoch");
  refuses(R"({"version": 1, "type": "need", "workers": 99999999999})", "workers");
  refuses(R"({"version": 1, "type": "effective", "epoch": 1, "after_us": "x"})", "after_us");
  refuses(R"({"version": 1, "type": "hello", "program": "short", "pid": 1, "name": "", "workers": 1})", "program");
  const std::string hello = R"({"version": 1, "type": "hello", "program": ")" + std::string(32, '0') +
                            R"(", "pid": 1, "name": "n", "workers": 1, "wish": )";
  refuses(hello + "[]}", "wish");
  refuses(hello + R"({}, "epoch": 4611686018427387904})", "epoch"); // or no grant could follow
  refuses(hello + R"({"group": "a,b"}})", "comma");
  refuses(hello + R"({"weight": 0}})", "weight");
  refuses(hello + R"({"least": 3, "most": 2}})", "most=2");
  refuses(hello + R"({"role": "king", "group": "g"}})", "king");
  refuses(hello + R"({"target": 1e300}})", "target");
  refuses(std::string(k_message_bytes_max + 1, ' '), "longer");
  refuses(std::string(30'000, '[') + std::string(30'000, ']'), "nested");
  refuses(R"({"version": 1, "type": "request", "command": "x", "arguments": 3})", "arguments");
}

TEST(messages, every_part_of_one_and_random_changes_are_refused_or_read) {
  xorshift random(5);
  for (const any_message& m : some_of_each()) {
    const std::string text = to_json(m);
    for (std::size_t size = 0; size < text.size(); ++size)
      EXPECT_THROW(static_cast<void>(message_from_json(text.substr(0, size))), std::invalid_argument);
    for (int i = 0; i < 3000; ++i) {
      std::string changed = text;
      for (unsigned k = 1 + random.below(4); k > 0; --k)
        changed[random.below(static_cast<std::uint32_t>(changed.size()))] = static_cast<char>(random.below(256));
      try {
        static_cast<void>(to_json(message_from_json(changed)));
      } catch (const std::invalid_argument&) {
      }
    }
  }
}

TEST(core_wishes, are_read_and_refused_by_part) {
  const core_wish w = parse_core_wish("least=1,most=8,weight=0.5,preferred,group=pair,role=consumer,target=4", "here");
  EXPECT_EQ(w.least, 1u);
  EXPECT_EQ(w.most, 8u);
  EXPECT_EQ(w.weight, 0.5);
  EXPECT_TRUE(w.is_preferred);
  EXPECT_EQ(w.role, "consumer");
  EXPECT_EQ(w.target, 4);
  EXPECT_EQ(parse_core_wish("", "here").most, 0u);
  core_wish light = w;
  light.weight = 1e-7;
  EXPECT_EQ(parse_core_wish(to_text(light), "here").weight, 1e-7);
  EXPECT_EQ(to_text(parse_core_wish(to_text(w), "here")), to_text(w));
  for (const auto& [text, what] :
       std::initializer_list<std::pair<const char*, const char*>>{{"least=x", "least"},
                                                                  {"least=-1", "least"},
                                                                  {"least=4,most=2", "most=2"},
                                                                  {"weight=0", "weight"},
                                                                  {"weight=nan", "weight"},
                                                                  {"hue=1", "hue"},
                                                                  {"role=producer", "group"},
                                                                  {"role=boss,group=g", "boss"},
                                                                  {"preferred=1", "preferred"},
                                                                  {"target=-1", "target"},
                                                                  {"most=99999999999", "most"},
                                                                  {",,", "''"}}) {
    try {
      static_cast<void>(parse_core_wish(text, "here"));
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()).rfind("here: ", 0), 0u) << e.what();
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  }
}

} // namespace
} // namespace treadle

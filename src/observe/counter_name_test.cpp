#include "observe/counter_name.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

using treadle::detail::counter_name;

namespace {

std::string message_of(std::string_view text) {
  try {
    counter_name::parse(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(counter_name, takes_a_full_name_apart) {
  const auto name = counter_name::parse("/threads{locality#0/pool#default/worker-thread#3}/count/cumulative@a,b");
  EXPECT_EQ(name.object, "threads");
  ASSERT_EQ(name.instance.size(), 3u);
  EXPECT_EQ(name.instance[1].name, "pool");
  EXPECT_EQ(name.instance[1].index, "default");
  EXPECT_EQ(name.instance[2].index, "3");
  EXPECT_EQ(name.counter, "count/cumulative");
  EXPECT_EQ(name.parameters, "a,b");
  EXPECT_FALSE(name.is_pattern());
}

TEST(counter_name, short_forms) {
  EXPECT_EQ(counter_name::parse("/threads/idle-rate").counter, "idle-rate");
  EXPECT_TRUE(counter_name::parse("/threads/idle-rate").instance.empty());
  EXPECT_FALSE(counter_name::parse("/threads{locality#0/total}/idle-rate").instance[1].has_index);
}

TEST(counter_name, of_another_counter) {
  const auto name = counter_name::parse("/statistics{/threads{locality#0/total}/time/average@x}/median@100,5");
  ASSERT_EQ(name.base.size(), 1u);
  EXPECT_EQ(name.base[0].text(), "/threads{locality#0/total}/time/average@x");
  EXPECT_EQ(name.parameters, "100,5");
}

TEST(counter_name, parameters_of_a_base_may_hold_names) {
  const auto name = counter_name::parse("/statistics{/arithmetics/add@/a{b#0}/c,/a{b#1}/c}/max@5");
  EXPECT_EQ(name.base.at(0).parameters, "/a{b#0}/c,/a{b#1}/c");
  EXPECT_EQ(name.parameters, "5");
}

TEST(counter_name, patterns) {
  EXPECT_TRUE(counter_name::parse("/threads/count/*").is_pattern());
  EXPECT_TRUE(counter_name::parse("/threads{locality#0/worker-thread#*}/idle-rate").is_pattern());
  EXPECT_TRUE(counter_name::parse("/statistics{/threads/time/*}/max@1").is_pattern());
  EXPECT_TRUE(treadle::detail::matches_pattern("*", "count/cumulative"));
  EXPECT_TRUE(treadle::detail::matches_pattern("count/[a-c]*", "count/cumulative"));
  EXPECT_FALSE(treadle::detail::matches_pattern("count", "count/cumulative"));
}

TEST(counter_name, instances_match_part_by_part) {
  const auto instance = [](const char* text) {
    return counter_name::parse(std::string("/a{") + text + "}/b").instance;
  };
  using treadle::detail::matches_instance;
  EXPECT_TRUE(matches_instance(instance("locality#*/total"), instance("locality#0/total")));
  EXPECT_FALSE(matches_instance(instance("locality#*"), instance("locality#0/total")));
  EXPECT_FALSE(matches_instance(instance("locality#1/total"), instance("locality#0/total")));
  EXPECT_FALSE(matches_instance(instance("locality#0/total#*"), instance("locality#0/total")));
}

TEST(counter_name, errors_mark_the_place) {
  EXPECT_EQ(
      message_of("threads/idle-rate"),
      "counter name, column 1: expected '/' before the object, as in /threads/idle-rate\n  threads/idle-rate\n  ^");
  EXPECT_EQ(message_of("/threads{locality#0/total}"),
            "counter name, column 27: expected '/' before the counter, as in /threads/idle-rate\n"
            "  /threads{locality#0/total}\n                            ^");
  EXPECT_EQ(message_of("/threads{locality#0/idle"),
            "counter name, column 9: this '{' is never closed\n  /threads{locality#0/idle\n          ^");
}

class malformed_counter_name : public testing::TestWithParam<const char*> {};
TEST_P(malformed_counter_name, is_refused) { EXPECT_THROW(counter_name::parse(GetParam()), std::invalid_argument); }
INSTANTIATE_TEST_SUITE_P(names, malformed_counter_name,
                         testing::Values("", "/", "//", "/a", "/a/", "/a{}/b", "/a{b#}/c", "/a{b/}/c", "/a{b}c",
                                         "/a/b@", "/a/b/", "/a[/b", "/a{/b}/c", "/a{b#**}/c", "/a/b\n", "/a{*}/b",
                                         "/a{b#0}}/c"));

TEST(counter_name, nesting_has_an_end) {
  std::string text = "/a/b";
  for (int i = 0; i < 100; ++i) text = "/s{" + text + "}/c";
  EXPECT_THROW(counter_name::parse(text), std::invalid_argument);
}

TEST(counter_name, text_is_parsed_to_the_same) {
  const auto word =
      rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ019-_.: "))));
  const auto one_part =
      rc::gen::apply([](std::string name, std::string index,
                        bool has) { return counter_name::part{std::move(name), has ? std::move(index) : "", has}; },
                     word, word, rc::gen::arbitrary<bool>());
  EXPECT_TRUE(rc::check([&] {
    counter_name name;
    name.object = *word;
    name.instance = *rc::gen::container<std::vector<counter_name::part>>(one_part);
    name.counter = *word + "/" + *word;
    if (*rc::gen::arbitrary<bool>()) name.parameters = *word;
    RC_ASSERT(counter_name::parse(name.text()) == name);
    counter_name statistic;
    statistic.object = "statistics";
    statistic.base = {name};
    statistic.counter = "max";
    RC_ASSERT(counter_name::parse(statistic.text()) == statistic);
  }));
}

TEST(counter_name, anything_is_parsed_or_refused) {
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("/a{}#*@[]?,0 \xff")));
    try {
      RC_ASSERT(counter_name::parse(counter_name::parse(text).text()) == counter_name::parse(text));
    } catch (const std::invalid_argument&) {
    }
  }));
}

} // namespace

#include "loop/short_name.hpp"

#include <gtest/gtest.h>

namespace {

using treadle::loop::short_name;

TEST(short_name, leaves_what_is_short) {
  EXPECT_EQ(short_name("main()::<lambda(int)> #2"), "main()::<lambda(int)> #2");
  EXPECT_EQ(short_name(std::string(80, 'x')), std::string(80, 'x'));
}

TEST(short_name, leaves_out_what_is_in_brackets_the_deepest_first) {
  const std::string deep = "vector<vector<vector<vector<" + std::string(60, 'x') + ">>>>";
  EXPECT_EQ(short_name("f(" + deep + ")::<lambda()>"), "f(vector<vector<vector<...>>>)::<lambda()>");
  EXPECT_EQ(short_name("run(int) [with " + std::string(1000, 'x') + "]::<lambda()> #3"), "run(...) [...]::<...> #3");
  EXPECT_EQ(short_name("f(" + std::string(100, 'x') + ")->g()"), "f(...)->g()");
}

TEST(short_name, calls_an_algorithm_by_the_function_that_it_was_given) {
  const std::string policy = "treadle::execution_policy<treadle::detail::execution::parallel>";
  const std::string body = "smooth(std::vector<double>&)::<lambda(int)>";
  const std::string call = "for_loop_algorithm::operator()<" + policy + ", int, " + body + " >(const " + policy +
                           "&, int, " + body + "&) const::<lambda(uint64_t, uint64_t)>";
  EXPECT_EQ(short_name(call), "for_loop_algorithm<..., smooth(std::vector<double>&)::<lambda(int)>>");
  EXPECT_EQ(short_name(call + " #2"), "for_loop_algorithm<..., smooth(std::vector<double>&)::<lambda(int)>> #2");
}

TEST(short_name, keeps_the_end) {
  const std::string path = std::string(100, 'x') + "/als.physl";
  EXPECT_EQ(short_name(path), "..." + path.substr(path.size() - 77));
  EXPECT_EQ(short_name(path, 20), "...xxxxxxx/als.physl");
}

TEST(short_name, leaves_characters_whole) {
  const std::string path = "é/" + std::string(76, 'x'); // the beginning that stays would be the second byte of é
  EXPECT_EQ(short_name("/home/" + path), "..." + path.substr(2));
}

} // namespace

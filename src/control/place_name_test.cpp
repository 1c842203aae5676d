#include "control/place_name.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace {

using treadle::detail::instance_name;

TEST(instance_name, tells_those_apart_that_are_there_at_the_same_time) {
  std::optional<instance_name> first("f.py:1 f"), second("f.py:1 f");
  const instance_name third("f.py:1 f"), other("f.py:9 f");
  EXPECT_EQ(first->text(), "f.py:1 f");
  EXPECT_EQ(second->text(), "f.py:1 f #2");
  EXPECT_EQ(third.text(), "f.py:1 f #3");
  EXPECT_EQ(other.text(), "f.py:9 f");
  first.reset();
  second.reset();
  EXPECT_EQ(first.emplace("f.py:1 f").text(), "f.py:1 f");
  EXPECT_EQ(second.emplace("f.py:1 f").text(), "f.py:1 f #2");
}

} // namespace

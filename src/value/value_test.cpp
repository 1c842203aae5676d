#include <treadle/arrays/value.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace treadle {
namespace {

TEST(value, knows_its_kind) {
  EXPECT_EQ(value().kind(), value_kind::nil);
  EXPECT_EQ(value(true).kind(), value_kind::boolean);
  EXPECT_EQ(value(3).kind(), value_kind::int64);
  EXPECT_EQ(value(3.0).kind(), value_kind::float64);
  EXPECT_EQ(value("x").kind(), value_kind::string);
  EXPECT_EQ(value(array()).kind(), value_kind::array);
  EXPECT_EQ(value::list({}).kind(), value_kind::list);
  EXPECT_EQ(value::dict({}).kind(), value_kind::dict);
  EXPECT_EQ(sizeof(value), 16u);
}

TEST(value, converts_what_can_be_converted) {
  EXPECT_EQ(value(true).to_int64(), 1);
  EXPECT_THROW(static_cast<void>(value(3.0).to_int64()), value_error); // as Python: what is a float is no index
  EXPECT_THROW(static_cast<void>(value(3.5).to_int64()), value_error);
  EXPECT_THROW(static_cast<void>(value("3").to_int64()), value_error);
  EXPECT_EQ(value(true).to_float64(), 1.0);
  EXPECT_TRUE(value("x").to_bool());
  EXPECT_FALSE(value().to_bool());
  EXPECT_FALSE(value(0.0).to_bool());
  EXPECT_THROW(static_cast<void>(value(array::zeros(dtype::int64, {2})).to_bool()), value_error);
  EXPECT_FALSE(value(array::zeros(dtype::int64, {1})).to_bool());
  EXPECT_THROW(static_cast<void>(value(1).to_string_view()), value_error);
}

TEST(value, nested_lists_are_arrays_when_they_are_even) {
  const auto row = [](int a, double b) { return value::list({a, b}); };
  const auto a = value::list({row(1, 2.5), row(3, 4.0)}).to_array();
  EXPECT_EQ(a.shape(), (extents{2, 2}));
  EXPECT_EQ(a.type(), dtype::float64);
  EXPECT_EQ(a.data<double>()[1], 2.5);
  EXPECT_THROW(static_cast<void>(value::list({row(1, 2), value(3)}).to_array()), value_error);
  EXPECT_THROW(static_cast<void>(value::list({"a"}).to_array()), value_error);
  EXPECT_EQ(value(2).to_array().rank(), 0u);
}

TEST(value, ranges_take_no_memory) {
  const auto r = value::range(0, 1'000'000'000'000, 1);
  EXPECT_EQ(r.size(), 1'000'000'000'000u);
  EXPECT_EQ(r.item(999).integer(), 999);
  EXPECT_EQ(value::range(5, 0, -2).size(), 3u);
  EXPECT_EQ(value::range(5, 0, 1).size(), 0u);
  constexpr auto k_least = std::numeric_limits<std::int64_t>::min(), k_most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(value::range(k_least, k_most, k_most).size(), 3u);
  EXPECT_THROW(static_cast<void>(value::range(0, 1, 0)), value_error);
  EXPECT_THROW(static_cast<void>(value::range(0, 1, 1).item(1)), value_error);
}

TEST(value, dicts_keep_order_and_find_by_value) {
  const auto d = value::dict({{"b", 1}, {1, 2}, {"b", 3}});
  ASSERT_EQ(d.size(), 2u);
  EXPECT_EQ(d.entries()[0].first, value("b"));
  EXPECT_EQ(*d.find("b"), value(3));
  EXPECT_EQ(*d.find(1.0), value(2)); // 1 and 1.0 are one key
  EXPECT_EQ(d.find("c"), nullptr);
  EXPECT_THROW(static_cast<void>(value::dict({{value::list({}), 1}})), value_error);
}

TEST(value, equality_is_of_kind_and_bits) {
  EXPECT_EQ(value(std::numeric_limits<double>::quiet_NaN()), value(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(value(1) == value(1.0));
  EXPECT_FALSE(value(0.0) == value(-0.0));
  EXPECT_EQ(value::list({1, "a"}), value::list({1, "a"}));
  EXPECT_EQ(value::dict({{"a", 1}, {"b", 2}}), value::dict({{"b", 2}, {"a", 1}}));
}

TEST(text, of_scalars) {
  EXPECT_EQ(to_string(value()), "nil");
  EXPECT_EQ(to_string(value(true)), "true");
  EXPECT_EQ(to_string(value(1.0)), "1.0");
  EXPECT_EQ(to_string(value(1e300)), "1e+300");
  EXPECT_EQ(to_string(value(-std::numeric_limits<double>::infinity())), "-inf");
  EXPECT_EQ(to_string(value("a\n")), "a\n");
  EXPECT_EQ(repr(value("a\n\"\x01")), "\"a\\n\\\"\\x01\"");
}

TEST(text, of_arrays_is_aligned_and_short) {
  const double xs[] = {1.0, 10.5, 0.1 + 0.2, 1.0 / 3.0};
  EXPECT_EQ(to_string(value(array::of<double>({2, 2}, xs))), "[[        1.0        10.5]\n [        0.3 0.333333333]]");
  const auto many = array::zeros(dtype::int64, {2000});
  EXPECT_EQ(to_string(value(many)), "[0 0 0 ... 0 0 0]");
  EXPECT_EQ(repr(value(array::of<double>({2}, std::span(xs, 2)))), "[1.0, 10.5]");
}

TEST(text, of_lists_and_dicts) {
  EXPECT_EQ(to_string(value::list({1, "a"})), "[1, \"a\"]");
  EXPECT_EQ(to_string(value::dict({{"a", 1.5}})), "{\"a\": 1.5}");
  EXPECT_EQ(repr(value::list({1, value::list({})})), "list(1, list())");
}

} // namespace
} // namespace treadle

#include <treadle/arrays/value.hpp>

#include "value/strided.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace treadle {
namespace {

array numbers(const extents& shape) {
  auto a = array::uninitialized(dtype::int64, shape);
  auto* x = a.mutable_data<std::int64_t>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = i;
  return a;
}

TEST(extents, hold_up_to_four_lengths) {
  extents e{2, 3};
  e.insert(1, 7);
  EXPECT_EQ(e, (extents{2, 7, 3}));
  e.erase(0);
  EXPECT_EQ(e, (extents{7, 3}));
  EXPECT_EQ(e.product(), 21);
  EXPECT_EQ(extents{}.product(), 1);
  EXPECT_EQ(to_string(extents{3}), "(3,)");
  EXPECT_THROW((extents{1, 2, 3, 4, 5}), value_error);
  EXPECT_THROW(static_cast<void>((extents{-1}).product()), value_error);
  EXPECT_THROW(static_cast<void>((extents{1LL << 40, 1LL << 40}).product()), value_error);
}

TEST(array, views_share_elements_until_somebody_writes) {
  auto a = numbers({2, 3});
  EXPECT_TRUE(a.is_unique());
  auto t = a.transpose();
  EXPECT_EQ(t.shape(), (extents{3, 2}));
  EXPECT_EQ(t.raw_data(), a.raw_data());
  EXPECT_FALSE(a.is_unique());
  EXPECT_FALSE(t.is_contiguous());
  a.mutable_data<std::int64_t>()[0] = 100; // copies
  EXPECT_EQ(t.data<std::int64_t>()[0], 0);
  EXPECT_NE(t.raw_data(), a.raw_data());
  EXPECT_TRUE(t.is_unique()); // the view is all that is left of the old elements
}

TEST(array, a_sole_owner_writes_in_place) {
  auto a = numbers({4});
  const void* before = a.raw_data();
  a.mutable_data<std::int64_t>()[0] = 1;
  EXPECT_EQ(a.raw_data(), before);
  const auto b = a;
  a.mutable_data<std::int64_t>()[0] = 2;
  EXPECT_NE(a.raw_data(), before);
  EXPECT_EQ(b.data<std::int64_t>()[0], 1);
}

TEST(array, reshape_is_a_view_where_it_can_be) {
  const auto a = numbers({2, 3});
  EXPECT_EQ(a.reshape({3, 2}).raw_data(), a.raw_data());
  EXPECT_EQ(a.reshape({-1}).shape(), (extents{6}));
  EXPECT_NE(a.transpose().reshape({6}).raw_data(), a.raw_data());
  EXPECT_THROW(static_cast<void>(a.reshape({4})), value_error);
  EXPECT_THROW(static_cast<void>(a.reshape({-1, -1})), value_error);
  EXPECT_THROW(static_cast<void>(a.reshape({-1, 4})), value_error);
}

TEST(array, broadcast_views_are_never_written) {
  const auto b = array::broadcast(numbers({1, 3}), {2, 3});
  EXPECT_EQ(b.strides(), (extents{0, 1}));
  EXPECT_FALSE(b.is_unique());
  EXPECT_EQ(value(b.copy()), value(b));
  EXPECT_THROW(static_cast<void>(array::broadcast(numbers({2, 3}), {3})), value_error);
}

TEST(array, casts_as_numpy) {
  const double xs[] = {1.9, -1.9, 0.0, std::numeric_limits<double>::quiet_NaN(), 1e300};
  const auto a = array::of<double>({5}, xs);
  const auto i = a.cast(dtype::int64);
  EXPECT_EQ(i.data<std::int64_t>()[0], 1);
  EXPECT_EQ(i.data<std::int64_t>()[1], -1);
  EXPECT_EQ(i.data<std::int64_t>()[3], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(i.data<std::int64_t>()[4], std::numeric_limits<std::int64_t>::min());
  const auto b = a.cast(dtype::boolean);
  EXPECT_TRUE(b.data<bool>()[0]);
  EXPECT_FALSE(b.data<bool>()[2]);
  EXPECT_EQ(a.cast(dtype::float64).raw_data(), a.raw_data());
}

TEST(array, of_counts_its_elements) {
  const double xs[] = {1.0, 2.0};
  EXPECT_THROW(static_cast<void>(array::of<double>({3}, xs)), value_error);
}

TEST(array, views_of_read_only_views_are_read_only) {
  auto a = array::zeros(dtype::float64, {2, 2}), b = array::zeros(dtype::float64, {4});
  auto v = detail::read_only(b, a).view(3, {4}, {-1}).view(0, {2}, {-2});
  b = array();
  EXPECT_FALSE(v.is_unique()); // nothing else sees its elements, but it stands for a view of a
  EXPECT_FALSE(a.is_unique());
  auto again = detail::read_only(v.copy(), v); // as for a view of a
  v = array();
  EXPECT_FALSE(a.is_unique());
  EXPECT_TRUE(again.copy().is_unique());
  again = array();
  EXPECT_TRUE(a.is_unique());
}

TEST(array, external_memory_is_released_with_the_last_view) {
  const double xs[] = {1, 2, 3, 4};
  int released = 0;
  const auto release = [](void* n) { ++*static_cast<int*>(n); };
  auto a = array::borrow(dtype::float64, {2, 2}, {1, 2}, xs, &released, release); // column-major
  EXPECT_FALSE(a.is_contiguous());
  auto v = a.view(1, {2}, {2});
  a = array();
  EXPECT_EQ(released, 0);
  EXPECT_EQ(v.data<double>()[0], 2.0);
  v = array();
  EXPECT_EQ(released, 1);
}

TEST(array, empty_shapes_are_fine) {
  const auto a = array::zeros(dtype::float64, {0, 3});
  EXPECT_TRUE(a.is_contiguous());
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(a.transpose().copy().shape(), (extents{3, 0}));
  const auto b = array::zeros(dtype::float64, {4, 0, 6}).view(0, {4, 0, 3}, {0, 6, 2}); // whose strides leave gaps
  EXPECT_EQ(b.reshape({-1}).shape(), (extents{0}));
  EXPECT_EQ(b.reshape({5, 0}).shape(), (extents{5, 0}));
  EXPECT_EQ(array::zeros(dtype::int64, {0, 10}).view(0, {0, 5}, {10, 2}).reshape({5, 0}).shape(), (extents{5, 0}));
}

TEST(array, reshape_is_a_view_where_strides_can_show_it) {
  auto a = array::zeros(dtype::float64, {4, 6});
  const auto shares = [&](const array& v, const extents& shape) {
    const auto r = v.reshape(shape);
    const auto* memory = r.object()->base ? r.object()->base : r.object();
    EXPECT_EQ(r.shape(), shape);
    return memory == a.object();
  };
  EXPECT_TRUE(shares(a, {24}));
  EXPECT_TRUE(shares(a.view(0, {4, 3}, {6, 2}), {2, 2, 3, 1}));
  EXPECT_TRUE(shares(a.view(0, {2, 6}, {12, 1}), {2, 1, 3, 2}));
  EXPECT_TRUE(shares(a.view(5, {6}, {-1}), {3, 2}));
  EXPECT_TRUE(shares(a.transpose(), {6, 2, 2}));
  EXPECT_FALSE(shares(a.transpose(), {4, 6}));
  EXPECT_FALSE(shares(a.view(0, {4, 3}, {6, 1}), {12}));
}

// Whether others see the elements of an array is a matter of time when tasks run; the order of sums goes by its layout.
TEST(array, has_the_same_layout_when_it_is_written_whether_it_is_shared_or_not) {
  const std::int64_t axes[] = {2, 0, 1};
  const auto views = [&]() -> std::vector<array> {
    return {numbers({4, 5}),
            numbers({4, 5}).transpose(),
            numbers({2, 3, 4}).transpose(axes),
            numbers({8, 10}).view(3, {3, 4}, {20, 2}),
            numbers({8, 10}).view(3, {3, 4}, {2, 20}),
            numbers({6}).view(5, {6}, {-1}),
            numbers({4}).view(0, {3, 4}, {0, 1}),
            numbers({1, 5}).transpose(),
            numbers({4, 5}).view(0, {4, 5, 1}, {5, 1, 0}),
            numbers({4, 5}).view(0, {5, 1, 4}, {1, 7, 5}),
            numbers({3, 5}).view(2, {3, 3}, {5, -1}),
            numbers({0, 3})};
  };
  auto alone = views(), shared = views();
  const auto others = shared;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    SCOPED_TRACE(i);
    alone[i].mutable_raw_data();
    shared[i].mutable_raw_data();
    EXPECT_EQ(value(alone[i]), value(others[i]));
    EXPECT_EQ(value(shared[i]), value(others[i]));
    EXPECT_EQ(alone[i].strides(), shared[i].strides());
    EXPECT_TRUE(shared[i].size() == 0 || shared[i].raw_data() != others[i].raw_data());
  }
  EXPECT_EQ(alone[1].strides(), (extents{1, 5})); // the order of axes stays
  EXPECT_EQ(alone[3].strides(), (extents{4, 1}));
  EXPECT_EQ(alone[4].strides(), (extents{1, 3}));
  EXPECT_EQ(alone[6].strides(), (extents{4, 1})); // of what repeats its elements
}

} // namespace
} // namespace treadle

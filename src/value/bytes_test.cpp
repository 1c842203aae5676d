#include "value/bytes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace treadle {
namespace {

value round_trip(const value& v) {
  std::vector<std::byte> bytes;
  detail::write_bytes(bytes, v);
  bytes.push_back(std::byte{7});
  std::span<const std::byte> left = bytes;
  value back = detail::read_bytes(left);
  EXPECT_EQ(left.size(), 1u) << "of " << to_string(v);
  return back;
}

template <class T>
value random_array() {
  const auto rank = *rc::gen::inRange<std::size_t>(0, k_max_rank + 1);
  extents shape;
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(*rc::gen::inRange<std::int64_t>(0, 4));
  auto a = array::uninitialized(dtype_of<T>, shape);
  auto* x = a.template mutable_data<T>();
  for (std::int64_t i = 0; i < a.size(); ++i) x[i] = *rc::gen::arbitrary<T>();
  return *rc::gen::arbitrary<bool>() ? value(a.transpose()) : value(a);
}

value random_key() {
  switch (*rc::gen::inRange(0, 3)) {
  case 0:
    return *rc::gen::arbitrary<std::int64_t>();
  case 1:
    return *rc::gen::string<std::string>();
  default:
    return value::tuple({*rc::gen::arbitrary<bool>(), value()});
  }
}

value random_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 3 ? 8 : 11)) {
  case 0:
    return {};
  case 1:
    return *rc::gen::arbitrary<bool>();
  case 2:
    return *rc::gen::arbitrary<std::int64_t>();
  case 3: {
    value v(*rc::gen::arbitrary<double>());
    v.set_array_scalar(*rc::gen::arbitrary<bool>());
    return v;
  }
  case 4:
    return *rc::gen::string<std::string>();
  case 5:
    return random_array<double>();
  case 6:
    return *rc::gen::arbitrary<bool>() ? random_array<std::int64_t>() : random_array<bool>();
  case 7:
    return value::range(*rc::gen::inRange(-9, 9), *rc::gen::inRange(-9, 9), *rc::gen::element(-2, 1, 3));
  case 8:
  case 9: {
    std::vector<value> items;
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) items.push_back(random_value(depth + 1));
    return *rc::gen::arbitrary<bool>() ? value::list(std::move(items)) : value::tuple(std::move(items));
  }
  default: {
    std::vector<value::entry> entries;
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) entries.emplace_back(random_key(), random_value(depth + 1));
    return value::dict(std::move(entries));
  }
  }
}

RC_GTEST_PROP(bytes, give_back_any_value, ()) {
  const value v = random_value(0), back = round_trip(v);
  RC_ASSERT(back == v);
  RC_ASSERT(repr(back) == repr(v)); // tuples, ranges, dimensions
  RC_ASSERT(back.is_array_scalar() == v.is_array_scalar());
}

TEST(bytes, keep_the_bits_of_numbers) {
  EXPECT_TRUE(std::isnan(round_trip(std::nan("")).real()));
  EXPECT_TRUE(std::signbit(round_trip(-0.0).real()));
  const value tile = [] {
    value v(array::zeros(dtype::float64, {2}));
    v.set_tile(3);
    return v;
  }();
  EXPECT_EQ(round_trip(tile).tile(), 0u); // elsewhere it is none
}

RC_GTEST_PROP(bytes, that_are_cut_short_or_changed_are_an_error_or_another_value, ()) {
  std::vector<std::byte> bytes;
  detail::write_bytes(bytes, random_value(0));
  if (*rc::gen::arbitrary<bool>()) {
    bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  } else {
    for (int n = *rc::gen::inRange(1, 5); n > 0; --n)
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  }
  std::span<const std::byte> left = bytes;
  try {
    const value v = detail::read_bytes(left);
    RC_ASSERT(left.size() < bytes.size());
    static_cast<void>(repr(v).size());
  } catch (const value_error&) { // of the bytes, or a range that is too long to be written out
  }
}

TEST(bytes, of_what_takes_no_memory_are_no_endless_text) {
  const auto back = [](const value& v) {
    std::vector<std::byte> bytes;
    detail::write_bytes(bytes, v);
    std::span<const std::byte> left = bytes;
    return detail::read_bytes(left);
  };
  constexpr std::int64_t k_many = std::int64_t{1} << 40;
  const value rows = back(array::zeros(dtype::float64, {k_many, 0}));
  EXPECT_EQ(repr(rows), "constant(0.0, list(1099511627776, 0))");
  EXPECT_EQ(to_string(rows), "[]");
  EXPECT_EQ(repr(value(array::zeros(dtype::int64, {2, 0}))), "[[], []]");
  EXPECT_EQ(to_string(value(array::zeros(dtype::int64, {2, 0}))), "[]"); // as NumPy
  EXPECT_THROW(static_cast<void>(repr(back(value::range(0, k_many, 1)))), value_error);
}

TEST(bytes, of_lists_that_are_too_deep_are_an_error) {
  const std::byte level[] = {std::byte{6}, std::byte{1}, {}, {}, {}, {}, {}, {}, {}}; // a list of one item
  std::vector<std::byte> bytes;
  for (int i = 0; i < 100'000; ++i) bytes.insert(bytes.end(), std::begin(level), std::end(level));
  std::span<const std::byte> left = bytes;
  EXPECT_THROW(static_cast<void>(detail::read_bytes(left)), value_error);
}

} // namespace
} // namespace treadle

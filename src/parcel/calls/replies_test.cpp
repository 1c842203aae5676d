#include "parcel/calls/replies.hpp"

#include <gtest/gtest.h>

#include <set>

namespace treadle::detail {
namespace {

struct nobody final : awaited_reply {
  void arrived(std::span<const std::byte>) override {}
  void failed(std::exception_ptr) noexcept override { ++failures; }
  static std::unique_ptr<arriving_parcel> begin(std::span<const std::byte>, std::size_t) { return nullptr; }
  arriving_beginner beginner() const noexcept override { return &begin; }
  static inline int failures = 0;
};

TEST(replies, are_found_once_and_from_where_they_were_asked_for) {
  reply_table table;
  const std::uint64_t a = table.add(std::make_unique<nobody>(), 1), b = table.add(std::make_unique<nobody>(), 2);
  EXPECT_NE(a, 0U);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.take(a, 2), nullptr) << "not from there";
  EXPECT_NE(table.take(a, 1), nullptr);
  EXPECT_EQ(table.take(a, 1), nullptr) << "a second time";
  EXPECT_EQ(table.take(0), nullptr);
  EXPECT_EQ(table.beginner(a, 1), nullptr);
  EXPECT_EQ(table.beginner(b, 1), nullptr) << "not from there";
  EXPECT_EQ(table.beginner(b, 2), &nobody::begin);
  EXPECT_EQ(table.beginner(0, 0), nullptr);
  EXPECT_EQ(table.take(12345), nullptr);
  const std::uint64_t c = table.add(std::make_unique<nobody>(), 1);
  EXPECT_NE(c, a) << "in the same place";
  EXPECT_EQ(table.take(a), nullptr);
  table.fail_all(nullptr);
  EXPECT_EQ(nobody::failures, 2);
  EXPECT_NE(table.add(std::make_unique<nobody>(), 1), a);
  EXPECT_EQ(table.take(a, 1), nullptr) << "numbers are never given again";
  EXPECT_EQ(table.take(b), nullptr);
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) {
    numbers.insert(table.add(std::make_unique<nobody>(), 0));
    if (i % 3 == 0) {
      EXPECT_NE(table.take(*numbers.rbegin()), nullptr);
    }
  }
  EXPECT_EQ(numbers.size(), 1000U);
}

} // namespace
} // namespace treadle::detail

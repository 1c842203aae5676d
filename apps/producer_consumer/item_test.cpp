#include "producer_consumer/item.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace items {
namespace {

using namespace std::chrono_literals;

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "items-XXXXXX").string();
  return mkdtemp(name.data());
}
std::string message_of(auto call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(items_line, goes_up_and_down_within_forty) {
  const line l{.work = 10, .up_down = true};
  EXPECT_EQ(l.steps(0), 1'000U);
  EXPECT_EQ(l.steps(19), 41'000U);
  EXPECT_EQ(l.steps(20), 41'000U);
  EXPECT_EQ(l.steps(39), 1'000U);
  EXPECT_EQ(l.steps(40), 1'000U);
  EXPECT_EQ((line{.work = 10}).steps(7), 10'000U);
}

TEST(items_file, is_taken_once) {
  const auto folder = new_folder();
  write_item(folder, 3, {1, 2, 3});
  EXPECT_EQ(take_item(folder, 3, 3, 0s), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_NE(message_of([&] { take_item(folder, 3, 3, 0s); }).find("item-3: has not come within"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(items_file, of_something_else_is_refused) {
  const auto folder = new_folder();
  std::ofstream(folder / "item-0") << "no item at all, but long enough to be one";
  std::ofstream(folder / "item-1") << "short";
  write_item(folder, 2, {1, 2});
  std::filesystem::copy(folder / "item-2", folder / "item-3");
  for (const std::size_t i : {0u, 1u, 3u})
    EXPECT_NE(message_of([&] { take_item(folder, i, 2, 0s); }).find("is not item"), std::string::npos) << i;
  EXPECT_NE(message_of([&] { take_item(folder, 2, 5, 0s); }).find("of 5 numbers"), std::string::npos);
  EXPECT_NE(message_of([&] { write_item(folder / "nowhere", 0, {}); }).find("cannot be written"), std::string::npos);
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace items

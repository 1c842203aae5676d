#include <treadle/localities/archive.hpp>

#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace treadle::detail {
namespace {

template <class T>
T there_and_back(const T& value) {
  std::vector<std::byte> bytes;
  write_value(bytes, value);
  std::span<const std::byte> left = bytes;
  T read{};
  read_value(left, read);
  EXPECT_TRUE(left.empty());
  // Cut short anywhere it is an error, never something else.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::span<const std::byte> part(bytes.data(), size);
    T other{};
    EXPECT_THROW(read_value(part, other), archive_error) << size << " of " << bytes.size();
  }
  return read;
}

enum class colour : std::uint8_t { red, green };

struct point {
  double x = 0, y = 0;
  std::string name;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y, name);
  }
  friend bool operator==(const point&, const point&) = default;
};

struct versioned {
  int value = 0;
  std::uint32_t seen = 0;
  template <class Archive>
  void serialize(Archive& archive, std::uint32_t version) {
    archive(value);
    seen = version;
  }
};

TEST(archive, values_of_many_types) {
  EXPECT_EQ(there_and_back(3), 3);
  EXPECT_EQ(there_and_back(-2.5), -2.5);
  EXPECT_EQ(there_and_back(true), true);
  EXPECT_EQ(there_and_back(colour::green), colour::green);
  EXPECT_EQ(there_and_back(std::complex<double>(1, 2)), std::complex<double>(1, 2));
  EXPECT_EQ(there_and_back(std::array<int, 3>{1, 2, 3}), (std::array<int, 3>{1, 2, 3}));
  EXPECT_EQ(there_and_back(std::string("text\0with", 9)), std::string("text\0with", 9));
  EXPECT_EQ(there_and_back(std::vector<double>{1, 2.5}), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(there_and_back(std::vector<std::complex<float>>{{1, 2}}), (std::vector<std::complex<float>>{{1, 2}}));
  EXPECT_EQ(there_and_back(std::vector<std::string>{"a", "", "bc"}), (std::vector<std::string>{"a", "", "bc"}));
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false, true}), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(there_and_back(std::pair<int, std::string>(1, "x")), (std::pair<int, std::string>(1, "x")));
  EXPECT_EQ(there_and_back(std::tuple<char, double>('c', 2)), (std::tuple<char, double>('c', 2)));
  EXPECT_EQ(there_and_back(std::optional<int>(7)), std::optional<int>(7));
  EXPECT_EQ(there_and_back(std::map<std::string, std::vector<int>>{{"a", {1}}}),
            (std::map<std::string, std::vector<int>>{{"a", {1}}}));
  EXPECT_EQ(there_and_back(point{1, 2, "p"}), (point{1, 2, "p"}));
  EXPECT_EQ(there_and_back(std::vector<point>{{1, 2, "p"}, {3, 4, ""}}).size(), 2U);
  EXPECT_EQ(*there_and_back(std::make_unique<int>(5)), 5);
}

TEST(archive, bytes_that_are_no_truth_value_are_refused) {
  const auto refuses = []<class T>(T into, std::vector<std::byte> bytes) {
    std::span<const std::byte> from = bytes;
    EXPECT_THROW(read_value(from, into), archive_error);
  };
  const std::byte bad{104};
  refuses(bool{}, {bad});
  refuses(std::array<bool, 2>{}, {std::byte{1}, bad});
  std::vector<std::byte> vector(8 + 1);
  vector[0] = std::byte{1};
  vector[8] = bad;
  refuses(std::vector<bool>{}, vector);
  EXPECT_EQ(there_and_back(std::array<bool, 3>{true, false, true}), (std::array<bool, 3>{true, false, true}));
}

TEST(archive, versions_of_classes_travel) { EXPECT_EQ(there_and_back(versioned{5}).seen, 3U); }

TEST(archive, a_size_beyond_the_end_takes_no_memory) {
  std::vector<std::byte> bytes;
  write_value(bytes, std::uint64_t{1} << 62U);
  for (int i = 0; i < 64; ++i) bytes.push_back(std::byte{1});
  const auto refuses = [&]<class T>(T into) {
    std::span<const std::byte> from = bytes;
    EXPECT_THROW(read_value(from, into), archive_error);
  };
  refuses(std::vector<double>{});
  refuses(std::vector<std::string>{});
  refuses(std::string{});
  refuses(std::map<int, int>{});
}

} // namespace
} // namespace treadle::detail

CEREAL_CLASS_VERSION(treadle::detail::versioned, 3)

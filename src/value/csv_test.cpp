#include <treadle/arrays/value.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace treadle {
namespace {

class csv : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    m_path = (std::filesystem::temp_directory_path() /
              ("treadle_csv_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".csv"))
                 .string();
    std::ofstream(m_path, std::ios::binary) << text;
    return m_path;
  }
  std::string error(const std::string& text) {
    const auto path = file(text);
    try {
      const auto a = read_csv(path);
      return "no error: " + repr(value(a));
    } catch (const value_error& e) {
      const std::string what = e.what();
      return what.starts_with(path) ? what.substr(path.size()) : what;
    }
  }
  void TearDown() override { std::remove(m_path.c_str()); }

 private:
  std::string m_path;
};

TEST_F(csv, reads_numbers) {
  EXPECT_EQ(repr(value(read_csv(file("1,2.5\n-3e2, +4\n")))), "[[1.0, 2.5], [-300.0, 4.0]]");
  EXPECT_EQ(repr(value(read_csv(file("1,2")))), "[[1.0, 2.0]]");
  EXPECT_EQ(repr(value(read_csv(file("1e-999,\"2\"\n3,4\n")))), "[[0.0, 2.0], [3.0, 4.0]]");
  EXPECT_EQ(repr(value(read_csv(file("7\r\n8\r\n\r\n\n")))), "[[7.0], [8.0]]");
  EXPECT_EQ(repr(value(read_csv(file("\xef\xbb\xbf"
                                     "1\n")))),
            "[[1.0]]");
}

TEST_F(csv, skips_one_header) {
  EXPECT_EQ(repr(value(read_csv(file("a,b\n1,2\n")))), "[[1.0, 2.0]]");
  EXPECT_EQ(repr(value(read_csv(file("569,30,malignant,benign\n1,2\n")))), "[[1.0, 2.0]]");
}

TEST_F(csv, names_the_place_of_what_is_wrong) {
  EXPECT_EQ(error("1,2\n3\n"), "(2, 2): the row has 1 columns, the first one has 2");
  EXPECT_EQ(error("1,2\n3,4,5\n"), "(2, 5): more than the 2 columns of the first row");
  EXPECT_EQ(error("1,2\n3,x\n"), "(2, 3): \"x\" is not a number");
  EXPECT_EQ(error("1,2\n3, 4 5\n"), "(2, 4): \"4 5\" is not a number");
  EXPECT_EQ(error("1,2\n,4\n"), "(2, 1): empty field");
  EXPECT_EQ(error(",2\n3,4\n"), "(1, 1): empty field"); // not a header
  EXPECT_EQ(error("1e999\n2\n"), "(1, 1): \"1e999\" is not allowed: numbers must be finite");
  EXPECT_EQ(error("1\n+-2\n"), "(2, 1): \"+-2\" is not a number");
  EXPECT_EQ(error("1,nan\n"), "(1, 3): \"nan\" is not allowed: numbers must be finite");
  EXPECT_EQ(error("a\n-inf\n"), "(2, 1): \"-inf\" is not allowed: numbers must be finite");
  EXPECT_EQ(error("1\n\n2\n"), "(2, 1): empty line inside the table");
  EXPECT_EQ(error("a,b\nc,d\n"), "(2, 1): \"c\" is not a number");
}

TEST_F(csv, refuses_files_without_a_table) {
  EXPECT_EQ(error(""), ": holds no numbers");
  EXPECT_EQ(error("a,b\n"), "(1, 1): \"a\" is not a number"); // a header needs something to head
  EXPECT_EQ(error(std::string("1\n\0\n", 4)), ": is not a text file");
  EXPECT_THROW(static_cast<void>(read_csv("/no/such/file.csv")), value_error);
  EXPECT_THROW(static_cast<void>(read_csv(std::filesystem::temp_directory_path().string())), value_error);
}

} // namespace
} // namespace treadle

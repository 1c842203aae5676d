// Programs that are looked at from outside: what they say, and what is left of those that are gone.
#include <treadle/observe/programs.hpp>

#include "base/clock.hpp"
#include "observe/programs/page_file.hpp"
#include "observe/programs/private_directory.hpp"
#include "observe/programs/progress.hpp"
#include "observe/programs/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle {
namespace {

using detail::page_file;
using detail::program_state;

/// An empty folder of its own, which TREADLE_DIR names.
class programs_test : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "treadle_programs_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    setenv("TREADLE_DIR", folder.c_str(), 1);
    detail::require_private_directory(folder + "/programs");
  }
  void TearDown() override {
    unsetenv("TREADLE_DIR");
    std::filesystem::remove_all(folder);
  }

  std::string file_of(int pid) const { return folder + "/programs/" + std::to_string(pid); }
  static const program_report* find(const std::vector<program_report>& all, int pid) {
    for (const program_report& one : all)
      if (one.pid == pid) return &one;
    return nullptr;
  }

  std::string folder;
};

program_state state_with(std::uint64_t executed) {
  program_state s{};
  s.at_ns = detail::steady_now_ns();
  s.began_ns = s.at_ns - 1'000'000'000;
  s.executed = executed;
  s.workers = 4;
  s.granted = 3;
  return s;
}

/// Another process that does something, and then waits to be killed.
class other_process {
 public:
  explicit other_process(const std::function<void()>& what) {
    int ready[2];
    if (pipe(ready) != 0) std::abort();
    m_pid = fork();
    if (m_pid == 0) {
      what();
      static_cast<void>(!write(ready[1], "x", 1));
      for (;;) pause();
    }
    char c;
    static_cast<void>(!read(ready[0], &c, 1));
    close(ready[0]);
    close(ready[1]);
  }
  ~other_process() { end(); }
  void end() {
    if (m_pid == 0) return;
    kill(m_pid, SIGKILL);
    waitpid(m_pid, nullptr, 0);
    m_pid = 0;
  }
  int pid() const { return m_pid; }

 private:
  int m_pid = 0;
};

TEST_F(programs_test, a_program_that_does_not_answer_is_told_with_what_it_said_last) {
  other_process other([&] {
    static page_file page = page_file::create(folder + "/programs", "silent");
    write_state(*page, state_with(17));
  });
  const auto found = running_programs(20);
  const program_report* one = find(found, other.pid());
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->name, "silent");
  EXPECT_FALSE(one->answers);
  EXPECT_EQ(one->executed, 17u);
  EXPECT_EQ(one->workers, 4u);
  EXPECT_EQ(one->granted, 3u);
  EXPECT_GE(one->age_ns, 0);
  EXPECT_EQ(one->runs_ns, 1'000'000'000);
}

TEST_F(programs_test, what_a_killed_program_leaves_is_removed) {
  other_process other([&] { static page_file page = page_file::create(folder + "/programs", "killed"); });
  const int pid = other.pid();
  EXPECT_TRUE(std::filesystem::exists(file_of(pid)));
  other.end();
  EXPECT_TRUE(std::filesystem::exists(file_of(pid)));
  EXPECT_EQ(find(running_programs(1), pid), nullptr);
  EXPECT_FALSE(std::filesystem::exists(file_of(pid)));
}

TEST_F(programs_test, a_child_does_not_keep_the_page_of_its_parent_alive) {
  int child = 0;
  int numbers[2];
  ASSERT_EQ(pipe(numbers), 0);
  other_process other([&] {
    static page_file page = page_file::create(folder + "/programs", "parent");
    const int made = fork();
    if (made == 0) {
      page.leave_to_parent();
      for (;;) pause();
    }
    static_cast<void>(!write(numbers[1], &made, sizeof made));
  });
  ASSERT_EQ(read(numbers[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  EXPECT_NE(find(running_programs(1), other.pid()), nullptr);
  const int pid = other.pid();
  other.end();
  EXPECT_EQ(find(running_programs(1), pid), nullptr);
  kill(child, SIGKILL);
  close(numbers[0]);
  close(numbers[1]);
}

TEST_F(programs_test, the_file_goes_with_the_one_that_made_it) {
  {
    const page_file page = page_file::create(folder + "/programs", "mine");
    EXPECT_TRUE(std::filesystem::exists(file_of(getpid())));
    EXPECT_STREQ(page->name, "mine");
  }
  EXPECT_FALSE(std::filesystem::exists(file_of(getpid())));
  EXPECT_TRUE(std::filesystem::is_empty(folder + "/programs"));
}

TEST_F(programs_test, other_files_are_left_alone_and_damaged_ones_are_no_programs) {
  other_process other([&] { // a file of its own pid, locked, with anything in it
    static page_file page = page_file::create(folder + "/programs", "other");
    std::memcpy(page->magic, "nonsense", 8);
  });
  std::ofstream(folder + "/programs/notes.txt") << "hello";
  std::ofstream(folder + "/programs/12x") << "hello";
  std::filesystem::create_symlink("/etc/passwd", folder + "/programs/1");
  EXPECT_TRUE(running_programs(1).empty());
  EXPECT_TRUE(std::filesystem::exists(folder + "/programs/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/programs/12x"));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST_F(programs_test, a_folder_that_others_can_read_is_refused_and_named) {
  const auto message = [] {
    try {
      static_cast<void>(running_programs(1));
    } catch (const std::system_error& e) {
      return std::string(e.what());
    }
    return std::string("nothing was thrown");
  };
  chmod(folder.c_str(), 0755);
  EXPECT_NE(message().find(folder + " is open to others (chmod 700 mends that)"), std::string::npos) << message();
  chmod(folder.c_str(), 0700);
  const std::string link = folder + "/link";
  std::filesystem::create_directory_symlink(folder, link);
  setenv("TREADLE_DIR", link.c_str(), 1);
  EXPECT_NE(message().find(link + " is not a folder"), std::string::npos) << message();
  setenv("TREADLE_DIR", "/proc/nowhere", 1);
  EXPECT_NE(message().find("/proc/nowhere"), std::string::npos) << message();
}

TEST(program_page, a_reader_never_sees_half_of_a_state) {
  const auto page = std::make_unique<detail::program_page>();
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (std::uint64_t n = 1; !ends; ++n) {
      program_state s{};
      s.executed = s.queued = n;
      for (auto& d : s.in_force) d.kind[0] = static_cast<char>(n % 128);
      write_state(*page, s);
    }
  });
  int seen = 0;
  for (int i = 0; i < 20'000; ++i) {
    program_state s{};
    if (!read_state(*page, s)) continue;
    ++seen;
    ASSERT_EQ(s.executed, s.queued);
    for (const auto& d : s.in_force) ASSERT_EQ(static_cast<std::uint64_t>(d.kind[0]), s.executed % 128);
  }
  ends = true;
  writer.join();
  EXPECT_GT(seen, 0);
}

TEST(program_text, is_cut_between_characters) {
  char four[5];
  detail::copy_text("abc", four);
  EXPECT_STREQ(four, "abc");
  detail::copy_text("abcd\xc3\xa9", four);
  EXPECT_STREQ(four, "abcd");
  detail::copy_text("abc\xc3\xa9", four); // five bytes
  EXPECT_STREQ(four, "abc");
  std::memset(four, 'x', sizeof four);
  EXPECT_EQ(detail::text_of(four), "xxxxx");
}

TEST(progress, has_the_latest_value_of_each_stream) {
  report_progress(1, "a");
  report_progress(2.5, "b");
  report_progress(3, "a");
  report_progress(7, "a name that is longer than the room that there is for it");
  program_state::progress seen[detail::k_streams] = {};
  detail::read_progress(seen);
  const auto value_of = [&](const std::string& name) {
    for (const auto& one : seen)
      if (one.at_ns != 0 && detail::text_of(one.stream) == name) return one.value;
    return -1.0;
  };
  EXPECT_EQ(value_of("a"), 3);
  EXPECT_EQ(value_of("b"), 2.5);
  EXPECT_EQ(value_of("a name that is longer t"), 7);
}

TEST(progress, by_many_threads_makes_each_stream_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 1000; ++i) report_progress(i, "shared " + std::to_string((t + i) % 4));
    });
  for (auto& t : threads) t.join();
  program_state::progress seen[detail::k_streams] = {};
  detail::read_progress(seen);
  std::vector<std::string> names;
  for (const auto& one : seen)
    if (one.at_ns != 0) names.push_back(detail::text_of(one.stream));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "shared 0"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "shared 3"), names.end());
}

} // namespace
} // namespace treadle

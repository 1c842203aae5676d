#include "observe/served_metrics.hpp"

#include <treadle/observe/counters.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <system_error>

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle::counters {
namespace {

struct open_metrics_test : testing::Test {
  definition cells{{"/test/cells/updated", kind::monotonic, "", "Cells,\n\"updated\"."}, [] { return 10; }};
  definition spent{{"/test{part#a.b/of}/time-spent", kind::elapsed, "ns", "Time."}, [] { return 2'500'000'000; }};
  definition more{{"/test{part#1}/time-spent", kind::elapsed, "ns", "Time."}, [] { return 5; }};
  definition endless{{"/test{1st#2}/endless", kind::gauge, "", "Endless."}, [] { return -HUGE_VAL; }};
  definition none{{"/test/none", kind::gauge, "", "Nothing."}, [] { return std::nan(""); }};
};

TEST_F(open_metrics_test, families_have_types_units_and_samples) {
  EXPECT_EQ(open_metrics({"/test/*", "/test{part#*}/*", "/test{1st#*}/*", "/test{part#1}/time-spent"}),
            "# TYPE treadle_test_cells_updated counter\n"
            "# HELP treadle_test_cells_updated Cells,\\n\\\"updated\\\".\n"
            "treadle_test_cells_updated_total 10\n"
            "# TYPE treadle_test_endless gauge\n"
            "# HELP treadle_test_endless Endless.\n"
            "treadle_test_endless{_1st=\"2\"} -Inf\n"
            "# TYPE treadle_test_none gauge\n"
            "# HELP treadle_test_none Nothing.\n"
            "# TYPE treadle_test_time_spent_seconds gauge\n"
            "# UNIT treadle_test_time_spent_seconds seconds\n"
            "# HELP treadle_test_time_spent_seconds Time.\n"
            "treadle_test_time_spent_seconds{part=\"1\"} 5e-09\n"
            "treadle_test_time_spent_seconds{instance=\"of\",part=\"a.b\"} 2.5\n"
            "# EOF\n");
  EXPECT_EQ(open_metrics({"/nothing/*"}), "# EOF\n");
  EXPECT_THROW(open_metrics({"/test{"}), std::invalid_argument);
}

TEST_F(open_metrics_test, names_that_would_be_the_same_are_told_apart) {
  const definition a{{"/test/a-b", kind::monotonic, "", "One."}, [] { return 1; }};
  const definition b{{"/test/a_b", kind::gauge, "", "Other."}, [] { return 2; }};
  const definition c{{"/test/a_b/total", kind::gauge, "", "Third."}, [] { return 3; }};
  const std::string text = open_metrics({"/test/a*"});
  for (const char* const sample : {"treadle_test_a_b_total 1\n", "treadle_test_a_b_ 2\n", "treadle_test_a_b__ 3\n"})
    EXPECT_NE(text.find(sample), std::string::npos) << text;
}

std::string asked(const std::string& file, const std::string& request) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, file.c_str(), file.size());
  const int one = socket(AF_UNIX, SOCK_STREAM, 0);
  std::string got;
  if (connect(one, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    EXPECT_EQ(send(one, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
    char part[4096];
    for (ssize_t n = 0; (n = recv(one, part, sizeof part, 0)) > 0;) got.append(part, static_cast<std::size_t>(n));
  }
  close(one);
  return got;
}

/// The files of what this process has served before have other names: which one this is it finds out.
TEST_F(open_metrics_test, they_are_served_as_long_as_the_object_lives) {
  char folder[] = "/tmp/treadle-metrics-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string named = std::string(folder) + "/all.sock";
  std::string file;
  {
    const detail::served_metrics served(named);
    for (int i = 1; i < 1000 && (file.empty() || access(file.c_str(), F_OK) != 0); ++i)
      file = std::string(folder) + "/all" + (i == 1 ? "" : '.' + std::to_string(i)) + ".sock";
    const std::string answer = asked(file, "GET /metrics HTTP/1.1\r\nHost: any\r\n\r\n");
    EXPECT_EQ(answer.substr(0, 17), "HTTP/1.0 200 OK\r\n");
    EXPECT_NE(answer.find("treadle_test_cells_updated_total 10\n"), std::string::npos);
    EXPECT_EQ(answer.substr(answer.size() - 6), "# EOF\n");
    EXPECT_EQ(asked(file, "GET /other HTTP/1.1\r\n\r\n").substr(0, 12), "HTTP/1.0 404");
    try {
      const detail::metrics_socket second(file, [] { return ""; });
      ADD_FAILURE() << "somebody listens there";
    } catch (const std::system_error& e) {
      EXPECT_EQ(e.code(), std::errc::address_in_use);
    }
    EXPECT_THROW(detail::served_metrics(std::string(folder) + "/all"), std::invalid_argument);
    const pid_t child = fork();
    if (child == 0) { // many children would want one name
      const detail::served_metrics none(named);
      _exit(asked(file, "GET / HTTP/1.1\r\n\r\n").find("# EOF") == std::string::npos ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_NE(access(file.c_str(), F_OK), 0) << "it is removed";
  EXPECT_EQ(rmdir(folder), 0) << "nothing else is left";
}

TEST_F(open_metrics_test, what_a_killed_process_has_left_is_replaced_and_other_files_are_not) {
  char folder[] = "/tmp/treadle-metrics-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string file = std::string(folder) + "/left.sock";
  const pid_t child = fork();
  if (child == 0) {
    new detail::metrics_socket(file, [] { return ""; });
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  ASSERT_EQ(access(file.c_str(), F_OK), 0);
  {
    const detail::metrics_socket again(file, []() -> std::string { throw std::runtime_error("not now"); });
    EXPECT_NE(asked(file, "GET /metrics HTTP/1.1\r\n\r\n").find("503"), std::string::npos);
  }
  std::fclose(std::fopen(file.c_str(), "w"));
  try {
    const detail::metrics_socket refused(file, [] { return ""; });
    ADD_FAILURE() << "the file is lost";
  } catch (const std::system_error& e) {
    EXPECT_EQ(std::string(e.what()).find("metrics: " + file), 0U) << e.what();
    EXPECT_EQ(e.code(), std::errc::file_exists);
  }
  EXPECT_EQ(unlink(file.c_str()), 0);
  rmdir(folder);
}

} // namespace
} // namespace treadle::counters

#include <treadle/observe/counters.hpp>
#include <treadle/observe/events.hpp>
#include <treadle/observe/trace.hpp>
#include <treadle/treadle.hpp>

#include "task/engine/runtime_fixture.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <sys/resource.h>

namespace {

class trace_test : public treadle::testing::on_workers {};
TREADLE_ON_WORKERS(trace_test);

struct inner_task {
  void operator()() const { treadle::this_task::yield(); }
};
struct outer_task {
  void operator()() const {
    std::vector<treadle::future<void>> all;
    for (int i = 0; i < 10; ++i) all.push_back(treadle::async(inner_task{}));
    for (auto& f : all) f.get();
  }
};

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

const treadle::task_profile& row_of(const std::vector<treadle::task_profile>& rows, const std::string& name) {
  for (const auto& row : rows) {
    if (row.name.find(name) != row.name.npos) return row;
  }
  static const treadle::task_profile none;
  return none;
}

TEST_P(trace_test, tasks_are_profiled_by_name) {
  treadle::trace trace;
  for (int i = 0; i < 5; ++i) treadle::async(outer_task{}).get();
  rt->wait_idle();
  const auto rows = trace.profile();
  EXPECT_EQ(row_of(rows, "outer_task").tasks, 5u);
  EXPECT_EQ(row_of(rows, "inner_task").tasks, 50u);
  EXPECT_EQ(trace.dropped(), 0u);
  EXPECT_GE(trace.records(), 3u * 55);
  for (const auto& row : rows) {
    EXPECT_LE(row.self_ns, row.total_ns) << row.name;
    EXPECT_LE(row.min_ns, row.max_ns) << row.name;
    EXPECT_GE(row.self_ns, 0) << row.name;
  }
}

TEST_P(trace_test, waits_are_known_by_name) {
  using namespace std::chrono_literals;
  struct late_input {
    void operator()() const { std::this_thread::sleep_for(20ms); }
  };
  struct staged_task {
    void operator()(treadle::future<void>) const {}
  };
  treadle::trace trace;
  treadle::async(late_input{}).then(staged_task{}).get();
  rt->wait_idle();
  const auto rows = trace.profile();
  EXPECT_GE(row_of(rows, "staged_task").staged_ns, 10'000'000);
  EXPECT_EQ(row_of(rows, "late_input").staged_ns, 0);
  EXPECT_GE(row_of(rows, "late_input").pending_ns, 0);
  EXPECT_NE(trace.text("csv").find(",staged_ns,pending_ns\n"), std::string::npos);
}

TEST_P(trace_test, chrome_json_has_a_slice_per_phase_and_an_arrow_per_task) {
  treadle::trace trace;
  treadle::async(outer_task{}).get();
  rt->wait_idle();
  const std::string text = trace.text("json");
  EXPECT_TRUE(text.starts_with("{\"traceEvents\": [\n")) << text.substr(0, 100);
  EXPECT_GE(occurrences(text, "inner_task\", \"cat\": \"task\"}"), 10u);
  EXPECT_EQ(occurrences(text, "\"ph\": \"s\""), 11u);
  EXPECT_EQ(occurrences(text, "\"ph\": \"f\""), 11u);
  EXPECT_NE(text.find("\"name\": \"worker "), text.npos);
  EXPECT_NE(text.find("\"dropped\": 0"), text.npos);
}

TEST_P(trace_test, who_created_what) {
  treadle::trace trace;
  treadle::async(outer_task{}).get();
  rt->wait_idle();
  const std::string graph = trace.text("dot"), tree = trace.text("txt");
  EXPECT_NE(graph.find("outer_task\" -> "), graph.npos) << graph;
  EXPECT_EQ(occurrences(graph, "[label=10]"), 1u) << graph;
  EXPECT_EQ(occurrences(graph, "[label=1]"), 1u) << graph;
  const auto outer = tree.find("who created what"), inner = tree.find("inner_task", outer);
  ASSERT_NE(inner, tree.npos) << tree;
  EXPECT_NE(tree.find(": 10 x", inner), tree.npos) << tree;
}

TEST_P(trace_test, a_small_ring_keeps_the_end) {
  treadle::trace trace(16);
  for (int i = 0; i < 200; ++i) treadle::async([] {}).get();
  treadle::events::emit("the end");
  rt->wait_idle();
  EXPECT_GT(trace.dropped(), 0u);
  EXPECT_LE(trace.records(), 16u * (GetParam() + 1));
  EXPECT_NE(trace.text("json").find("\"the end\""), std::string::npos);
  EXPECT_NE(trace.text("txt").find(" dropped"), std::string::npos);
}

TEST_P(trace_test, tasks_with_arguments_have_the_name_that_they_were_given) {
  treadle::trace trace;
  const auto twice = treadle::annotated([](int x) { return 2 * x; }, "twice");
  EXPECT_EQ(treadle::async(twice, 1).get(), 2);
  EXPECT_EQ(treadle::async(treadle::parallel_executor(), twice, 2).get(), 4);
  EXPECT_EQ(treadle::dataflow(treadle::unwrapping(twice), treadle::async(twice, 3)).get(), 12);
  rt->wait_idle();
  EXPECT_EQ(row_of(trace.profile(), "twice").tasks, 3u);
}

TEST_P(trace_test, one_at_a_time_and_again) {
  for (int i = 0; i < 20; ++i) {
    treadle::trace trace;
    EXPECT_THROW(treadle::trace(), std::logic_error);
    treadle::async(outer_task{}).get();
    trace.stop();
    treadle::async(outer_task{}).get(); // is not in it
    EXPECT_EQ(row_of(trace.profile(), "outer_task").tasks, 1u);
  }
}

TEST_P(trace_test, ends_while_tasks_run) {
  for (int i = 0; i < 50; ++i) {
    std::vector<treadle::future<void>> all;
    treadle::trace trace(64);
    for (int k = 0; k < 20; ++k) all.push_back(treadle::async([] { treadle::async(inner_task{}).get(); }));
    EXPECT_FALSE(trace.text("json").empty());
    for (auto& f : all) f.get();
  }
}

TEST(trace, is_saved_in_the_format_of_the_extension) {
  treadle::runtime runtime({.workers = 1});
  treadle::trace trace;
  treadle::async(outer_task{}).get();
  const std::string folder = testing::TempDir();
  for (const char* name : {"t.json", "t.dot", "t.txt", "t.csv"}) {
    const std::string file = folder + name;
    trace.save(file);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str(), trace.text(file.substr(file.rfind('.') + 1)));
    std::filesystem::remove(file);
  }
  EXPECT_THROW(trace.save(folder + "t.xml"), std::invalid_argument);
  EXPECT_THROW(trace.save(folder + "json"), std::invalid_argument);
  EXPECT_THROW(trace.save("/nowhere/at/all/t.json"), std::system_error);
}

TEST(trace, a_full_disk_leaves_nothing_behind) {
  const std::string folder = testing::TempDir() + "full_disk";
  std::filesystem::create_directories(folder);
  treadle::trace trace;
  for (int i = 0; i < 1000; ++i) treadle::events::emit("x");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN); // writing fails instead, as it does on a full disk
  const rlimit little{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  EXPECT_THROW(trace.save(folder + "/t.json"), std::system_error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(trace, a_name_that_cannot_be_had_leaves_nothing_behind) {
  const std::string folder = testing::TempDir() + "taken_name";
  std::filesystem::create_directories(folder);
  treadle::trace trace;
  treadle::events::emit("x");
  // The partial file cannot be renamed to a folder that is not empty: the last step fails.
  std::filesystem::create_directories(folder + "/t.json/x");
  EXPECT_THROW(trace.save(folder + "/t.json"), std::system_error);
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++entries;
  EXPECT_EQ(entries, 1);
  std::filesystem::remove_all(folder);
}

TEST(trace, values_over_time) {
  treadle::trace trace;
  treadle::events::emit("residual", 0.5);
  treadle::events::emit("marker");
  const std::string text = trace.text("json");
  EXPECT_NE(text.find("\"ph\": \"C\""), text.npos) << text;
  EXPECT_NE(text.find("\"name\": \"residual\", \"args\": {\"value\": 0.5}"), text.npos) << text;
  EXPECT_NE(text.find("\"ph\": \"i\""), text.npos) << text;
}

TEST(trace, by_an_option_of_the_runtime) {
  const std::string file = testing::TempDir() + "traced_run.csv";
  testing::internal::CaptureStderr();
  {
    treadle::runtime runtime({.workers = 2, .trace_files = {file}});
    treadle::async(outer_task{}).get();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("treadle: trace of ")) << said;
  // Later runs of a process have a number in the name.
  const std::string written = said.substr(said.find('\'') + 1, said.rfind('\'') - said.find('\'') - 1);
  std::ostringstream text;
  text << std::ifstream(written).rdbuf();
  EXPECT_NE(text.str().find("inner_task,10,"), std::string::npos) << text.str();
  EXPECT_THROW(treadle::runtime({.workers = 1, .trace_files = {"trace"}}), std::invalid_argument);
  EXPECT_THROW(treadle::runtime({.workers = 1, .trace_files = {"/nowhere/t.csv"}}), std::invalid_argument);
  std::filesystem::remove(written);
}

} // namespace

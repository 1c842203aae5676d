#include <treadle/observe/events.hpp>
#include <treadle/observe/streamed_trace.hpp>
#include <treadle/treadle.hpp>

#include "base/file_text.hpp"
#include "observe/trace/trace_ring.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <malloc.h>
#include <protozero/pbf_reader.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

struct temporary_file {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("treadle-" + std::to_string(getpid()) + ".pftrace")).string();
  ~temporary_file() { std::filesystem::remove(path); }
};

/// What a file holds, as far as these tests ask.
struct contents {
  std::uint64_t packets = 0, begun = 0, ended = 0, moments = 0, values = 0;
  std::map<std::string, std::uint64_t> slices; // by name
  std::set<std::uint64_t> made, met;           // arrows that begin, and that end
  std::vector<std::string> tracks;
  bool goes_back = false; // a slice ends that was not begun
};

contents read(const std::string& path) {
  contents all;
  std::map<std::uint32_t, std::map<std::uint64_t, std::string>> names; // by sequence
  std::map<std::uint32_t, std::int64_t> depth;
  const std::string bytes = treadle::detail::file_text(path.c_str());
  protozero::pbf_reader file(bytes);
  while (file.next(1)) {
    ++all.packets;
    std::uint32_t sequence = 0;
    protozero::pbf_reader packet = file.get_message();
    while (packet.next()) {
      if (packet.tag() == 10) {
        sequence = packet.get_uint32();
      } else if (packet.tag() == 60) {
        protozero::pbf_reader descriptor = packet.get_message();
        while (descriptor.next())
          if (descriptor.tag() == 4) {
            protozero::pbf_reader thread = descriptor.get_message();
            while (thread.next()) thread.tag() == 5 ? all.tracks.push_back(thread.get_string()) : thread.skip();
          } else {
            descriptor.skip();
          }
      } else if (packet.tag() == 12) {
        protozero::pbf_reader interned = packet.get_message();
        while (interned.next()) {
          const bool is_name = interned.tag() == 2;
          protozero::pbf_reader entry = interned.get_message();
          std::uint64_t number = 0;
          std::string text;
          while (entry.next()) {
            if (entry.tag() == 1)
              number = entry.get_uint64();
            else
              text = entry.get_string();
          }
          if (is_name) names[sequence][number] = text;
        }
      } else if (packet.tag() == 11) {
        protozero::pbf_reader event = packet.get_message();
        int type = 0;
        std::string name;
        while (event.next()) {
          if (event.tag() == 9)
            type = event.get_enum();
          else if (event.tag() == 10)
            name = names[sequence].at(event.get_uint64());
          else if (event.tag() == 47)
            all.made.insert(event.get_fixed64());
          else if (event.tag() == 48)
            all.met.insert(event.get_fixed64());
          else
            event.skip();
        }
        if (type == 1) ++all.begun, ++depth[sequence], ++all.slices[name];
        if (type == 2) ++all.ended, all.goes_back = all.goes_back || --depth[sequence] < 0;
        if (type == 3) ++all.moments;
        if (type == 4) ++all.values;
      } else {
        packet.skip();
      }
    }
  }
  return all;
}

class streamed_trace_test : public treadle::testing::on_workers {};
TREADLE_ON_WORKERS(streamed_trace_test);

struct leaf_task {
  void operator()() const { treadle::this_task::yield(); }
};
struct branch_task {
  void operator()() const {
    std::vector<treadle::future<void>> all;
    for (int i = 0; i < 10; ++i) all.push_back(treadle::async(leaf_task{}));
    for (auto& f : all) f.get();
  }
};

TEST_P(streamed_trace_test, tasks_with_arrows_from_where_they_were_made) {
  const temporary_file file;
  treadle::streamed_trace trace(file.path);
  EXPECT_THROW(treadle::streamed_trace again(file.path + "2.pftrace"), std::logic_error);
  for (int i = 0; i < 5; ++i) treadle::async(branch_task{}).get();
  treadle::events::emit("moment");
  treadle::events::emit("value", 2.5);
  rt->wait_idle();
  trace.stop();
  trace.stop();
  EXPECT_EQ(trace.dropped(), 0u);
  EXPECT_GE(trace.records(), 3u * 55);
  const contents found = read(file.path);
  std::uint64_t leaves = 0, branches = 0;
  for (const auto& [name, count] : found.slices) {
    if (name.find("leaf_task") != name.npos) leaves += count;
    if (name.find("branch_task") != name.npos) branches += count;
  }
  EXPECT_GE(leaves, 50u); // one that was suspended goes on in another slice
  EXPECT_GE(branches, 5u);
  EXPECT_FALSE(found.goes_back);
  EXPECT_GT(found.moments, 0u);
  EXPECT_GT(found.values, 0u);
  for (const std::uint64_t arrow : found.met) EXPECT_TRUE(found.made.contains(arrow));
  EXPECT_FALSE(found.met.empty());
  EXPECT_FALSE(std::filesystem::exists(file.path + "2.pftrace"));
}

/// Queues of two records: threads that record wait for the writer again and again.
TEST_P(streamed_trace_test, nothing_is_lost_however_little_room_there_is) {
  const temporary_file file;
  treadle::streamed_trace trace(file.path, 2);
  constexpr int k_tasks = 300;
  for (int i = 0; i < k_tasks / 10; ++i) treadle::async(branch_task{}).get();
  rt->wait_idle();
  trace.stop();
  EXPECT_EQ(trace.dropped(), 0u);
  std::uint64_t leaves = 0;
  for (const auto& [name, count] : read(file.path).slices)
    if (name.find("leaf_task") != name.npos) leaves += count;
  EXPECT_GE(leaves, std::uint64_t{k_tasks});
}

TEST_P(streamed_trace_test, threads_that_come_and_go) {
  const temporary_file file;
  treadle::streamed_trace trace(file.path);
  for (int round = 0; round < 20; ++round) {
    std::thread outside([] { treadle::async(leaf_task{}).get(); });
    outside.join();
  }
  rt->wait_idle();
  trace.stop();
  const contents found = read(file.path);
  EXPECT_GE(found.tracks.size(), 20u);
  EXPECT_FALSE(found.goes_back);
}

/// Under sanitizers memory is not counted.
TEST_P(streamed_trace_test, threads_that_end_leave_no_memory_behind) {
  const auto in_use = [] {
    const struct mallinfo2 all = mallinfo2(); // all zeroes under sanitizers
    return all.uordblks + all.hblkhd;
  };
  const temporary_file file;
  constexpr std::size_t k_records = 1U << 16, k_threads = 50;
  treadle::streamed_trace trace(file.path, k_records);
  treadle::async(leaf_task{}).get();
  const std::size_t before = in_use();
  for (std::size_t i = 0; i < k_threads; ++i) std::thread([] { treadle::async(leaf_task{}).get(); }).join();
  const auto is_free = [&] {
    return in_use() < before + k_threads / 2 * k_records * sizeof(treadle::detail::trace_record);
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!is_free() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_free());
  rt->wait_idle();
  trace.stop();
  EXPECT_EQ(trace.dropped(), 0u);
  EXPECT_GE(read(file.path).tracks.size(), k_threads);
}

TEST_P(streamed_trace_test, a_full_disk_ends_the_file_and_not_the_program) {
  const temporary_file file;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 20'000;
  setrlimit(RLIMIT_FSIZE, &small);
  {
    treadle::streamed_trace trace(file.path);
    for (int i = 0; i < 400; ++i) treadle::async(branch_task{}).get();
    rt->wait_idle();
    EXPECT_THROW(trace.stop(), std::system_error);
    EXPECT_NO_THROW(trace.stop()); // once
    EXPECT_GT(trace.dropped(), 0u);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_LE(std::filesystem::file_size(file.path), 20'000u);
  const contents found = read(file.path); // to the last byte
  EXPECT_GT(found.packets, 100u);
}

TEST_P(streamed_trace_test, the_child_of_a_fork_leaves_it_alone) {
  const temporary_file file;
  pid_t child = 0;
  {
    treadle::streamed_trace trace(file.path);
    treadle::async(branch_task{}).get();
    child = fork();
    if (child != 0) {
      treadle::async(branch_task{}).get();
      rt->wait_idle();
      trace.stop();
    }
  }
  if (child == 0) _exit(0); // it has gone out of the trace's scope
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const contents found = read(file.path);
  EXPECT_FALSE(found.goes_back);
  std::uint64_t branches = 0;
  for (const auto& [name, count] : found.slices)
    if (name.find("branch_task") != name.npos) branches += count;
  EXPECT_GE(branches, 2u);
}

TEST_P(streamed_trace_test, a_second_one_leaves_the_file_of_the_first_alone) {
  const temporary_file file;
  treadle::streamed_trace trace(file.path);
  for (int i = 0; i < 100; ++i) treadle::async(branch_task{}).get();
  EXPECT_THROW(treadle::streamed_trace again(file.path), std::logic_error);
  rt->wait_idle();
  trace.stop();
  EXPECT_GT(read(file.path).packets, 1000u);
}

TEST_P(streamed_trace_test, files_that_cannot_be) {
  EXPECT_THROW(treadle::streamed_trace("work.json"), std::invalid_argument);
  EXPECT_THROW(treadle::streamed_trace("/nowhere/work.pftrace"), std::exception);
}

/// --treadle:trace=run.pftrace
TEST(streamed_trace, by_an_option_of_the_runtime) {
  const temporary_file file;
  testing::internal::CaptureStderr();
  {
    treadle::runtime runtime({.workers = 2, .trace_files = {file.path}});
    for (int i = 0; i < 50; ++i) treadle::async(branch_task{}).get();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(said.starts_with("treadle: trace of ")) << said;
  // Later runs of a process have a number in the name.
  const std::string written = said.substr(said.find('\'') + 1, said.rfind('\'') - said.find('\'') - 1);
  const contents found = read(written);
  std::uint64_t branches = 0;
  for (const auto& [name, count] : found.slices)
    if (name.find("branch_task") != name.npos) branches += count;
  EXPECT_GE(branches, 50u);
  EXPECT_FALSE(found.goes_back);
  std::filesystem::remove(written);
}

TEST(streamed_trace, is_the_only_file_of_a_run) {
  const temporary_file file;
  try {
    treadle::runtime runtime({.workers = 1, .trace_files = {file.path, "/tmp/other.json"}});
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("a .pftrace is written while the program runs"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(file.path));
}

} // namespace

#include "control/store_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using treadle::tuned_point;
using treadle::detail::store_file;
using treadle::loop::record;

class store_file_test : public testing::Test {
 protected:
  store_file_test() {
    std::string name = (fs::temp_directory_path() / "treadle_store_XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~store_file_test() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder, ignored);
  }
  std::string path(const char* name = "tuning.sqlite") const { return (folder / name).string(); }
  /// Files with this in their names.
  std::size_t count(const std::string& part) const {
    std::size_t found = 0;
    for (const auto& entry : fs::directory_iterator(folder))
      found += entry.path().filename().string().find(part) != std::string::npos;
    return found;
  }

  fs::path folder;
};

const record k_key{"session", "instance", "knob: 1 .. 8", "n=20"};
const store_file::place k_here{"program", "this machine"};

std::vector<tuned_point> points(unsigned windows) {
  return {{3, -1.5, 0.25, windows, "8, true"}, {7, 2.0, 0.5, 2, "it's, 1"}};
}

bool save(store_file& to, const record& key, std::vector<tuned_point> points, const store_file::place& here = k_here) {
  record r = key;
  r.points = std::move(points);
  return to.save(here, {r});
}
std::vector<tuned_point> load(store_file& from, const record& key, const store_file::place& here = k_here) {
  for (record& r : from.load(here))
    if (r.kind == key.kind && r.instance == key.instance && r.choices == key.choices && r.context == key.context)
      return std::move(r.points);
  return {};
}
std::vector<tuned_point> load(const std::string& path) {
  store_file from(path);
  return load(from, k_key);
}

TEST_F(store_file_test, gives_back_what_was_saved) {
  {
    store_file store(path("new/folder/tuning.sqlite"));
    EXPECT_TRUE(load(store, k_key).empty());
    EXPECT_TRUE(save(store, k_key, points(9)));
    EXPECT_TRUE(save(store, k_key, points(10)));
    EXPECT_EQ(store.message(), "");
  }
  store_file store(path("new/folder/tuning.sqlite"));
  const auto loaded = load(store, k_key);
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[0].at, 3u);
  EXPECT_EQ(loaded[0].mean, -1.5);
  EXPECT_EQ(loaded[0].deviation, 0.25);
  EXPECT_EQ(loaded[0].windows, 10u);
  EXPECT_EQ(loaded[1].values, "it's, 1");
}

TEST_F(store_file_test, keeps_keys_apart) {
  store_file store(path());
  save(store, k_key, points(1));
  for (std::string record::* part : {&record::kind, &record::instance, &record::choices, &record::context}) {
    auto other = k_key;
    other.*part += "x";
    EXPECT_TRUE(load(store, other).empty());
    save(store, other, points(2));
  }
  for (const store_file::place& there : {store_file::place{"other", k_here.machine}, {k_here.program, "other"}}) {
    EXPECT_TRUE(store.load(there).empty());
    save(store, k_key, points(3), there);
  }
  EXPECT_EQ(load(store, k_key)[0].windows, 1u);
  EXPECT_EQ(store.load(k_here).size(), 5u);
}

TEST_F(store_file_test, a_damaged_file_is_set_aside) {
  std::ofstream(path()) << std::string(5000, 'x');
  store_file store(path());
  EXPECT_NE(store.message().find("set aside"), std::string::npos) << store.message();
  EXPECT_NE(store.message().find(path()), std::string::npos) << store.message();
  EXPECT_EQ(count("set-aside"), 1u);
  EXPECT_TRUE(save(store, k_key, points(1)));
  EXPECT_EQ(load(path()).size(), 2u);
}

TEST_F(store_file_test, a_file_of_the_users_is_left_alone) {
  std::ofstream(path("notes.txt")) << std::string(5000, 'x');
  store_file store(path("notes.txt"));
  EXPECT_NE(store.message().find(path("notes.txt")), std::string::npos) << store.message();
  EXPECT_FALSE(save(store, k_key, points(1)));
  EXPECT_EQ(count("set-aside"), 0u);
  EXPECT_EQ(fs::file_size(path("notes.txt")), 5000u);
}

TEST_F(store_file_test, damage_found_later_is_no_end_either) {
  {
    store_file store(path());
    for (int i = 0; i < 50; ++i) {
      auto key = k_key;
      key.context = std::to_string(i);
      save(store, key, points(1));
    }
  }
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(path()));
    file.seekp(2048);
    for (std::streamoff at = 2048; at < size; ++at) file.put('\x5a');
  }
  store_file store(path());
  EXPECT_TRUE(load(store, k_key).empty());
  EXPECT_TRUE(save(store, k_key, points(1)) || save(store, k_key, points(1)));
  EXPECT_EQ(load(store, k_key).size(), 2u);
  EXPECT_NE(store.message(), "");
}

TEST_F(store_file_test, a_file_that_was_moved_or_removed_is_made_anew) {
  store_file store(path());
  EXPECT_TRUE(save(store, k_key, points(1)));
  fs::rename(path(), path() + ".backup");
  EXPECT_TRUE(save(store, k_key, points(2)));
  EXPECT_EQ(load(path())[0].windows, 2u);
  EXPECT_EQ(load(path() + ".backup")[0].windows, 1u);
  fs::remove(path());
  EXPECT_TRUE(load(store, k_key).empty());
  EXPECT_TRUE(save(store, k_key, points(3)));
  EXPECT_EQ(load(store, k_key)[0].windows, 3u);
  EXPECT_EQ(store.message(), "");
}

TEST_F(store_file_test, another_version_is_left_alone) {
  {
    store_file store(path());
    save(store, k_key, points(1));
  }
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60); // user_version, big endian
    file.write("\0\0\0\x63", 4);
  }
  store_file store(path());
  EXPECT_NE(store.message().find("version 99"), std::string::npos) << store.message();
  EXPECT_EQ(count("set-aside"), 0u);
  EXPECT_TRUE(load(store, k_key).empty());
  EXPECT_FALSE(save(store, k_key, points(1)));
}

TEST_F(store_file_test, without_a_place_to_write_it_says_so_and_goes_on) {
  store_file nowhere("/proc/treadle/tuning.sqlite");
  EXPECT_NE(nowhere.message(), "");
  EXPECT_TRUE(load(nowhere, k_key).empty());
  EXPECT_FALSE(save(nowhere, k_key, points(1)));
  store_file folder_instead(folder.string());
  EXPECT_NE(folder_instead.message(), "");
  EXPECT_FALSE(save(folder_instead, k_key, points(1)));
}

TEST_F(store_file_test, a_file_that_cannot_be_written_can_still_be_read) {
  {
    store_file store(path());
    save(store, k_key, points(1));
  }
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(path(), fs::perms::owner_read);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  store_file store(path());
  EXPECT_EQ(load(store, k_key).size(), 2u);
  EXPECT_FALSE(save(store, k_key, points(2)));
  EXPECT_NE(store.message(), "");
}

TEST_F(store_file_test, processes_share_it) {
  constexpr int k_processes = 4, k_saves = 20;
  std::vector<pid_t> children;
  for (int p = 0; p < k_processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      bool fine = true;
      store_file store(path());
      for (int i = 0; i < k_saves; ++i) {
        auto key = k_key;
        key.context = std::to_string(p);
        fine = save(store, key, points(static_cast<unsigned>(i + 1))) && load(store, key).size() == 2 && fine;
        fine = save(store, k_key, points(1)) && fine; // the same one
      }
      _exit(fine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  store_file store(path());
  for (int p = 0; p < k_processes; ++p) {
    auto key = k_key;
    key.context = std::to_string(p);
    ASSERT_EQ(load(store, key).size(), 2u);
    EXPECT_EQ(load(store, key)[0].windows, static_cast<unsigned>(k_saves));
  }
}

TEST_F(store_file_test, the_child_of_a_fork_opens_it_anew) {
  store_file store(path());
  ASSERT_TRUE(save(store, k_key, points(1)));
  const pid_t child = fork();
  if (child == 0) {
    bool fine = load(store, k_key).size() == 2;
    fine = save(store, k_key, points(7)) && store.message().empty() && fine;
    _exit(fine ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(load(store, k_key)[0].windows, 7u);
  EXPECT_EQ(store.message(), "");
}

TEST_F(store_file_test, survives_processes_that_are_killed) {
  for (int round = 0; round < 15; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      store_file store(path());
      for (unsigned i = 1;; ++i) save(store, k_key, points(i));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    store_file store(path());
    EXPECT_EQ(store.message(), "");
    const auto loaded = load(store, k_key);
    EXPECT_TRUE(loaded.empty() || loaded.size() == 2) << loaded.size();
    EXPECT_TRUE(save(store, k_key, points(1)));
  }
  EXPECT_EQ(count("set-aside"), 0u);
}

} // namespace

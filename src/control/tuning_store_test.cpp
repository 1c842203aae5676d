#include <treadle/tune/tuning_store.hpp>

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
using treadle::tuning_store;

class tuning_store_test : public testing::Test {
 protected:
  tuning_store_test() {
    std::string name = (fs::temp_directory_path() / "treadle_store_XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~tuning_store_test() override {
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

const tuning_store::key k_key{"session", "knob: 1 .. 8", "n=20", "this machine"};

std::vector<tuned_point> points(unsigned windows) {
  return {{3, -1.5, 0.25, windows, "8, true"}, {7, 2.0, 0.5, 2, "it's, 1"}};
}

TEST_F(tuning_store_test, gives_back_what_was_saved) {
  {
    tuning_store store(path("new/folder/tuning.sqlite"));
    EXPECT_TRUE(store.load(k_key).empty());
    EXPECT_TRUE(store.save(k_key, {10, 1, true}, points(9)));
    EXPECT_TRUE(store.save(k_key, {11, 1, true}, points(10)));
    EXPECT_EQ(store.message(), "");
  }
  const tuning_store store(path("new/folder/tuning.sqlite"));
  const auto loaded = store.load(k_key);
  ASSERT_EQ(loaded.size(), 2u);
  EXPECT_EQ(loaded[0].at, 3u);
  EXPECT_EQ(loaded[0].mean, -1.5);
  EXPECT_EQ(loaded[0].deviation, 0.25);
  EXPECT_EQ(loaded[0].windows, 10u);
  EXPECT_EQ(loaded[1].values, "it's, 1");
}

TEST_F(tuning_store_test, keeps_keys_apart) {
  tuning_store store(path());
  store.save(k_key, {}, points(1));
  for (std::string tuning_store::key::* part : {&tuning_store::key::session, &tuning_store::key::knobs,
                                                &tuning_store::key::context, &tuning_store::key::machine}) {
    auto other = k_key;
    other.*part += "x";
    EXPECT_TRUE(store.load(other).empty());
    store.save(other, {}, points(2));
  }
  EXPECT_EQ(store.load(k_key)[0].windows, 1u);
}

TEST_F(tuning_store_test, a_damaged_file_is_set_aside) {
  std::ofstream(path()) << std::string(5000, 'x');
  tuning_store store(path());
  EXPECT_NE(store.message().find("set aside"), std::string::npos) << store.message();
  EXPECT_NE(store.message().find(path()), std::string::npos) << store.message();
  EXPECT_EQ(count("set-aside"), 1u);
  EXPECT_TRUE(store.save(k_key, {}, points(1)));
  EXPECT_EQ(tuning_store(path()).load(k_key).size(), 2u);
}

TEST_F(tuning_store_test, damage_found_later_is_no_end_either) {
  {
    tuning_store store(path());
    for (int i = 0; i < 50; ++i) {
      auto key = k_key;
      key.context = std::to_string(i);
      store.save(key, {}, points(1));
    }
  }
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    const auto size = static_cast<std::streamoff>(fs::file_size(path()));
    file.seekp(2048);
    for (std::streamoff at = 2048; at < size; ++at) file.put('\x5a');
  }
  tuning_store store(path());
  EXPECT_TRUE(store.load(k_key).empty());
  EXPECT_TRUE(store.save(k_key, {}, points(1)) || store.save(k_key, {}, points(1)));
  EXPECT_EQ(store.load(k_key).size(), 2u);
  EXPECT_NE(store.message(), "");
}

TEST_F(tuning_store_test, a_file_that_was_moved_or_removed_is_made_anew) {
  tuning_store store(path());
  EXPECT_TRUE(store.save(k_key, {}, points(1)));
  fs::rename(path(), path() + ".backup");
  EXPECT_TRUE(store.save(k_key, {}, points(2)));
  EXPECT_EQ(tuning_store(path()).load(k_key)[0].windows, 2u);
  EXPECT_EQ(tuning_store(path() + ".backup").load(k_key)[0].windows, 1u);
  fs::remove(path());
  EXPECT_TRUE(store.load(k_key).empty());
  EXPECT_TRUE(store.save(k_key, {}, points(3)));
  EXPECT_EQ(store.load(k_key)[0].windows, 3u);
  EXPECT_EQ(store.message(), "");
}

TEST_F(tuning_store_test, a_later_version_is_set_aside) {
  {
    tuning_store store(path());
    store.save(k_key, {}, points(1));
  }
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(60); // user_version, big endian
    file.write("\0\0\0\x63", 4);
  }
  tuning_store store(path());
  EXPECT_NE(store.message().find("version 99"), std::string::npos) << store.message();
  EXPECT_EQ(count("set-aside"), 1u);
  EXPECT_TRUE(store.load(k_key).empty());
  EXPECT_TRUE(store.save(k_key, {}, points(1)));
}

TEST_F(tuning_store_test, without_a_place_to_write_it_says_so_and_goes_on) {
  tuning_store nowhere("/proc/treadle/tuning.sqlite");
  EXPECT_NE(nowhere.message(), "");
  EXPECT_TRUE(nowhere.load(k_key).empty());
  EXPECT_FALSE(nowhere.save(k_key, {}, points(1)));
  tuning_store folder_instead(folder.string());
  EXPECT_NE(folder_instead.message(), "");
  EXPECT_FALSE(folder_instead.save(k_key, {}, points(1)));
}

TEST_F(tuning_store_test, a_file_that_cannot_be_written_can_still_be_read) {
  {
    tuning_store store(path());
    store.save(k_key, {}, points(1));
  }
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(path(), fs::perms::owner_read);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  tuning_store store(path());
  EXPECT_EQ(store.load(k_key).size(), 2u);
  EXPECT_FALSE(store.save(k_key, {}, points(2)));
  EXPECT_NE(store.message(), "");
}

TEST_F(tuning_store_test, processes_share_it) {
  constexpr int k_processes = 4, k_saves = 20;
  std::vector<pid_t> children;
  for (int p = 0; p < k_processes; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      bool fine = true;
      tuning_store store(path());
      for (int i = 0; i < k_saves; ++i) {
        auto key = k_key;
        key.context = std::to_string(p);
        fine = store.save(key, {}, points(static_cast<unsigned>(i + 1))) && store.load(key).size() == 2 && fine;
        fine = store.save(k_key, {}, points(1)) && fine; // the same one
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
  const tuning_store store(path());
  for (int p = 0; p < k_processes; ++p) {
    auto key = k_key;
    key.context = std::to_string(p);
    ASSERT_EQ(store.load(key).size(), 2u);
    EXPECT_EQ(store.load(key)[0].windows, static_cast<unsigned>(k_saves));
  }
}

TEST_F(tuning_store_test, the_child_of_a_fork_opens_it_anew) {
  tuning_store store(path());
  ASSERT_TRUE(store.save(k_key, {}, points(1)));
  const pid_t child = fork();
  if (child == 0) {
    bool fine = store.load(k_key).size() == 2;
    fine = store.save(k_key, {}, points(7)) && store.message().empty() && fine;
    _exit(fine ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(store.load(k_key)[0].windows, 7u);
  EXPECT_EQ(store.message(), "");
}

TEST_F(tuning_store_test, survives_processes_that_are_killed) {
  for (int round = 0; round < 15; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      tuning_store store(path());
      for (unsigned i = 1;; ++i) store.save(k_key, {}, points(i));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    tuning_store store(path());
    EXPECT_EQ(store.message(), "");
    const auto loaded = store.load(k_key);
    EXPECT_TRUE(loaded.empty() || loaded.size() == 2) << loaded.size();
    EXPECT_TRUE(store.save(k_key, {}, points(1)));
  }
  EXPECT_EQ(count("set-aside"), 0u);
}

TEST_F(tuning_store_test, the_standard_place_follows_the_environment) {
  setenv("TREADLE_STORE", "/somewhere/else", 1);
  EXPECT_EQ(tuning_store::standard_path(), "/somewhere/else");
  unsetenv("TREADLE_STORE");
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(tuning_store::standard_path(), "/state/treadle/tuning.sqlite");
  unsetenv("XDG_STATE_HOME");
  EXPECT_TRUE(tuning_store::standard_path().ends_with("/.local/state/treadle/tuning.sqlite"));
}

} // namespace

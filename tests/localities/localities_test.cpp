// Programs of several localities, each a process, with fewer and with more workers than there are cores.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace treadle {
namespace {

struct finished {
  std::vector<int> codes;
  std::vector<std::string> said;
  std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const std::string& one : said) {
      std::istringstream numbers(one);
      for (std::uint64_t number = 0; numbers >> number;) all += number;
    }
    return all;
  }
};

unsigned seconds_of_stress() {
  const char* const wanted = std::getenv("TREADLE_STRESS_SECONDS");
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : 2;
}

/// The case `name` of these programs, each a process.
finished run_all(const std::vector<std::string>& programs, const char* name, unsigned workers) {
  const std::size_t localities = programs.size();
  std::string file = "/tmp/treadle-localities-test-XXXXXX";
  close(mkstemp(file.data()));
  std::vector<pid_t> children;
  std::vector<std::FILE*> outputs;
  for (std::size_t rank = 0; rank < localities; ++rank) {
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(pipe_ends[1], 1);
      close(pipe_ends[0]);
      setenv("TREADLE_LOCALITIES", (file + ":" + std::to_string(rank) + ":" + std::to_string(localities)).c_str(), 1);
      setenv("TREADLE_WORKERS", std::to_string(workers).c_str(), 1);
      setenv("TREADLE_PUBLISH", "0", 1);
      alarm(100 + seconds_of_stress());
      execl(programs[rank].c_str(), programs[rank].c_str(), name, nullptr);
      _exit(127);
    }
    close(pipe_ends[1]);
    children.push_back(child);
    outputs.push_back(fdopen(pipe_ends[0], "r"));
  }
  finished result;
  for (std::size_t rank = 0; rank < localities; ++rank) {
    std::string text;
    for (int c = 0; (c = std::fgetc(outputs[rank])) != EOF;) text += static_cast<char>(c);
    std::fclose(outputs[rank]);
    int status = 0;
    waitpid(children[rank], &status, 0);
    result.codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    result.said.push_back(text);
  }
  unlink(file.c_str());
  return result;
}

/// These words behind the mpirun of an MPI, as users start programs: what finds its library is the program. An mpirun
/// of one process does not say that it is one.
finished run_by_mpi(const std::string& mpi, const std::string& words, unsigned workers, bool is_alone = false) {
  // What MPI leaves behind at its end is not ours.
  const std::string command =
      "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 TREADLE_PUBLISH=0 TREADLE_WORKERS=" + std::to_string(workers) +
      (is_alone ? " TREADLE_MPI=" + mpi : "") + " timeout " + std::to_string(100 + seconds_of_stress()) + " mpirun." +
      mpi + (mpi == "openmpi" ? " --allow-run-as-root --oversubscribe --bind-to none " : " ") + words;
  finished result;
  std::FILE* const output = popen(command.c_str(), "r");
  std::string text;
  for (int c = 0; (c = std::fgetc(output)) != EOF;) text += static_cast<char>(c);
  const int status = pclose(output);
  result.codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
  result.said.push_back(text);
  return result;
}

struct setting {
  const char* over;
  unsigned localities, workers;
};

class localities_test : public testing::TestWithParam<setting> {
 protected:
  static bool is_over(const char* transport) { return std::strcmp(GetParam().over, transport) == 0; }
  static finished run(const char* name, bool is_to_succeed = true) {
    const auto [over, localities, workers] = GetParam();
    const finished result =
        is_over("shared_memory")
            ? run_all(std::vector<std::string>(localities, LOCALITIES_PROGRAM), name, workers)
            : run_by_mpi(over, "-n " + std::to_string(localities) + " " + LOCALITIES_PROGRAM + " '" + name + "'",
                         workers, localities == 1);
    EXPECT_FALSE(result.codes.empty());
    for (const int code : result.codes) EXPECT_TRUE(code == 0 || !is_to_succeed) << code;
    return result;
  }
  static unsigned size() { return GetParam().localities; }
};
std::vector<setting> settings() {
  std::vector<setting> all{
      {"shared_memory", 1, 1}, {"shared_memory", 2, 1}, {"shared_memory", 2, 2}, {"shared_memory", 4, 2}};
  std::vector<const char*> mpis;
#ifndef __SANITIZE_THREAD__ // it does not see how the threads of MPI agree
#ifdef HAS_OPENMPI
  mpis.push_back("openmpi");
#endif
#ifdef HAS_MPICH
  mpis.push_back("mpich");
#endif
#endif
  for (const char* const mpi : mpis)
    for (const setting& one : {setting{mpi, 1, 1}, setting{mpi, 2, 2}, setting{mpi, 3, 1}}) all.push_back(one);
  return all;
}
INSTANTIATE_TEST_SUITE_P(all, localities_test, testing::ValuesIn(settings()), [](const auto& of) {
  return of.param.over + ("_" + std::to_string(of.param.localities)) + "_with_" + std::to_string(of.param.workers);
});

TEST_P(localities_test, come_and_go) { run(""); }
TEST_P(localities_test, calls) { run("calls"); }
TEST_P(localities_test, many_futures) { run("many_futures"); }
TEST_P(localities_test, collectives) { run("collectives"); }
TEST_P(localities_test, counters) { run("count"); }
TEST_P(localities_test, objects_live_where_they_were_made_as_long_as_somebody_refers_to_them) { run("objects"); }
TEST_P(localities_test, references_may_be_sent_without_end) { run("references"); }
TEST_P(localities_test, objects_belong_to_the_localities_that_there_are) { run("early"); }
TEST_P(localities_test, names_of_objects) { run("names"); }
/// For two seconds, or as TREADLE_STRESS_SECONDS says.
TEST_P(localities_test, memory_does_not_grow) { run("soak"); }
TEST_P(localities_test, partitioned_vectors) { run("vectors"); }
TEST_P(localities_test, partitioned_maps) { run("maps"); }
TEST_P(localities_test, algorithms_over_partitioned_vectors) { run("partitioned_algorithms"); }
TEST_P(localities_test, prefix_sums_of_partitioned_vectors) { run("partitioned_scans"); }
TEST_P(localities_test, sorting_partitioned_vectors) { run("partitioned_sorts"); }
TEST_P(localities_test, functions_that_throw_in_segments) { run("partitioned_faults"); }
TEST_P(localities_test, algorithms_over_partitioned_maps) { run("partitioned_entries"); }
TEST_P(localities_test, actions_that_return_futures) { run("futures"); }
TEST_P(localities_test, latches_and_channels) { run("coordination"); }
TEST_P(localities_test, large_arguments) { run("large"); }
TEST_P(localities_test, urgent_actions_first) {
  if (GetParam().workers == 1) run("priorities");
}
TEST_P(localities_test, objects_that_move) { run("migrations"); }
TEST_P(localities_test, calls_of_array_programs_are_computed_where_they_say) { run("placed"); }
TEST_P(localities_test, random_programs_are_the_same_wherever_their_calls_are_computed) { run("placements"); }
TEST_P(localities_test, distributed_arrays) { run("arrays"); }
TEST_P(localities_test, distributed_products) { run("products"); }
TEST_P(localities_test, distributed_diagonals) { run("diagonals"); }
TEST_P(localities_test, distributed_convolutions) { run("convolutions"); }
TEST_P(localities_test, array_programs_that_do_not_fit_together_fail_everywhere) { run("array_faults"); }
TEST_P(localities_test, array_programs_that_some_do_not_run_fail) { run("without_others"); }
TEST_P(localities_test, parcels_in_events_and_traces) { run("traced"); }
TEST_P(localities_test, a_communicator_made_again) { run("repeats"); }
/// MPI ends the others itself.
TEST_P(localities_test, who_dies_is_missed) {
  if (size() > 1 && is_over("shared_memory")) run("survives");
}
TEST_P(localities_test, who_dies_amid_large_vectors_is_missed) {
  if (size() > 1 && is_over("shared_memory")) run("large_survives");
}
/// By MPI's own words, and nobody waits for ever.
TEST_P(localities_test, who_dies_ends_an_mpi_program) {
  if (size() == 1 || is_over("shared_memory")) return;
  const finished result = run("dies", false);
  EXPECT_NE(result.codes.front(), 0);
  EXPECT_NE(result.codes.front(), 124) << "it did not end";
}
/// What unwinds the stack of a locality must not wait for those that wait for it.
TEST_P(localities_test, who_throws_ends_the_program) {
  if (size() == 1) return;
  for (const int code : run("thrown", false).codes) {
    EXPECT_GT(code, 0); // not by the alarm
    EXPECT_NE(code, 124);
  }
}
TEST_P(localities_test, parcels_that_mean_nothing_are_refused) { run("meaningless"); }
TEST_P(localities_test, who_does_not_receive_holds_senders_back) {
  if (size() > 1) run("stopped");
}
/// Where one part of a program was built from other sources, though all names in it are the same.
TEST_P(localities_test, versions_refuse_each_other) {
  if (size() != 2) return;
  const auto run_two = [](const std::string& one, const std::string& other) {
    return is_over("shared_memory") ? run_all({one, other}, "", 1)
                                    : run_by_mpi(GetParam().over, "-n 1 " + one + " : -n 1 " + other, 1);
  };
  for (const int code : run_two(VERSION_1, VERSION_1).codes) EXPECT_EQ(code, 0);
  const finished different = run_two(VERSION_1, VERSION_2);
  std::string said;
  for (const std::string& one : different.said) said += one;
  EXPECT_NE(said.find("runs another program, or another version of it, than locality"), said.npos) << said;
  for (const int code : different.codes) EXPECT_NE(code, 0);
}
TEST_P(localities_test, posts_are_executed_before_the_end) {
  const finished result = run("posts");
  if (size() == 2) {
    EXPECT_EQ(result.sum(), 2 * (std::uint64_t{100'000} * 100'001 / 2));
  }
}
TEST_P(localities_test, streams_of_tasks_that_move_between_threads) {
  EXPECT_EQ(run("streams").sum(), size() * 6 * (std::uint64_t{20'000} * 20'001 / 2));
}
TEST_P(localities_test, what_actions_cause_is_waited_for) { EXPECT_EQ(run("spread").sum(), (1U << 13U) - 1); }
TEST_P(localities_test, who_comes_late_to_the_end_is_waited_for) { EXPECT_EQ(run("late").sum(), size()); }

} // namespace
} // namespace treadle

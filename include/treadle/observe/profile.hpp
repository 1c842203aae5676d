#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace treadle {

/// What tasks of one name have done. Times in ns; `total` is from start to end without the time in which they were
/// suspended, `self` also without the tasks run in place inside of them.
struct task_profile {
  std::string name;
  std::uint64_t tasks = 0; ///< that were started
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  // Of one task's total:
  std::int64_t min_ns = 0;
  std::int64_t p50_ns = 0; ///< half of them took no longer
  std::int64_t p99_ns = 0; ///< 99 in a hundred
  std::int64_t max_ns = 0;
  // Of all tasks together:
  std::int64_t staged_ns = 0;  ///< made, and inputs missing
  std::int64_t pending_ns = 0; ///< ready, and not started
};

/// What became of the time of a pool's workers, in parts whose product is the first: as TALP and the POP project have
/// it (Lopez, Ramirez Miranda and Garcia-Gasulla, CSSI 2021), for tasks. Each is 1 at best. A worker is compared with
/// what the busiest one did, or with all of its own time on duty where that is less: where workers come and go,
/// scheduling and serialization are means over all of them, and not those of the busiest one.
struct pool_profile {
  std::string name;
  double workers = 0;             ///< that were on duty, on average over elapsed_ns
  std::int64_t elapsed_ns = 0;    ///< for which that one was on duty that was so the longest
  double parallel_efficiency = 0; ///< share of their time on duty in which they executed tasks
  double load_balance = 0;        ///< what they executed on average, against the one that executed most
  double scheduling = 0;          ///< of that one: execution against execution, management and search for work
  double serialization = 0;       ///< of that one: the time that it did not sleep for want of work
};

/// What the tasks of the present runtime have done since the profile was made or reset, by name; all since its start
/// where it was started later. Nothing has to be switched on, because samples are always taken: in a program of tasks
/// of 64 us or more each one is measured, of shorter ones one in 64 us, by chance, which stands for others. So `tasks`
/// and times are estimates, and min, percentiles and max are known to within a quarter.
///
/// A task counts when it has ended, which is a moment after its future is ready. Tasks on threads that are no workers
/// are not among them, nor what a loop or a fork has run in place; `pending` is of tasks that a worker took from a
/// queue. Of one worker 192 names are told apart. docs/design/profile.md
///
///     treadle::profile work;
///     assemble();
///     std::fputs(treadle::profile_text(work.rows()).c_str(), stdout);
///
/// One thread at a time; any thread. A reading stops no worker; it takes some microseconds for each name and worker.
class profile {
 public:
  profile();
  ~profile();
  profile(profile&&) noexcept;
  profile& operator=(profile&&) noexcept;

  void reset();
  /// By name, the longest `self` first. The last one may be "(other)", if that is more than 5 %: execution time of the
  /// workers that no sample accounts for. It lies around tasks that are very short, or belongs to tasks that have not
  /// ended, or long ones that are so rare among short ones that the samples have missed them.
  std::vector<task_profile> rows() const;
  /// In the order of their description.
  std::vector<pool_profile> pools() const;

 private:
  struct sums;
  std::unique_ptr<sums> m_before;
};

/// Tables for people.
std::string profile_text(const std::vector<task_profile>& rows);
std::string profile_text(const std::vector<pool_profile>& pools);
/// Writes rows as FILE.csv, or pools and rows as FILE.txt or to "stdout" or "stderr". Throws std::invalid_argument for
/// another format and std::system_error when a file cannot be written in full; then there is none.
void save_profile(const std::vector<task_profile>& rows, const std::vector<pool_profile>& pools,
                  const std::string& file);

} // namespace treadle

// Hardware threads that a kernel shares out equally among the threads that can run, in simulated time.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace treadle::agent {

struct shared_machine {
  unsigned hardware_threads = 1;
  unsigned cores = 1;
  double second_thread = 1; ///< what the other hardware threads of a core add each, in cores
  double switching = 0;     ///< share of the work that is lost where more threads than that can run
};
/// Work that this many threads do in a second, in seconds of one that is alone.
double work_per_s(const shared_machine& m, std::size_t running) noexcept;

/// All threads that run are equally fast, so that one sum over time, the work that each of them could have done since
/// the beginning, says when each has done its own.
class shared_cores {
 public:
  shared_cores(const shared_machine& m, std::size_t programs) : m_machine(m), m_programs(programs) {}

  double now_s() const noexcept { return m_now_s; }
  /// A thread of that program runs from now on until it has done `work_s` of work.
  void begin(std::size_t program, double work_s);
  /// When the first of them will have done its work, if no other one begins before that; none where none runs.
  std::optional<double> next_end_s() const noexcept;
  /// The program whose thread has done its work at next_end_s(), which is now then.
  std::size_t end_next();
  /// Until then nothing happens.
  void advance(double to_s) noexcept;

  std::size_t running(std::size_t program) const noexcept { return m_programs[program].running; }
  double used_s(std::size_t program) const noexcept { return m_programs[program].used_s; } ///< processor time

 private:
  struct ending {
    double at_work;     // of the sum
    std::size_t number; // those that end at the same moment do so in the order of their beginning
    std::size_t program;
    bool operator>(const ending& other) const noexcept {
      return at_work != other.at_work ? at_work > other.at_work : number > other.number;
    }
  };
  struct program_time {
    std::size_t running = 0;
    double used_s = 0;
  };

  const shared_machine m_machine;
  std::vector<program_time> m_programs;
  std::priority_queue<ending, std::vector<ending>, std::greater<>> m_endings;
  std::size_t m_begun = 0;
  double m_now_s = 0, m_work_each = 0;
};

} // namespace treadle::agent

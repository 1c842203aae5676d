#pragma once

#include <map>
#include <optional>
#include <vector>

namespace treadle::agent {

/// All processes of the machine, as they were when it was made: some microseconds for each.
class process_table {
 public:
  process_table();

  /// A process and all that descend from it.
  std::vector<int> tree(int root) const;
  /// Seconds of processor time that these have used, with those of their children that have ended.
  double cpu_s(const std::vector<int>& processes) const;
  /// Whether any of their threads runs at the moment, or waits for a processor.
  static bool any_runnable(const std::vector<int>& processes);

 private:
  struct entry {
    int parent;
    unsigned long long ticks;
  };
  static std::optional<entry> read(int pid);

  std::map<int, entry> m_all; // by pid
};

/// Keeps all threads of these processes to the hardware threads `now`, but not those whose program has given them
/// another mask than `before`. What cannot be changed stays as it is.
void keep_to(const std::vector<int>& processes, const std::vector<unsigned>& before, const std::vector<unsigned>& now);

} // namespace treadle::agent

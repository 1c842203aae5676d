#pragma once

#include <vector>

namespace treadle::agent {

/// The process and all that descend from it, as far as they are there. Reads /proc: some microseconds for each process
/// of the machine.
std::vector<int> process_tree(int root);
/// Seconds of processor time that these have used, with those of their children that have ended.
double cpu_s_of(const std::vector<int>& processes);
/// Keeps all threads of these processes to the hardware threads `now`, but not those whose program has given them
/// another mask than `before`. What cannot be changed stays as it is.
void keep_to(const std::vector<int>& processes, const std::vector<unsigned>& before, const std::vector<unsigned>& now);

} // namespace treadle::agent

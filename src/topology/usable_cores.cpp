#include "topology/usable_cores.hpp"

#include "base/file_text.hpp"
#include "base/variable.hpp"
#include "topology/process_mask.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include <unistd.h>

namespace treadle::detail {
namespace {

/// 0 when the file is missing or sets no limit.
double read_cpu_max(const std::string& path) {
  std::ifstream file(path);
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  return std::strtod(quota.c_str(), nullptr) / period;
}

double read_cfs_quota(const std::string& directory) {
  double quota = 0;
  double period = 0;
  if (!(std::ifstream(directory + "/cpu.cfs_quota_us") >> quota)) return 0;
  if (!(std::ifstream(directory + "/cpu.cfs_period_us") >> period)) return 0;
  return quota > 0 && period > 0 ? quota / period : 0;
}

double tightest(double a, double b) {
  if (a <= 0) return b;
  if (b <= 0) return a;
  return std::min(a, b);
}

} // namespace

double cgroup_quota_cores(const std::string& self_cgroup, const std::string& root) {
  double quota = 0;
  std::istringstream lines(self_cgroup);
  for (std::string line; std::getline(lines, line);) {
    // "ID:CONTROLLERS:PATH"; version 2 has id 0 and no controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",cpu,") == controllers.npos) continue;
    // In a container the path may not exist below the mount: the group's files are then at the root itself.
    for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
      if (path == "/") path.clear();
      quota = tightest(quota, unified ? read_cpu_max(root + path + "/cpu.max") : read_cfs_quota(root + "/cpu" + path));
      if (path.empty()) break;
    }
  }
  return quota;
}

unsigned ranks_on_this_machine() {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const std::string_view text = variable(name);
    unsigned ranks = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), ranks).ec == std::errc() && ranks > 0) return ranks;
  }
  return 1;
}

unsigned usable_cores() {
  unsigned cores = std::max(1u, process_mask().count());
  const double quota = cgroup_quota_cores(file_text("/proc/self/cgroup"), "/sys/fs/cgroup");
  if (quota > 0) cores = std::min(cores, std::max(1u, static_cast<unsigned>(std::ceil(quota))));
  const unsigned ranks = ranks_on_this_machine(), all = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
  // Those that are bound to a part of the machine may share it, or not.
  const unsigned share = process_mask().count() < all ? std::min(cores, all / ranks) : cores / ranks;
  return std::max(1u, share);
}

} // namespace treadle::detail

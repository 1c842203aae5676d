#include "agent/process_tree.hpp"

#include "base/file_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

namespace treadle::agent {
namespace {

/// Names in a folder that are numbers.
std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> found;
  DIR* const all = opendir(folder.c_str());
  if (!all) return found;
  while (const dirent* const one = readdir(all)) {
    const char* const end = one->d_name + std::char_traits<char>::length(one->d_name);
    int number = 0;
    if (std::from_chars(one->d_name, end, number).ptr == end) found.push_back(number);
  }
  closedir(all);
  return found;
}

/// What stands in /proc/.../stat behind the name, which may hold anything; empty: there is none.
std::string stat_behind_name(const std::string& folder) {
  const std::string text = detail::file_text((folder + "/stat").c_str());
  const std::size_t end = text.rfind(')');
  return end == std::string::npos ? "" : text.substr(end + 1);
}

cpu_set_t as_set(const std::vector<unsigned>& cpus) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const unsigned cpu : cpus)
    if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  return set;
}

} // namespace

/// Fields 4 and 14 to 17 of /proc/PID/stat.
std::optional<process_table::entry> process_table::read(int pid) {
  const std::string text = stat_behind_name("/proc/" + std::to_string(pid));
  entry found{};
  unsigned long long user = 0, system = 0;
  long long children_user = 0, children_system = 0;
  if (std::sscanf(text.c_str(), " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld", &found.parent, &user,
                  &system, &children_user, &children_system) != 5)
    return std::nullopt;
  const long long children = std::max(children_user, 0LL) + std::max(children_system, 0LL);
  found.ticks = user + system + static_cast<unsigned long long>(children);
  return found;
}

process_table::process_table() {
  for (const int pid : numbers_in("/proc"))
    if (const auto found = read(pid)) m_all.emplace(pid, *found);
}

bool process_table::any_runnable(const std::vector<int>& processes) {
  for (const int pid : processes) {
    const std::string threads = "/proc/" + std::to_string(pid) + "/task/";
    for (const int thread : numbers_in(threads))
      if (stat_behind_name(threads + std::to_string(thread)).starts_with(" R")) return true;
  }
  return false;
}

std::vector<int> process_table::tree(int root) const {
  std::multimap<int, int> children;
  for (const auto& [pid, one] : m_all) children.emplace(one.parent, pid);
  std::vector<int> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto [first, last] = children.equal_range(tree[i]);
    for (auto one = first; one != last; ++one) tree.push_back(one->second);
  }
  return tree;
}

double process_table::cpu_s(const std::vector<int>& processes) const {
  unsigned long long ticks = 0;
  for (const int pid : processes)
    if (const auto found = m_all.find(pid); found != m_all.end()) ticks += found->second.ticks;
  return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void keep_to(const std::vector<int>& processes, const std::vector<unsigned>& before, const std::vector<unsigned>& now) {
  const cpu_set_t old = as_set(before), next = as_set(now);
  // Threads that begin meanwhile have the mask of who began them: once more until there is no new one.
  std::map<int, bool> seen;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const int pid : processes) {
      for (const int thread : numbers_in("/proc/" + std::to_string(pid) + "/task")) {
        if (!seen.emplace(thread, true).second) continue;
        is_new = true;
        cpu_set_t has;
        if (sched_getaffinity(thread, sizeof has, &has) == 0 && CPU_EQUAL(&has, &old))
          sched_setaffinity(thread, sizeof next, &next);
      }
    }
  }
}

} // namespace treadle::agent

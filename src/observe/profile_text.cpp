#include "observe/profile_text.hpp"

#include "base/csv.hpp"
#include "base/file_text.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace treadle {

std::string detail::readable_ns(std::int64_t ns) {
  constexpr std::pair<double, const char*> k_units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  const auto value = static_cast<double>(ns);
  const auto* unit =
      std::find_if(std::begin(k_units), std::end(k_units) - 1, [&](const auto& u) { return value >= u.first; });
  char text[40];
  std::snprintf(text, sizeof text, "%.4g %s", value / unit->first, unit->second);
  return text;
}

std::string profile_text(const std::vector<task_profile>& rows) {
  char line[200];
  std::snprintf(line, sizeof line, "%10s %9s %9s %9s %9s %9s %9s %9s %9s  %s\n", "tasks", "self", "total", "mean",
                "p50", "p99", "max", "staged", "pending", "name"); // the last two as means, too
  std::string text = line;
  for (const task_profile& row : rows) {
    const bool any = row.tasks != 0;
    const auto of_tasks = [any](std::int64_t ns) { return any ? detail::readable_ns(ns) : "-"; };
    const auto mean = [&](std::int64_t ns) { return of_tasks(any ? ns / static_cast<std::int64_t>(row.tasks) : 0); };
    std::snprintf(line, sizeof line, "%10llu %9s %9s %9s %9s %9s %9s %9s %9s  ",
                  static_cast<unsigned long long>(row.tasks), detail::readable_ns(row.self_ns).c_str(),
                  detail::readable_ns(row.total_ns).c_str(), mean(row.total_ns).c_str(), of_tasks(row.p50_ns).c_str(),
                  of_tasks(row.p99_ns).c_str(), of_tasks(row.max_ns).c_str(), mean(row.staged_ns).c_str(),
                  mean(row.pending_ns).c_str());
    text += line + row.name + '\n';
  }
  return text;
}

std::string detail::profile_csv(const std::vector<task_profile>& rows) {
  std::string text = "name,tasks,self_ns,total_ns,min_ns,p50_ns,p99_ns,max_ns,staged_ns,pending_ns\n";
  for (const task_profile& row : rows) {
    text += csv_field(row.name) + ',' + std::to_string(row.tasks);
    for (const std::int64_t ns :
         {row.self_ns, row.total_ns, row.min_ns, row.p50_ns, row.p99_ns, row.max_ns, row.staged_ns, row.pending_ns})
      text += ',' + std::to_string(ns);
    text += '\n';
  }
  return text;
}

std::string profile_text(const std::vector<pool_profile>& pools) {
  char line[200];
  std::string text = "   elapsed  workers  parallel  = balance  x scheduling  x serialization  pool\n";
  for (const pool_profile& one : pools) {
    std::snprintf(line, sizeof line, "%10s  %7.2f  %6.1f %%  %7.1f %%  %10.1f %%  %13.1f %%  ",
                  detail::readable_ns(one.elapsed_ns).c_str(), one.workers, 100 * one.parallel_efficiency,
                  100 * one.load_balance, 100 * one.scheduling, 100 * one.serialization);
    text += line + one.name + '\n';
  }
  return text;
}

static bool is_stream(const std::string& file) { return file == "stdout" || file == "stderr"; }

void detail::check_profile_file(const std::string& file) {
  if (is_stream(file)) return;
  if (!file.ends_with(".txt") && !file.ends_with(".csv"))
    throw std::invalid_argument("profile: no format for '" + file + "'; known: stdout, stderr, FILE.txt, FILE.csv");
  check_folder(file, "profile");
}

void save_profile(const std::vector<task_profile>& rows, const std::vector<pool_profile>& pools,
                  const std::string& file) {
  detail::check_profile_file(file);
  const std::string text =
      file.ends_with(".csv") ? detail::profile_csv(rows) : profile_text(pools) + '\n' + profile_text(rows);
  if (is_stream(file))
    std::fputs(text.c_str(), file == "stdout" ? stdout : stderr);
  else
    detail::write_whole(file, text, "profile");
}

} // namespace treadle

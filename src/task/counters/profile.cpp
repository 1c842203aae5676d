#include <treadle/observe/profile.hpp>

#include "base/clock.hpp"
#include "task/counters/worker_instances.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace treadle {

using detail::profile_entry;
using field = detail::profile_field;

namespace {

using sums_of_name = std::array<std::uint64_t, field::k_all>;

std::int64_t ns(std::uint64_t ticks) { return detail::ticks_to_ns(static_cast<std::int64_t>(ticks)); }

task_profile row_of(std::string_view name, const sums_of_name& sums) {
  task_profile row;
  row.name = name;
  row.tasks = sums[field::tasks];
  row.total_ns = ns(sums[field::total_ticks]);
  row.self_ns = ns(sums[field::total_ticks] - std::min(sums[field::inner_ticks], sums[field::total_ticks]));
  row.staged_ns = ns(sums[field::staged_ticks]);
  row.pending_ns = ns(sums[field::pending_ticks]);
  const auto ranges = std::span(sums).subspan(field::first_range);
  const std::uint64_t all = std::accumulate(ranges.begin(), ranges.end(), std::uint64_t{0});
  std::uint64_t below = 0;
  for (unsigned i = field::first_range; i < field::k_all && below < all; ++i) {
    if (sums[i] == 0) continue;
    const std::int64_t low = field::lowest_ns(i), high = field::lowest_ns(i + 1), middle = (low + high) / 2;
    if (below == 0) row.min_ns = low;
    if (2 * below < all) row.p50_ns = middle;
    if (100 * below < 99 * all) row.p99_ns = middle;
    row.max_ns = high;
    below += sums[i];
  }
  return row;
}

/// Of a worker, in ticks.
struct time_of_worker {
  std::int64_t alive = 0, useful = 0, awake = 0;
  time_of_worker& operator-=(const time_of_worker& other) noexcept {
    alive -= other.alive;
    useful -= other.useful;
    awake -= other.awake;
    return *this;
  }
};
time_of_worker time_of(const detail::worker_counters& c, std::int64_t now) {
  const std::int64_t alive = c.alive.read(now), parked = c.parked.read(now);
  const std::int64_t idle =
      c.searching.read(now) + static_cast<std::int64_t>(c.management_ticks.load(detail::order::relaxed));
  return {alive, std::max<std::int64_t>(alive - idle, 0), std::max<std::int64_t>(alive - parked, 0)};
}

pool_profile profile_of(const std::string& name, std::vector<time_of_worker> workers) {
  std::int64_t elapsed = 0, alive = 0, useful = 0;
  time_of_worker busiest;
  for (time_of_worker& one : workers) { // times are read one after the other, while they go on
    one.alive = std::max<std::int64_t>(one.alive, 0);
    one.useful = std::clamp<std::int64_t>(one.useful, 0, one.alive);
    one.awake = std::clamp(one.awake, one.useful, one.alive);
    alive += one.alive;
    useful += one.useful;
    elapsed = std::max(elapsed, one.alive);
    if (one.useful >= busiest.useful) busiest = one;
  }
  // Of all while they were there, if each did as much as the busiest one. Where all are there for the same time, the
  // quotients of these are that one's.
  const auto of_all = [&workers](std::int64_t of_busiest) {
    std::int64_t sum = 0;
    for (const time_of_worker& one : workers) sum += std::min(one.alive, of_busiest);
    return sum;
  };
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0;
  };
  pool_profile result{.name = name};
  result.workers = ratio(alive, elapsed);
  result.elapsed_ns = detail::ticks_to_ns(elapsed);
  result.parallel_efficiency = ratio(useful, alive);
  result.load_balance = ratio(useful, of_all(busiest.useful));
  result.scheduling = ratio(of_all(busiest.useful), of_all(busiest.awake));
  result.serialization = ratio(of_all(busiest.awake), alive);
  return result;
}

/// Of the workers of a runtime, by pool.
struct times_of_pools {
  std::vector<std::pair<std::string, std::vector<time_of_worker>>> pools;
  std::uint64_t epoch = 0; ///< which runtime

  static times_of_pools read(const detail::pool_list& pools) {
    times_of_pools all{.pools = {}, .epoch = pools.front()->serial};
    const std::int64_t now = detail::ticks_now();
    for (const auto& pool : pools) {
      auto& times = all.pools.emplace_back(pool->name, std::vector<time_of_worker>()).second;
      for (const auto& worker : pool->workers) times.push_back(time_of(worker->counters, now));
    }
    return all;
  }
  /// What was before, if it was of the same runtime, where both lists only grow.
  void subtract(const times_of_pools& before) {
    if (before.epoch != epoch) return;
    for (std::size_t p = 0; p < before.pools.size(); ++p)
      for (std::size_t w = 0; w < before.pools[p].second.size(); ++w) pools[p].second[w] -= before.pools[p].second[w];
  }
  double executing_ns() const {
    std::int64_t ticks = 0;
    for (const auto& [name, workers] : pools)
      for (const time_of_worker& one : workers) ticks += one.useful;
    return static_cast<double>(detail::ticks_to_ns(ticks));
  }
};

using sums_by_name = std::map<std::string, sums_of_name, std::less<>>;

void add(sums_by_name& to, const detail::profile_table& table) {
  table.visit([&to](const profile_entry& one) {
    auto found = to.find(one.name());
    if (found == to.end()) found = to.emplace(one.name(), sums_of_name{}).first;
    for (unsigned i = 0; i < field::k_all; ++i) found->second[i] += one.read(i);
  });
}
void subtract(sums_by_name& from, const sums_by_name& before) {
  for (const auto& [name, values] : before)
    for (unsigned i = 0; i < field::k_all; ++i) from[name][i] -= values[i];
}

} // namespace

struct profile::sums {
  times_of_pools times;
  sums_by_name workers, outside;

  static sums read() {
    sums all;
    detail::visit_pools([&](const detail::pool_list& pools) {
      all.times = times_of_pools::read(pools);
      for (const auto& pool : pools)
        for (const auto& worker : pool->workers) add(all.workers, worker->samples.found);
    });
    add(all.outside, detail::waits_outside::all().found);
    return all;
  }
};

profile::profile() : m_before(std::make_unique<sums>(sums::read())) {}
profile::~profile() = default;
profile::profile(profile&&) noexcept = default;
profile& profile::operator=(profile&&) noexcept = default;

void profile::reset() { *m_before = sums::read(); }

static std::vector<task_profile> rows_of(const sums_by_name& found, double executing_ns) {
  constexpr double k_noise = 0.05; // of the estimates
  std::vector<task_profile> rows;
  double measured_ns = 0;
  for (const auto& [name, values] : found) {
    const bool is_there = values[field::tasks] + values[field::staged_ticks] + values[field::pending_ticks] != 0;
    if (!is_there) continue; // or only as that in which others were run, and it has not ended
    rows.push_back(row_of(name, values));
    measured_ns += static_cast<double>(rows.back().self_ns);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.self_ns > b.self_ns; });
  if (detail::k_counts && executing_ns - measured_ns > k_noise * executing_ns) {
    task_profile rest;
    rest.name = "(other)";
    rest.self_ns = rest.total_ns = static_cast<std::int64_t>(executing_ns - measured_ns);
    rows.push_back(std::move(rest));
  }
  return rows;
}

std::vector<task_profile> profile::rows() const {
  sums now = sums::read();
  if (now.times.epoch == m_before->times.epoch) subtract(now.workers, m_before->workers);
  subtract(now.outside, m_before->outside);
  for (const auto& [name, values] : now.outside)
    for (unsigned i = 0; i < field::k_all; ++i) now.workers[name][i] += values[i];
  now.times.subtract(m_before->times);
  return rows_of(now.workers, now.times.executing_ns());
}

std::vector<pool_profile> profile::pools() const {
  times_of_pools now;
  detail::visit_pools([&now](const detail::pool_list& pools) { now = times_of_pools::read(pools); });
  now.subtract(m_before->times);
  std::vector<pool_profile> result;
  for (const auto& [name, workers] : now.pools) result.push_back(profile_of(name, workers));
  return result;
}

} // namespace treadle

#include "observe/trace/trace_analysis.hpp"

#include "base/clock.hpp"
#include "observe/trace/node_dependences.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace treadle::detail {
namespace {

/// Goes through the records of all threads in the order of time and keeps track of what runs where.
///
/// Tasks are known by their addresses, which are used again when a task is gone: a creation, or a start of what has
/// finished, is another task.
class replay {
 public:
  replay(trace_analysis& into, std::size_t rings)
      : m_found(into), m_running(rings), m_parked(rings, 0), m_dependences(into, rings) {}

  void see(int ring, int worker, std::int64_t ticks, const event_record& what) {
    m_dependences.go_on(ring, worker, ticks, top_of(ring, ticks));
    if (!m_running[at(ring)].empty()) ++task(m_running[at(ring)].back().task).told;
    switch (what.kind) {
    case event_kind::input_attached:
      return m_dependences.attach_input(what);
    case event_kind::join_made:
      return m_dependences.make_join(what);
    case event_kind::group_joined:
      return m_dependences.join_group(what, find(what.other_task()));
    case event_kind::wait_begun:
      return m_dependences.begin_wait(what);
    case event_kind::wait_ended:
      return m_dependences.end_wait(what);
    case event_kind::state_made:
      return m_dependences.know(what.task, trace_analysis::k_none);
    case event_kind::memory_used:
      return use_memory(ring, what);
    case event_kind::task_created:
      return create(ring, ticks, what);
    case event_kind::task_started:
      return start(ring, ticks, what);
    case event_kind::task_suspended:
      return suspend(ring, ticks);
    case event_kind::task_resumed:
      return resume(ring, ticks, what);
    case event_kind::task_finished:
      return finish(ring, ticks, what);
    case event_kind::promotion:
      m_promoted.insert(what.task);
      break;
    case event_kind::worker_parked:
      m_parked[at(ring)] = ticks;
      return;
    case event_kind::worker_woken:
      return wake(ring, ticks);
    default:
      break;
    }
    m_found.moments.push_back({ring, ticks, what});
  }
  void end(std::int64_t ticks) {
    m_dependences.end();
    for (const auto& [where, bytes] : m_bytes) {
      trace_analysis::task& user = task(where.first);
      if (user.home == trace_analysis::k_none || bytes > m_bytes.at({where.first, user.home})) user.home = where.second;
    }
    for (int ring = 0; ring != static_cast<int>(m_running.size()); ++ring) {
      while (!m_running[at(ring)].empty()) leave(ring, ticks);
      if (m_parked[at(ring)] != 0) wake(ring, ticks);
    }
  }

 private:
  static constexpr std::int64_t k_bytes_max = std::int64_t{1} << 50;
  struct open_slice {
    int task;
    std::int64_t begin_ticks;
    std::int64_t inside_ticks; // of tasks run in place
    bool first;
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  trace_analysis::task& task(int i) { return m_found.tasks[at(i)]; }
  int find(std::uint64_t address) const {
    const auto found = m_live.find(address);
    return found == m_live.end() ? trace_analysis::k_none : found->second;
  }
  int add(const event_record& what) {
    const int added = static_cast<int>(m_found.tasks.size());
    m_found.tasks.push_back({.name = what.name, .forked = m_promoted.erase(what.task) != 0});
    m_live[what.task] = added;
    m_dependences.know(what.task, added);
    return added;
  }

  /// The innermost task that the ring's thread is in, and how much of its own time has passed.
  node_dependences::position top_of(int ring, std::int64_t ticks) {
    const auto& stack = m_running[at(ring)];
    if (stack.empty()) return {};
    const open_slice& top = stack.back();
    const std::int64_t own = task(top.task).self_ticks + ticks - top.begin_ticks - top.inside_ticks;
    return {top.task, m_found.undisturbed(own, task(top.task).told)};
  }

  void use_memory(int ring, const event_record& what) {
    if (m_running[at(ring)].empty()) return;
    const int user = m_running[at(ring)].back().task;
    const memory_use use = memory_use::of(what);
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(what.task, k_bytes_max));
    task(user).bytes = std::min(task(user).bytes + bytes, k_bytes_max);
    if (m_found.ticks_per_record > 0)
      task(user).told += std::llround(static_cast<double>(use.ticks) / m_found.ticks_per_record);
    if (use.home >= 0) m_bytes[{user, static_cast<int>(use.home)}] += bytes;
  }
  void create(int ring, std::int64_t ticks, const event_record& what) {
    const int number = add(what);
    m_dependences.make(what, number);
    trace_analysis::task& added = task(number);
    added.created_ticks = ticks;
    added.created_on = ring;
    added.queued = true;
    if (!m_running[at(ring)].empty()) added.creator = m_running[at(ring)].back().task;
  }
  void start(int ring, std::int64_t ticks, const event_record& what) {
    int started = find(what.task);
    if (started == trace_analysis::k_none || task(started).started) {
      started = add(what); // it was in no queue: the one that runs here made it
      m_dependences.make(what, started);
      if (!m_running[at(ring)].empty()) task(started).creator = m_running[at(ring)].back().task;
    }
    task(started).started = true;
    task(started).started_ticks = ticks;
    task(started).started_on = ring;
    m_running[at(ring)].push_back({started, ticks, 0, true});
  }
  /// A stack is left with all tasks on it: those below are suspended, too.
  void suspend(int ring, std::int64_t ticks) {
    auto& stack = m_running[at(ring)];
    if (stack.empty()) return;
    const int top = stack.back().task;
    std::vector<int>& below = m_suspended[top];
    while (!stack.empty()) {
      below.push_back(stack.back().task);
      leave(ring, ticks);
    }
  }
  void resume(int ring, std::int64_t ticks, const event_record& what) {
    const int resumed = find(what.task);
    const auto stack = m_suspended.find(resumed);
    if (stack == m_suspended.end()) { // its suspension was dropped, or came before the trace
      m_running[at(ring)].push_back({resumed == trace_analysis::k_none ? add(what) : resumed, ticks, 0, false});
      return;
    }
    for (auto one = stack->second.rbegin(); one != stack->second.rend(); ++one)
      m_running[at(ring)].push_back({*one, ticks, 0, false});
    m_suspended.erase(stack);
  }
  void finish(int ring, std::int64_t ticks, const event_record& what) {
    const int finished = find(what.task);
    auto& stack = m_running[at(ring)];
    const bool known = std::any_of(stack.begin(), stack.end(), [&](const auto& s) { return s.task == finished; });
    while (known && stack.back().task != finished) leave(ring, ticks); // records in between were dropped
    if (known) leave(ring, ticks);
    if (known) task(finished).ended_ticks = ticks;
    m_live.erase(what.task);
  }
  void wake(int ring, std::int64_t ticks) {
    if (m_parked[at(ring)] != 0) m_found.pauses.push_back({ring, std::exchange(m_parked[at(ring)], 0), ticks});
  }

  void leave(int ring, std::int64_t ticks) {
    auto& stack = m_running[at(ring)];
    const open_slice left = stack.back();
    stack.pop_back();
    const std::int64_t took = ticks - left.begin_ticks;
    task(left.task).total_ticks += took;
    task(left.task).self_ticks += took - left.inside_ticks;
    if (!stack.empty()) stack.back().inside_ticks += took;
    m_found.slices.push_back({left.task, ring, left.begin_ticks, ticks, left.first});
  }

  trace_analysis& m_found;
  std::unordered_map<std::uint64_t, int> m_live;         // by address
  std::unordered_set<std::uint64_t> m_promoted;          // by address: whose creation is told next
  std::vector<std::vector<open_slice>> m_running;        // by ring, the innermost last
  std::unordered_map<int, std::vector<int>> m_suspended; // the tasks of its stack by the innermost one
  std::vector<std::int64_t> m_parked;                    // by ring: since when, or 0
  std::map<std::pair<int, int>, std::int64_t> m_bytes;   // by task and domain
  node_dependences m_dependences;
};

} // namespace

trace_analysis::trace_analysis(const trace_session& session) : ticks_per_record(session.ticks_per_record()) {
  struct entry {
    std::int64_t ticks;
    int ring;
    const event_record* what;
  };
  std::vector<entry> all;
  all.reserve(session.records());
  for (std::size_t ring = 0; ring != session.rings().size(); ++ring) {
    session.rings()[ring]->visit(
        [&](const trace_record& record) { all.push_back({record.ticks, static_cast<int>(ring), &record.what}); });
  }
  std::stable_sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.ticks < b.ticks; });
  replay player(*this, session.rings().size());
  for (const entry& one : all) {
    const int worker = session.rings()[static_cast<std::size_t>(one.ring)]->worker();
    player.see(one.ring, worker, one.ticks, *one.what);
  }
  player.end(session.stop_ticks());
}

std::vector<task_profile> trace_analysis::profile() const {
  struct found {
    task_profile row;
    std::vector<std::int64_t> totals_ns;
  };
  std::map<std::string_view, found> rows;
  for (const task& one : tasks) {
    if (!one.started) continue;
    auto& [row, totals_ns] = rows[one.name];
    row.name = one.name;
    totals_ns.push_back(ticks_to_ns(one.total_ticks));
    row.total_ns += totals_ns.back();
    row.self_ns += ticks_to_ns(one.self_ticks);
    if (one.queued && one.created_ticks != 0) {
      row.staged_ns += ticks_to_ns(one.ready_ticks - one.created_ticks);
      row.pending_ns += ticks_to_ns(std::max<std::int64_t>(one.started_ticks - one.ready_ticks, 0));
    }
    ++row.tasks;
  }
  std::vector<task_profile> result;
  for (auto& [name, one] : rows) {
    auto& [row, totals_ns] = one;
    std::sort(totals_ns.begin(), totals_ns.end());
    const auto of_hundred = [&](std::size_t n) { return totals_ns[(totals_ns.size() * n + 99) / 100 - 1]; };
    row.min_ns = totals_ns.front();
    row.p50_ns = of_hundred(50);
    row.p99_ns = of_hundred(99);
    row.max_ns = totals_ns.back();
    result.push_back(std::move(row));
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.self_ns > b.self_ns; });
  return result;
}

} // namespace treadle::detail

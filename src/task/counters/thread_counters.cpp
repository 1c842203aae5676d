#include "task/counters/thread_counters.hpp"

#include "base/clock.hpp"
#include "observe/counter_type.hpp"
#include "observe/process_counters.hpp"
#include "task/counters/papi_counters.hpp"
#include "task/counters/worker_instances.hpp"
#include "topology/cpu_distance.hpp"

#include <stdexcept>

namespace treadle::detail {
namespace {

using counters::kind;

/// Sums over some workers of a pool, or of all of them.
struct thread_sums {
  double created = 0, finished = 0, inlined = 0, direct = 0, promoted = 0;
  double suspensions = 0, resumptions = 0, parks = 0, phases = 0;
  double pending_accesses = 0, pending_misses = 0, staged = 0, staged_accesses = 0, staged_misses = 0;
  double steals_tried = 0, stolen = 0, given = 0, stolen_over[k_cpu_distances] = {};
  double alive_ns = 0, searching_ns = 0, parked_ns = 0, management_ns = 0;
  double pending_ns = 0, pending_waits = 0, staged_ns = 0, staged_waits = 0; // of one in k_queued_per_stamp
  double critical_pending_ns = 0, critical_pending_waits = 0, critical_staged_ns = 0, critical_staged_waits = 0;
  double critical_phases = 0, critical_ns = 0;
  double suspended_bytes = 0, suspended_bytes_max = 0;
  double workers = 0, on_duty = 0, may_be_active = 0, busy = 0, queued = 0, stacks = 0, stack_bytes = 0;
  double durations[worker_counters::k_duration_ranges] = {};

  double executed() const { return finished + direct; }
  double executing_ns() const { return std::max(alive_ns - searching_ns - parked_ns - management_ns, 0.0); }
  double overhead_ns() const { return alive_ns - executing_ns(); }
  double staged_now() const { return std::max(staged - (staged_accesses - staged_misses), 0.0); }

  void add(const readiness_counts& c);
  void add(const scheduler& pool, const worker& w);
  void add_shared(const scheduler& pool);
};

double ns(std::uint64_t ticks) { return static_cast<double>(ticks_to_ns(static_cast<std::int64_t>(ticks))); }
double number(const atomic<std::uint64_t>& a) { return static_cast<double>(a.load(order::relaxed)); }

void thread_sums::add(const readiness_counts& c) {
  direct += number(c.direct);
  staged_misses += number(c.staged_misses);
  staged_accesses += number(c.staged_accesses);
  staged += number(c.staged);
  staged_ns += ns(c.staged_ticks.load(order::relaxed));
  staged_waits += number(c.staged_waits);
  critical_staged_ns += ns(c.critical_staged_ticks.load(order::relaxed));
  critical_staged_waits += number(c.critical_staged_waits);
}

void thread_sums::add(const scheduler& pool, const worker& w) {
  const worker_counters& c = w.counters;
  finished += number(c.finished); // before what was created: so there is never more finished than created
  created += number(c.created);
  inlined += number(c.inlined);
  promoted += number(c.promoted);
  suspensions += number(c.suspensions);
  resumptions += number(c.resumptions);
  parks += number(c.parks);
  phases += number(c.phases);
  pending_accesses += number(c.pending_accesses);
  pending_misses += number(c.pending_misses);
  steals_tried += number(c.steals_tried);
  pending_ns += ns(c.pending_ticks.load(order::relaxed));
  pending_waits += number(c.pending_waits);
  critical_pending_ns += ns(c.critical_pending_ticks.load(order::relaxed));
  critical_pending_waits += number(c.critical_pending_waits);
  critical_phases += number(c.critical_phases);
  critical_ns += ns(c.critical_ticks.load(order::relaxed));
  suspended_bytes += number(c.suspended_bytes);
  suspended_bytes_max = std::max(suspended_bytes_max, number(c.suspended_bytes_max));
  for (int i = 0; i < worker_counters::k_duration_ranges; ++i) durations[i] += number(c.durations[i]);
  add(static_cast<const readiness_counts&>(c));
  for (const auto& other : pool.workers) {
    const double taken = number(w.steals.from(other->index()));
    given += number(other->steals.from(w.index()));
    stolen += taken;
    if (taken == 0) continue; // asking for distances reads the topology
    const auto distance = distance_between(w.cpu.load(order::relaxed), other->cpu.load(order::relaxed));
    stolen_over[static_cast<int>(distance)] += taken;
  }
  const std::int64_t now = ticks_now();
  const auto interval_ns = [&](const interval_sum& sum) { return static_cast<double>(ticks_to_ns(sum.read(now))); };
  const double parked = interval_ns(c.parked);
  alive_ns += interval_ns(c.alive);
  parked_ns += parked;
  searching_ns += std::max(interval_ns(c.searching) - parked, 0.0);
  management_ns += ns(c.management_ticks.load(order::relaxed));
  workers += 1;
  on_duty += c.alive.is_open();
  busy += c.alive.is_open() && !c.searching.is_open();
  queued += static_cast<double>(w.tasks.size() + static_cast<std::int64_t>(w.placed_size()));
}

void thread_sums::add_shared(const scheduler& pool) {
  add(pool.counted_elsewhere);
  created += number(pool.injected_tasks);
  may_be_active += pool.on_duty.wanted();
  queued += static_cast<double>(pool.injected.size());
  stacks += number(pool.stacks);
  stack_bytes += number(pool.stacks) * static_cast<double>(pool.stack_bytes);
}

/// One number of the sums; `base` for averages and ratios.
struct thread_counter_row {
  const char* name;
  kind what;
  const char* unit;
  const char* help;
  double (*value)(const thread_sums& s);
  double (*base)(const thread_sums& s) = nullptr;
};

constexpr const char* k_ns = "ns";
constexpr thread_counter_row k_rows[] = {
    {"/threads/count/cumulative", kind::monotonic, "",
     "Tasks executed to their end. One that was run in place counts when its queue entry is gone.",
     [](const thread_sums& s) { return s.executed(); }},
    {"/threads/count/cumulative-phases", kind::monotonic, "",
     "Times a worker started or resumed a task. A task run in place belongs to the phase of the one that waits for it.",
     [](const thread_sums& s) { return s.phases; }},
    {"/threads/count/critical", kind::monotonic, "", "Tasks with priority critical that a worker took from a queue.",
     [](const thread_sums& s) { return s.critical_phases; }},
    {"/threads/count/created", kind::monotonic, "", "Tasks queued: async, ready dataflow nodes, promoted forks.",
     [](const thread_sums& s) { return s.created; }},
    {"/threads/count/inlined", kind::monotonic, "", "Queued tasks that were run in place by what waited for them.",
     [](const thread_sums& s) { return s.inlined; }},
    {"/threads/count/spawned", kind::monotonic, "",
     "Queued tasks that a worker took from a queue and ran by themselves.",
     [](const thread_sums& s) { return s.finished - s.inlined; }},
    {"/threads/count/direct", kind::monotonic, "",
     "Tasks that were in no queue: nodes and continuations run where their last input came, deferred ones run by who "
     "waits.",
     [](const thread_sums& s) { return s.direct; }},
    {"/threads/count/promoted", kind::monotonic, "", "Latent forks and parts of loops that became tasks.",
     [](const thread_sums& s) { return s.promoted; }},
    {"/threads/count/suspensions", kind::monotonic, "", "Times a task blocked and gave up its worker.",
     [](const thread_sums& s) { return s.suspensions; }},
    {"/threads/count/resumptions", kind::monotonic, "", "Times a suspended task went on.",
     [](const thread_sums& s) { return s.resumptions; }},
    {"/threads/count/parks", kind::monotonic, "", "Times a worker went to sleep until it is woken.",
     [](const thread_sums& s) { return s.parks; }},
    {"/threads/count/pending-accesses", kind::monotonic, "", "Looks for a task to run.",
     [](const thread_sums& s) { return s.pending_accesses; }},
    {"/threads/count/pending-misses", kind::monotonic, "", "Looks that found the worker's own queue empty.",
     [](const thread_sums& s) { return s.pending_misses; }},
    {"/threads/count/staged-accesses", kind::monotonic, "",
     "Looks at a task whose inputs may be missing: one when it is made and one per input that comes later.",
     [](const thread_sums& s) { return s.staged_accesses; }},
    {"/threads/count/staged-misses", kind::monotonic, "", "Looks at a task of which an input was still missing.",
     [](const thread_sums& s) { return s.staged_misses; }},
    {"/threads/count/steals-tried", kind::monotonic, "", "Looks at the queue of another worker.",
     [](const thread_sums& s) { return s.steals_tried; }},
    {"/threads/count/stolen-to-pending", kind::monotonic, "", "Tasks that this worker took from others.",
     [](const thread_sums& s) { return s.stolen; }},
    {"/threads/count/stolen-from-pending", kind::monotonic, "", "Tasks that others took from this worker.",
     [](const thread_sums& s) { return s.given; }},
    {"/threads/count/stolen/same-core", kind::monotonic, "",
     "Tasks taken from a worker that last looked for work on the same core.",
     [](const thread_sums& s) { return s.stolen_over[0]; }},
    {"/threads/count/stolen/same-cache", kind::monotonic, "", "The same, on cores with a common cache.",
     [](const thread_sums& s) { return s.stolen_over[1]; }},
    {"/threads/count/stolen/same-node", kind::monotonic, "", "The same, at the same memory.",
     [](const thread_sums& s) { return s.stolen_over[2]; }},
    {"/threads/count/stolen/other-node", kind::monotonic, "", "The same, from farther away.",
     [](const thread_sums& s) { return s.stolen_over[3]; }},
    {"/threads/count/instantaneous/all", kind::gauge, "", "Tasks that exist and have not ended, staged ones included.",
     [](const thread_sums& s) { return s.created - s.finished + s.staged_now(); }},
    {"/threads/count/instantaneous/active", kind::gauge, "", "Workers that execute something.",
     [](const thread_sums& s) { return s.busy; }},
    {"/threads/count/instantaneous/pending", kind::gauge, "", "Tasks in queues, those to be resumed included.",
     [](const thread_sums& s) { return s.queued; }},
    {"/threads/count/instantaneous/suspended", kind::gauge, "",
     "Suspended tasks; of one worker, its share may be negative.",
     [](const thread_sums& s) { return s.suspensions - s.resumptions; }},
    {"/threads/count/instantaneous/staged", kind::gauge, "", "Tasks that wait for inputs; see suspended.",
     [](const thread_sums& s) { return s.staged_now(); }},
    {"/threads/count/stacks", kind::gauge, "", "Task stacks that exist.",
     [](const thread_sums& s) { return s.stacks; }},
    {"/threads/stack/average", kind::average, "bytes", "Stack in use by a task that suspends.",
     [](const thread_sums& s) { return s.suspended_bytes; }, [](const thread_sums& s) { return s.suspensions; }},
    {"/threads/stack/max", kind::gauge, "bytes", "The most stack in use by a task that suspended.",
     [](const thread_sums& s) { return s.suspended_bytes_max; }},
    {"/threads/time/average", kind::average, k_ns, "Execution time per task (t_d, Eq. 2 of Grubel et al. 2015).",
     [](const thread_sums& s) { return s.executing_ns(); }, [](const thread_sums& s) { return s.executed(); }},
    {"/threads/time/average-phase", kind::average, k_ns, "Execution time per phase.",
     [](const thread_sums& s) { return s.executing_ns(); }, [](const thread_sums& s) { return s.phases; }},
    {"/threads/time/average-overhead", kind::average, k_ns,
     "Worker time per task in which no task was executed (t_o, Eq. 3): management, search and sleep.",
     [](const thread_sums& s) { return s.overhead_ns(); }, [](const thread_sums& s) { return s.executed(); }},
    {"/threads/time/average-phase-overhead", kind::average, k_ns, "The same per phase.",
     [](const thread_sums& s) { return s.overhead_ns(); }, [](const thread_sums& s) { return s.phases; }},
    {"/threads/time/average-management", kind::average, k_ns, "Time per task between the phases of tasks.",
     [](const thread_sums& s) { return s.management_ns; }, [](const thread_sums& s) { return s.executed(); }},
    {"/threads/time/average-critical", kind::average, k_ns,
     "Execution time per task with priority critical, to its end or where it first suspends.",
     [](const thread_sums& s) { return s.critical_ns; }, [](const thread_sums& s) { return s.critical_phases; }},
    {"/threads/time/average-other", kind::average, k_ns, "Execution time per other task.",
     [](const thread_sums& s) { return std::max(s.executing_ns() - s.critical_ns, 0.0); },
     [](const thread_sums& s) { return std::max(s.executed() - s.critical_phases, 0.0); }},
    {"/threads/time/cumulative-critical", kind::monotonic, k_ns, "Execution time of tasks with priority critical.",
     [](const thread_sums& s) { return s.critical_ns; }},
    {"/threads/time/cumulative", kind::monotonic, k_ns, "Time in which workers executed tasks.",
     [](const thread_sums& s) { return s.executing_ns(); }},
    {"/threads/time/cumulative-overhead", kind::monotonic, k_ns, "Time in which workers did anything else.",
     [](const thread_sums& s) { return s.overhead_ns(); }},
    {"/threads/time/cumulative-management", kind::monotonic, k_ns, "Of it, time between the phases of tasks (sampled).",
     [](const thread_sums& s) { return s.management_ns; }},
    {"/threads/time/cumulative-search", kind::monotonic, k_ns, "Of it, time in which workers looked for work.",
     [](const thread_sums& s) { return s.searching_ns; }},
    {"/threads/time/cumulative-parked", kind::monotonic, k_ns, "Of it, time in which workers slept.",
     [](const thread_sums& s) { return s.parked_ns; }},
    {"/threads/time/overall", kind::monotonic, k_ns,
     "Time since the workers were started, times their number, without that off duty.",
     [](const thread_sums& s) { return s.alive_ns; }},
    {"/threads/idle-rate", kind::ratio, "%", "Share of the workers' time in which no task was executed (Eq. 1).",
     [](const thread_sums& s) { return s.overhead_ns(); }, [](const thread_sums& s) { return s.alive_ns; }},
    {"/threads/wait-time/pending", kind::average, k_ns, "Time from the queue to the start of a task (sampled).",
     [](const thread_sums& s) { return k_queued_per_stamp * s.pending_ns + s.critical_pending_ns; },
     [](const thread_sums& s) { return k_queued_per_stamp * s.pending_waits + s.critical_pending_waits; }},
    {"/threads/wait-time/pending-critical", kind::average, k_ns, "The same of tasks with priority critical (of all).",
     [](const thread_sums& s) { return s.critical_pending_ns; },
     [](const thread_sums& s) { return s.critical_pending_waits; }},
    {"/threads/wait-time/pending-other", kind::average, k_ns, "The same of the other tasks (sampled).",
     [](const thread_sums& s) { return s.pending_ns; }, [](const thread_sums& s) { return s.pending_waits; }},
    {"/threads/wait-time/staged", kind::average, k_ns,
     "Time until a task has all its inputs (sampled). Counted in the pool of its executor, if it has one.",
     [](const thread_sums& s) { return k_queued_per_stamp * s.staged_ns + s.critical_staged_ns; },
     [](const thread_sums& s) { return k_queued_per_stamp * s.staged_waits + s.critical_staged_waits; }},
    {"/threads/wait-time/staged-critical", kind::average, k_ns, "The same of tasks with priority critical (of all).",
     [](const thread_sums& s) { return s.critical_staged_ns; },
     [](const thread_sums& s) { return s.critical_staged_waits; }},
    {"/threads/wait-time/staged-other", kind::average, k_ns, "The same of the other tasks (sampled).",
     [](const thread_sums& s) { return s.staged_ns; }, [](const thread_sums& s) { return s.staged_waits; }},
    {"/threadqueue/length", kind::gauge, "", "Tasks in queues.", [](const thread_sums& s) { return s.queued; }},
    {"/scheduler/utilization/instantaneous", kind::gauge, "%", "Share of the workers that execute something.",
     [](const thread_sums& s) { return s.workers > 0 ? 100 * s.busy / s.workers : 0; }},
    {"/runtime/count/workers", kind::gauge, "", "Workers, those off duty and spare ones included.",
     [](const thread_sums& s) { return s.workers; }},
    {"/runtime/count/workers-on-duty", kind::gauge, "",
     "Workers that run, look for work or wait for it; without those that runtime::set_concurrency() has sent off duty.",
     [](const thread_sums& s) { return s.on_duty; }},
    {"/runtime/concurrency", kind::gauge, "",
     "How many workers may be active: runtime::set_concurrency(), bounded by what the process may use. 0 of one "
     "worker.",
     [](const thread_sums& s) { return s.may_be_active; }},
    {"/runtime/memory/stacks", kind::gauge, "bytes",
     "Address space of task stacks; the system gives them memory when they are used.",
     [](const thread_sums& s) { return s.stack_bytes; }},
};

/// Sums of an instance; false when there is none.
bool add_up(const pool_list& pools, const worker_instance& which, thread_sums& sums) {
  bool found = false;
  for (const auto& pool : pools) {
    if (which.has(*pool) && !which.number) {
      sums.add_shared(*pool);
      found = true;
    }
    for (const auto& w : pool->workers) {
      if (!which.has(*pool, *w)) continue;
      sums.add(*pool, *w);
      found = true;
    }
  }
  if (!which.pool && !which.number) {
    readiness_counts outside;
    outside.add(counted_outside);
    outside.subtract(pools.front()->outside_at_start);
    sums.add(outside);
  }
  return found;
}

class thread_counter_type : public counter_type {
 public:
  explicit thread_counter_type(const thread_counter_row& row)
      : counter_type({row.name, row.what, row.unit, row.help}), m_row(row) {}

  std::vector<std::string> instances() const final { return worker_instance::all(); }

  counter_sample read(const std::string& instance, const std::string&) const final {
    const worker_instance which = worker_instance::parse(instance);
    thread_sums sums;
    bool found = false;
    std::uint64_t epoch = 0;
    const bool runs = visit_pools([&](const pool_list& pools) {
      found = add_up(pools, which, sums);
      epoch = pools.front()->serial;
    });
    if (!runs) throw std::runtime_error("counter '" + about().name + "': no runtime is running");
    if (!found)
      throw std::runtime_error("counter '" + about().name + "': there is no '" + instance + "' at the moment");
    counter_sample result = sample(sums);
    result.epoch = epoch;
    return result;
  }

 private:
  virtual counter_sample sample(const thread_sums& sums) const {
    return {.value = m_row.value(sums), .base = m_row.base ? m_row.base(sums) : 0};
  }

  const thread_counter_row& m_row;
};

constexpr thread_counter_row k_durations = {
    "/threads/time/phases", kind::histogram, "",
    "Phases by their duration (sampled): range i holds those from 2^i ns to less than 2^(i + 1) ns.", nullptr};

class duration_histogram final : public thread_counter_type {
 public:
  duration_histogram() : thread_counter_type(k_durations) {}

 private:
  counter_sample sample(const thread_sums& sums) const override {
    return {.ranges = {std::begin(sums.durations), std::end(sums.durations)}};
  }
};

} // namespace

awake_time time_awake() {
  std::int64_t ticks = 0;
  std::uint64_t epoch = 0;
  visit_pools([&](const pool_list& pools) {
    epoch = pools.front()->serial;
    const std::int64_t now = ticks_now();
    for (const auto& pool : pools)
      for (const auto& one : pool->workers) ticks += one->counters.alive.read(now) - one->counters.parked.read(now);
  });
  return {static_cast<double>(ticks_to_ns(ticks)), epoch};
}

void publish_thread_counters() {
  static const bool published = [] {
    waits_outside::all();
    publish_process_counters();
    publish_papi_counters();
    for (const thread_counter_row& row : k_rows) add_counter_type(std::make_shared<thread_counter_type>(row));
    add_counter_type(std::make_shared<duration_histogram>());
    return true;
  }();
  static_cast<void>(published);
}

} // namespace treadle::detail

#include "base/names.hpp"

#include <treadle/sim/prediction.hpp>

namespace treadle::sim {
namespace {

constexpr std::string_view k_tables[] = {"none", "treadle", "hpx"};

/// Medians of bench/results/amd-epyc-2-cores where a name of a workload stands; what is estimated says so.
constexpr cost_table k_treadle{.create_ns = 12, // futures/async_get is 21 for making, running in place and getting
                               .input_ns = 40, // dataflow of three inputs that are not ready, 140 to 180 with its value
                               .fork_ns = 3,   // counters/forks
                               .promote_ns = 200,      // of the half a microsecond that it takes to hand over and join
                               .pop_ns = 11,           // spawn_flat is 23 for making and running
                               .in_place_ns = 9,       // the rest of futures/async_get
                               .steal_local_ns = 305,  // futures/steal
                               .steal_remote_ns = 305, // estimated: the same for each unit of distance
                               .failed_steal_ns = 30,  // estimated: a look at two words of another core
                               .search_ns = 50'000, // the nap after which a worker sleeps, src/task/engine/tunables.hpp
                               .wake_ns = 8'000,    // estimated: a futex in a virtual machine
                               .notify_ns = 2'000,  // estimated: the system call
                               .switch_ns = 34,     // futures/block_resume is 68 for both ways
                               .stack_ns =
                                   300, // estimated from runs that leave one to ten thousand stacks (predict_study)
                               .stacks_kept = 60,     // src/task/engine/scheduler.cpp
                               .continuation_ns = 13, // futures/dataflow_ready
                               .per_worker_ns = 0};

/// HPX 2.0 on the same kind of machine: 460 ns for async and wait_all of a future with one worker, 580 with two, and
/// about 1.4 us for a dataflow node of five inputs (Task Bench, trivial kernel). How that is shared out over the steps
/// is estimated, and so is what more workers cost: creating a task notifies each worker of the pool. A worker without
/// work goes on looking for 200 000 rounds before it sleeps for the first time.
constexpr cost_table k_hpx{.create_ns = 260,
                           .input_ns = 200,
                           .fork_ns = 380, // a task like others
                           .promote_ns = 0,
                           .pop_ns = 120,
                           .in_place_ns = 120,
                           .steal_local_ns = 400,
                           .steal_remote_ns = 400,
                           .failed_steal_ns = 60,
                           .search_ns = 10'000'000,
                           .wake_ns = 50'000,
                           .notify_ns = 2'000,
                           .switch_ns = 60,
                           .stack_ns = 5'000,
                           .stacks_kept = 1'000,
                           .continuation_ns = 80,
                           .per_worker_ns = 40};

} // namespace

cost_table costs_from_name(std::string_view name) {
  switch (detail::enumerator_from_name<int>(k_tables, "table of costs", name)) {
  case 0:
    return {};
  case 1:
    return k_treadle;
  default:
    return k_hpx;
  }
}

} // namespace treadle::sim

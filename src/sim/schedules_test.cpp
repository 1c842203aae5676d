// What holds for every graph and schedule, and schedules of known programs.
#include "sim/sim_fixture.hpp"

#include "base/rng.hpp"
#include "sim/graphs/graphs.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace {

using namespace treadle;
using namespace treadle::sim;
using namespace treadle::sim::testing;

/// Tasks that depend on earlier ones, make some, call some and wait for what they made.
workload random_program(std::uint64_t seed) {
  detail::xorshift random(seed);
  builder b;
  const int count = 1 + static_cast<int>(random.below(60));
  std::vector<std::int64_t> own, at; // how far each is with what it does
  std::vector<int> root;             // of what makes it
  std::vector<char> is_source;       // nobody makes it, and it needs nothing
  for (int i = 0; i < count; ++i) {
    const auto ns = static_cast<std::int64_t>(random.below(50));
    const bool made = i > 0 && random.below(2) == 0;
    const int parent = made ? static_cast<int>(random.below(static_cast<std::uint32_t>(i))) : -1;
    int node = 0;
    is_source.push_back(0);
    if (made) {
      auto& passed = at[static_cast<std::size_t>(parent)];
      passed += random.below(static_cast<std::uint32_t>(own[static_cast<std::size_t>(parent)] - passed) + 1);
      const bool called = random.below(4) == 0;
      node = b.add(called ? node_sort::call : node_sort::task, "made", ns, parent, passed);
      // An input that others may have as well: older than all that this may be inlined into.
      root.push_back(root[static_cast<std::size_t>(parent)]);
      const int input = static_cast<int>(random.below(static_cast<std::uint32_t>(i)));
      if (input < root.back() && is_source[static_cast<std::size_t>(input)] != 0) b.input(node, input);
      if (random.below(2) == 0) b.wait(parent, node, passed);
    } else {
      node = b.task("node", ns);
      int inputs = 0;
      for (int k = 0; i > 0 && k < 3; ++k)
        if (random.below(2) == 0) {
          b.input(node, static_cast<int>(random.below(static_cast<std::uint32_t>(i))));
          ++inputs;
        }
      root.push_back(i);
      is_source.back() = inputs == 0 ? 1 : 0;
    }
    own.push_back(ns);
    at.push_back(0);
  }
  return workload_of(std::move(b));
}

/// No circle: a node that waits for what depends on a later one of its own would be one.
std::optional<workload> some_program() {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  try {
    return random_program(seed);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

schedule some_schedule() {
  schedule how;
  const auto policy = static_cast<scheduling>(*rc::gen::inRange(0, 5));
  how.pools = {{.name = "default", .workers = *rc::gen::inRange(1u, 9u), .policy = policy}};
  if (*rc::gen::arbitrary<bool>())
    how.pools.push_back({.name = "critical",
                         .workers = *rc::gen::inRange(1u, 4u),
                         .policy = static_cast<scheduling>(*rc::gen::inRange(0, 5)),
                         .exclusive = *rc::gen::arbitrary<bool>()});
  how.which = static_cast<order>(*rc::gen::inRange(0, 7));
  how.spawn_calls = *rc::gen::arbitrary<bool>();
  how.inlining = *rc::gen::element<std::string>("", "", "always", "never", "paper-baseline:0.01:0.02", "paper-adaptive",
                                                "by-cost");
  how.seed = *rc::gen::arbitrary<std::uint64_t>();
  return how;
}

void mark(schedule& how, const workload& what) { how.critical = {what.sites().front()}; }

cost_table some_costs() {
  switch (*rc::gen::inRange(0, 3)) {
  case 0:
    return {};
  case 1:
    return costs_from_name("treadle");
  default:
    return costs_from_name("hpx");
  }
}

double sum_of(const prediction& p, double prediction::worker::* what) {
  double sum = 0;
  for (const auto& one : p.workers) sum += one.*what;
  return sum;
}

TEST(schedules, are_never_below_the_bound_and_always_the_same) {
  ASSERT_TRUE(rc::check([] {
    const auto program = some_program();
    RC_PRE(program.has_value());
    schedule how = some_schedule();
    mark(how, *program);
    const cost_table costs = some_costs();
    const prediction found = run(*program, how, costs), again = run(*program, how, costs);
    RC_ASSERT(std::memcmp(&found.makespan_ns, &again.makespan_ns, sizeof(double)) == 0);
    for (std::size_t w = 0; w < found.workers.size(); ++w) {
      RC_ASSERT(found.workers[w].busy_ns == again.workers[w].busy_ns);
      RC_ASSERT(found.workers[w].overhead_ns == again.workers[w].overhead_ns);
      RC_ASSERT(found.workers[w].tasks == again.workers[w].tasks);
    }
    const bool calls_stay = how.inlining.empty() ? !how.spawn_calls : how.inlining == "always";
    if (calls_stay) RC_ASSERT(found.makespan_ns >= found.lower_bound_ns - 1e-6);
    RC_ASSERT(found.makespan_ns >= program->work_ns() / static_cast<double>(found.workers.size()) - 1e-6);
    RC_ASSERT(std::abs(sum_of(found, &prediction::worker::busy_ns) - program->work_ns()) < 1e-6);
    RC_ASSERT(found.critical.tasks + found.others.tasks == program->tasks());
  }));
}

TEST(schedules, one_worker_takes_work_and_overhead) {
  ASSERT_TRUE(rc::check([] {
    const auto program = some_program();
    RC_PRE(program.has_value());
    schedule how =
        on_workers(1, static_cast<order>(*rc::gen::inRange(0, 7)), static_cast<scheduling>(*rc::gen::inRange(0, 5)));
    mark(how, *program);
    how.inlining = *rc::gen::element<std::string>("", "always", "never", "paper-baseline:0.01:0.02", "by-cost");
    const cost_table costs = some_costs();
    const prediction found = run(*program, how, costs);
    // It has nothing to do only until it sees the first task.
    const double idle = found.makespan_ns - program->work_ns() - found.workers[0].overhead_ns;
    RC_ASSERT(idle > -1e-6);
    RC_ASSERT(idle < costs.failed_steal_ns + 1e-6);
  }));
}

TEST(schedules, without_costs_keep_to_grahams_bound) {
  ASSERT_TRUE(rc::check([] {
    const auto program = some_program();
    RC_PRE(program.has_value());
    const unsigned workers = *rc::gen::inRange(1u, 9u);
    const auto policy = *rc::gen::element(scheduling::work_stealing, scheduling::local_priority_fifo,
                                          scheduling::local_priority_lifo, scheduling::shared_priority);
    schedule how = on_workers(workers, static_cast<order>(*rc::gen::inRange(0, 7)), policy);
    mark(how, *program);
    how.inlining = "never"; // what follows its input on the same stack is left by workers that have nothing to do
    const double t1 = program->work_ns(), tinf = program->critical_path_ns();
    RC_ASSERT(run(*program, how).makespan_ns <= t1 / workers + (1 - 1.0 / workers) * tinf + 1e-6);
  }));
}

// Whatever a file holds, it is refused with a message or simulated.
TEST(schedules, damaged_recordings_are_refused_or_simulated) {
  const std::string whole = detail::write_graph(generate("fib:n=7,cutoff=3"));
  ASSERT_TRUE(rc::check([&] {
    std::string text = whole;
    for (int damage = *rc::gen::inRange(1, 4); damage > 0; --damage) {
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::elementOf(std::string("0123456789 -\nnw"));
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 20));
        break;
      default: // two records change places, or one comes twice
        text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 30));
      }
    }
    try {
      const graph damaged(detail::parse_graph(text, "damaged"), "damaged");
      run(workload(std::make_shared<const graph>(damaged)), on_workers(3), costs_from_name("treadle"));
    } catch (const std::invalid_argument&) {
    } catch (const std::runtime_error& e) { // a schedule that waits for ever
      RC_ASSERT(std::string(e.what()).starts_with("the simulated program cannot go on"));
    }
  }));
}

/// Makespan by lower bound for potrf r times as slow as it should be.
double cholesky_ratio(int r, int t, unsigned p, order which, unsigned critical = 0, bool exclusive = false) {
  const workload work = workload::generated("cholesky:t=" + std::to_string(t) + ",r=" + std::to_string(r));
  schedule how = on_workers(p - critical, which, scheduling::shared_priority);
  how.critical = {"potrf"};
  for (pool& one : how.pools) one.exclusive = exclusive;
  if (critical > 0)
    how.pools.push_back(
        {.name = "critical", .workers = critical, .policy = scheduling::shared_priority, .exclusive = exclusive});
  const prediction found = run(work, how);
  return found.makespan_ns / found.lower_bound_ns;
}
double best_pools(int r, int t, unsigned p, bool exclusive) {
  double best = 1e9;
  for (unsigned critical = 1; critical <= 8 && critical < p; ++critical)
    best = std::min(best, cholesky_ratio(r, t, p, order::fifo, critical, exclusive));
  return best;
}

// An independent model of the same DAG, without overhead: (r, t, p), then FIFO, potrf first, the best strict split, the
// best split with lending, bottom level. What depends on how equals are ordered (LIFO, random) is not compared.
TEST(schedules, of_cholesky_agree_with_another_model) {
  struct row {
    int r, t;
    unsigned p;
    double fifo, marked, strict, lending, level;
  };
  constexpr double k_tolerance = 0.02;
  for (const row& one :
       {row{1, 32, 56, 1.132, 1.130, 1.144, 1.130, 1.089}, row{3, 16, 28, 1.424, 1.363, 1.384, 1.363, 1.302},
        row{10, 32, 28, 1.244, 1.099, 1.128, 1.100, 1.052}, row{10, 32, 56, 1.564, 1.299, 1.310, 1.303, 1.150},
        row{10, 16, 8, 1.242, 1.100, 1.211, 1.102, 1.062}}) {
    const std::string what = std::to_string(one.r) + ' ' + std::to_string(one.t) + ' ' + std::to_string(one.p);
    EXPECT_NEAR(cholesky_ratio(one.r, one.t, one.p, order::fifo) / one.fifo, 1, k_tolerance) << what;
    EXPECT_NEAR(cholesky_ratio(one.r, one.t, one.p, order::marked) / one.marked, 1, k_tolerance) << what;
    EXPECT_NEAR(best_pools(one.r, one.t, one.p, true) / one.strict, 1, k_tolerance) << what;
    EXPECT_NEAR(best_pools(one.r, one.t, one.p, false) / one.lending, 1, k_tolerance) << what;
    EXPECT_NEAR(cholesky_ratio(one.r, one.t, one.p, order::bottom_level) / one.level, 1, k_tolerance) << what;
  }
}

TEST(schedules, generated_programs_have_the_work_of_the_formulas) {
  for (const int t : {1, 2, 5, 12}) { // Quach and Langou, arXiv 1510.05107, in units of nb^3 / 3
    const workload work = workload::generated("cholesky:t=" + std::to_string(t) + ",unit=1");
    EXPECT_EQ(work.work_ns(), t * t * t);
    EXPECT_EQ(work.critical_path_ns(), t == 1 ? 1 : 9 * t - 10);
  }
  const workload fib = workload::generated("fib:n=10,cutoff=4,call=1");
  EXPECT_EQ(fib.work_ns(), 177); // calls of fib(10), down to fib(1) and fib(0)
  EXPECT_EQ(workload::generated("fib:n=10,cutoff=11,call=1").work_ns(), 177);
  EXPECT_EQ(workload::generated("stencil:width=8,steps=5,cell=10").critical_path_ns(), 50);
  EXPECT_EQ(workload::generated("merge-sort:n=8,cutoff=2,compare=1").tasks(), 4u + 2u * 3u);
  const std::vector<std::string> steps{"sort",
                                       "merge"}; // neither name is part of the other, so that each can be marked
  EXPECT_EQ(workload::generated("merge-sort:n=8,cutoff=2").sites(), steps);
  for (const char* bad : {"lu", "cholesky:t=0", "cholesky:tiles=3", "cholesky:t=x", "fib:n=50", "stencil:width"})
    EXPECT_THROW(workload::generated(bad), std::invalid_argument) << bad;
}

} // namespace

// Schedules that are small enough to be worked out by hand.
#include "sim/sim_fixture.hpp"

#include <stdexcept>

namespace {

using namespace treadle;
using namespace treadle::sim;
using namespace treadle::sim::testing;

TEST(simulator, a_chain_takes_its_length_whoever_runs_it) {
  for (const unsigned workers : {1u, 2u, 5u}) {
    builder b;
    int last = -1;
    for (int i = 1; i <= 4; ++i) {
      const int next = b.task("link", 10 * i);
      b.input(next, last);
      last = next;
    }
    const workload chain = workload_of(std::move(b));
    EXPECT_EQ(chain.critical_path_ns(), 100);
    EXPECT_EQ(chain.work_ns(), 100);
    EXPECT_EQ(run(chain, on_workers(workers)).makespan_ns, 100);
  }
}

TEST(simulator, independent_tasks_fill_the_workers) {
  builder b;
  for (int i = 0; i < 7; ++i) b.task("one", 10);
  const workload seven = workload_of(std::move(b));
  EXPECT_EQ(run(seven, on_workers(1)).makespan_ns, 70);
  EXPECT_EQ(run(seven, on_workers(2)).makespan_ns, 40);
  const prediction three = run(seven, on_workers(3));
  EXPECT_EQ(three.makespan_ns, 30);
  double busy = 0, idle = 0;
  std::uint64_t tasks = 0;
  for (const auto& one : three.workers) busy += one.busy_ns, idle += one.idle_ns, tasks += one.tasks;
  EXPECT_EQ(busy, 70);
  EXPECT_EQ(idle, 20);
  EXPECT_EQ(tasks, 7u);
}

/// a, then b and c, then d.
workload diamond() {
  builder b;
  const int first = b.task("a", 5), left = b.task("b", 10), right = b.task("c", 20), last = b.task("d", 5);
  b.input(left, first);
  b.input(right, first);
  b.input(last, left);
  b.input(last, right);
  return workload_of(std::move(b));
}

TEST(simulator, a_diamond_and_what_its_tasks_wait) {
  EXPECT_EQ(diamond().critical_path_ns(), 30);
  EXPECT_EQ(run(diamond(), on_workers(1)).makespan_ns, 40);
  const prediction two = run(diamond(), on_workers(2));
  EXPECT_EQ(two.makespan_ns, 30);
  EXPECT_EQ(two.others.staged_ns, 0 + 5 + 5 + 30 - 5 + 5 - 5.0); // b and c from the beginning to 5, d to 25
  EXPECT_EQ(two.others.pending_ns, 0);
}

TEST(simulator, a_wait_runs_in_place_what_nobody_has_taken) {
  builder b;
  const int parent = b.task("parent", 20);
  const int child = b.task("child", 30, parent, 5);
  b.wait(parent, child, 10);
  const workload work = workload_of(std::move(b));
  EXPECT_EQ(work.critical_path_ns(), 45); // 5, the child, the other 10
  const prediction alone = run(work, on_workers(1));
  EXPECT_EQ(alone.makespan_ns, 50);
  EXPECT_EQ(alone.in_place, 1u);
  EXPECT_EQ(alone.suspensions, 0u);
  const prediction two = run(work, on_workers(2));
  EXPECT_EQ(two.makespan_ns, 45);
  EXPECT_EQ(two.suspensions, 1u);
  // HPX's policies have a stack for each task.
  const prediction suspends = run(work, on_workers(1, order::natural, scheduling::local_priority_fifo));
  EXPECT_EQ(suspends.makespan_ns, 50);
  EXPECT_EQ(suspends.in_place, 0u);
  EXPECT_EQ(suspends.suspensions, 1u);
}

TEST(simulator, what_was_called_is_part_of_its_caller_unless_it_is_spawned) {
  builder b;
  const int parent = b.task("parent", 20);
  const int called = b.add(node_sort::call, "called", 30, parent, 5);
  b.wait(parent, called, 20);
  const workload work = workload_of(std::move(b));
  EXPECT_EQ(run(work, on_workers(2)).makespan_ns, 50);
  schedule spawns = on_workers(2);
  spawns.spawn_calls = true;
  EXPECT_EQ(run(work, spawns).makespan_ns, 35);
}

/// A parent of 100 ns that makes this many tasks of a site, and waits for all of them at its end.
workload family(int children, std::int64_t ns) {
  builder b;
  const int parent = b.task("parent", 100);
  std::vector<int> made;
  for (int i = 0; i < children; ++i) made.push_back(b.task("child", ns, parent, 100));
  for (const int child : made) b.wait(parent, child, 100);
  return workload_of(std::move(b));
}

TEST(simulator, inlined_tasks_run_where_they_are_made_and_cost_nothing) {
  const workload work = family(10, 20);
  schedule how = on_workers(2);
  const cost_table costs{.create_ns = 7};
  how.inlining = "always";
  const prediction inlined = run(work, how, costs);
  EXPECT_EQ(inlined.makespan_ns, 300);
  EXPECT_EQ(inlined.inlined, 10u);
  how.inlining = "never";
  const prediction spawned = run(work, how, costs);
  EXPECT_LT(spawned.makespan_ns, 300);
  EXPECT_EQ(spawned.inlined, 0u);
  how.inlining = "";
  EXPECT_EQ(run(work, how, costs).makespan_ns, spawned.makespan_ns) << "as recorded";
}

TEST(simulator, the_baseline_policy_inlines_a_site_that_is_below_its_threshold) {
  builder b; // each is waited for before the next is made, so that its time until it is ready is its own
  const int parent = b.task("parent", 0);
  for (int i = 0; i < 30; ++i)
    for (const auto& [site, ns] : {std::pair("brief", 2'000), std::pair("lengthy", 9'000)})
      b.wait(parent, b.task(site, ns, parent), 0);
  const workload work = workload_of(std::move(b));
  schedule how = on_workers(2);
  how.inlining = "paper-baseline:3:5";
  EXPECT_EQ(run(work, how).inlined, 25u) << "all of the brief ones after the first five";
  how.inlining = "paper-baseline:1:1.5";
  EXPECT_EQ(run(work, how).inlined, 0u);
  how.inlining = "paper-baseline"; // 350:500
  EXPECT_EQ(run(work, how).inlined, 50u);
  how.inlining = "by-cost";
  EXPECT_EQ(run(work, how, {.create_ns = 200, .pop_ns = 50}).inlined, 25u) << "2 us are 8 times its cost, 9 us are 36";
}

TEST(simulator, what_is_inlined_with_inputs_missing_follows_the_last_of_them) {
  builder b;
  const int parent = b.task("parent", 10);
  const int input = b.task("input", 50, parent, 0), inner = b.task("inner", 5, parent, 0);
  b.input(inner, input);
  b.wait(parent, inner, 10);
  const workload work = workload_of(std::move(b));
  schedule how = on_workers(2);
  const cost_table costs{.pop_ns = 1000};
  how.inlining = "paper-baseline"; // not decided yet: both are tasks
  EXPECT_GT(run(work, how, costs).makespan_ns, 2000);
  how.inlining = "always";
  EXPECT_LT(run(work, how, costs).makespan_ns, 2000);
}

TEST(simulator, what_follows_the_same_input_runs_one_after_the_other) {
  builder b;
  const int input = b.task("input", 200), parent = b.task("parent", 0);
  const int first = b.task("follows", 10, parent, 0), second = b.task("follows", 20, parent, 0);
  b.input(first, input);
  b.input(second, input);
  b.wait(second, first, 20);
  b.wait(parent, second, 0);
  const workload work = workload_of(std::move(b));
  schedule how = on_workers(2);
  how.inlining = "always";
  EXPECT_EQ(run(work, how).makespan_ns, 230);
}

TEST(simulator, inlining_by_cost_goes_by_simulated_time) {
  builder b;
  const int parent = b.task("parent", 0);
  for (int i = 0; i < 100; ++i) b.wait(parent, b.task("child", 6'000, parent), 0);
  const workload work = workload_of(std::move(b));
  schedule how = on_workers(2);
  how.inlining = "by-cost";
  const cost_table costs{.create_ns = 400, .pop_ns = 50}; // 5 % of 8.5 us and more
  machine on = flat_machine(2);
  EXPECT_EQ(predict(work, on, how, costs).inlined, 95u);
  on.core_speed = 0.5;
  EXPECT_EQ(predict(work, on, how, costs).inlined, 0u);
}

TEST(simulator, what_an_evaluation_waited_for_before_is_no_part_of_it) {
  builder b; // a chain, each link waited for before the next is made, and one more behind a join
  const int parent = b.task("parent", 0);
  int last = -1;
  for (int i = 0; i < 20; ++i) {
    const int link = b.task("link", 100'000, parent, 0);
    b.input(link, last);
    b.wait(parent, link, 0);
    const int join = b.add(node_sort::join, "when_all", 0);
    b.input(join, link);
    b.wait(parent, join, 0);
    last = join;
  }
  const workload work = workload_of(std::move(b));
  schedule how = on_workers(2);
  how.inlining = "paper-baseline";
  EXPECT_EQ(run(work, how).inlined, 15u) << "100 us each";
}

TEST(simulator, says_which_inlining_there_is) {
  schedule how = on_workers(1);
  how.inlining = "sometimes";
  EXPECT_THROW(run(family(1, 1), how), std::invalid_argument);
  for (const char* wrong : {"paper-baseline:", "paper-baseline:5", "paper-baseline:5:3", "paper-baseline:-1:3",
                            "paper-baseline:1:x", "paper-baseline:1:2 "}) {
    how.inlining = wrong;
    EXPECT_THROW(run(family(1, 1), how), std::invalid_argument) << wrong;
  }
}

TEST(simulator, a_join_is_waited_for) {
  builder b;
  const int parent = b.task("parent", 0), join = b.add(node_sort::join, "group", 0);
  for (int i = 0; i < 4; ++i) b.input(join, b.task("member", 10, parent));
  b.wait(parent, join, 0);
  const int after = b.task("after", 1, parent);
  b.wait(parent, after, 0);
  const workload work = workload_of(std::move(b));
  EXPECT_EQ(run(work, on_workers(1)).makespan_ns, 41);
  EXPECT_EQ(run(work, on_workers(2)).makespan_ns, 21);
  EXPECT_EQ(run(work, on_workers(4)).makespan_ns, 11);
}

TEST(simulator, a_thread_outside_has_a_processor_of_its_own) {
  builder b;
  const int outside = b.add(node_sort::thread, "main", 30);
  const int child = b.task("child", 50, outside, 10);
  b.wait(outside, child, 20);
  const workload work = workload_of(std::move(b));
  const prediction one = run(work, on_workers(1));
  EXPECT_EQ(one.makespan_ns, 10 + 50 + 10);
  EXPECT_EQ(one.lower_bound_ns, 70);
  EXPECT_EQ(one.workers[0].busy_ns, 50);
}

TEST(simulator, costs_are_paid_by_who_causes_them) {
  builder b;
  const int parent = b.task("parent", 100);
  const int child = b.task("child", 50, parent, 100);
  b.wait(parent, child, 100);
  const workload work = workload_of(std::move(b));
  cost_table costs;
  costs.pop_ns = 3;
  costs.create_ns = 20;
  costs.in_place_ns = 7;
  const prediction alone = run(work, on_workers(1), costs);
  EXPECT_EQ(alone.makespan_ns, 150 + 3 + 20 + 7);
  EXPECT_EQ(alone.workers[0].overhead_ns, 30);
  cost_table stealing;
  stealing.steal_local_ns = 11;
  stealing.switch_ns = 2;
  stealing.wake_ns = 1000;
  stealing.search_ns = 1e9; // nobody sleeps
  const prediction two = run(work, on_workers(2), stealing);
  EXPECT_EQ(two.makespan_ns, 150); // before the other one has looked, it is run in place; then nothing is left
}

TEST(simulator, more_stacks_than_are_kept_are_made) {
  builder b; // breadth first all three parents wait before any child has run
  for (int i = 0; i < 3; ++i) {
    const int parent = b.task("parent", 10);
    b.wait(parent, b.task("child", 10, parent, 5), 5);
  }
  const workload work = workload_of(std::move(b));
  cost_table costs;
  costs.stack_ns = 100;
  costs.stacks_kept = 2;
  EXPECT_EQ(run(work, on_workers(1, order::natural, scheduling::shared_priority), costs).makespan_ns, 60 + 100);
  EXPECT_EQ(run(work, on_workers(1), costs).makespan_ns, 60);
}

/// Four long tasks of one site and four of another.
workload two_kinds() {
  builder b;
  for (int i = 0; i < 4; ++i) b.task("normal", 10);
  for (int i = 0; i < 4; ++i) b.task("urgent", 10);
  return workload_of(std::move(b));
}

TEST(simulator, exclusive_pools_waste_what_others_could_use) {
  schedule how;
  how.critical = {"urgent"};
  how.pools = {{.name = "critical", .workers = 3, .exclusive = true},
               {.name = "default", .workers = 1, .exclusive = true}};
  const prediction strict = run(two_kinds(), how);
  EXPECT_EQ(strict.makespan_ns, 40); // one worker has the four normal ones
  EXPECT_EQ(strict.critical.tasks, 4u);
  EXPECT_EQ(strict.critical.pending_ns, 10); // three at once, the fourth after them
  EXPECT_EQ(strict.others.pending_ns, 10 + 20 + 30);
  EXPECT_EQ(strict.pool_waits[0].tasks, 4u);
  for (pool& one : how.pools) one.exclusive = false;
  const prediction lent = run(two_kinds(), how);
  EXPECT_EQ(lent.makespan_ns, 20);
  std::uint64_t borrowed = 0;
  for (const auto& one : lent.workers) borrowed += one.borrowed;
  EXPECT_EQ(borrowed, 2u); // the second round of normal ones, one of which is its own pool's
}

TEST(simulator, marked_tasks_go_first) {
  schedule how = on_workers(1, order::marked, scheduling::shared_priority);
  how.critical = {"urgent"};
  const prediction marked = run(two_kinds(), how);
  EXPECT_EQ(marked.critical.pending_ns, 0 + 10 + 20 + 30);
  EXPECT_EQ(marked.others.pending_ns, 40 + 50 + 60 + 70);
  how.which = order::fifo;
  EXPECT_EQ(run(two_kinds(), how).critical.pending_ns, 40 + 50 + 60 + 70);
}

TEST(simulator, the_longest_chain_goes_first_by_bottom_level) {
  builder b;
  for (int i = 0; i < 4; ++i) b.task("short", 10);
  int last = -1;
  for (int i = 0; i < 4; ++i) {
    const int next = b.task("chain", 10);
    b.input(next, last);
    last = next;
  }
  const workload work = workload_of(std::move(b));
  EXPECT_EQ(run(work, on_workers(2, order::fifo, scheduling::shared_priority)).makespan_ns, 60);
  EXPECT_EQ(run(work, on_workers(2, order::bottom_level, scheduling::shared_priority)).makespan_ns, 40);
  EXPECT_EQ(run(work, on_workers(2, order::learned, scheduling::shared_priority)).makespan_ns, 40);
}

TEST(simulator, static_pools_do_not_steal) {
  builder b; // by turns: the first worker gets the long ones
  for (int i = 0; i < 6; ++i) b.task("one", i % 2 == 0 ? 30 : 10);
  const workload work = workload_of(std::move(b));
  EXPECT_EQ(run(work, on_workers(2, order::natural, scheduling::static_placement)).makespan_ns, 90);
  EXPECT_EQ(run(work, on_workers(2, order::natural, scheduling::local_priority_fifo)).makespan_ns, 60);
}

TEST(simulator, hardware_threads_share_their_core) {
  builder b;
  b.task("one", 100);
  b.task("other", 300);
  const workload work = workload_of(std::move(b));
  machine smt;
  smt.shape = topology::from_description("core:1 pu:2");
  smt.smt_gain = 0.25;
  // Both at 0.625 until the first ends at 160; the other has 200 left, alone.
  EXPECT_EQ(predict(work, smt, on_workers(2), {}).makespan_ns, 360);
  smt.core_speed = 2;
  EXPECT_EQ(predict(work, smt, on_workers(2), {}).makespan_ns, 180);
  EXPECT_EQ(predict(work, smt, on_workers(2), {}).lower_bound_ns, 160);
}

TEST(simulator, memory_is_shared_by_those_who_use_it) {
  builder b;
  for (int i = 0; i < 2; ++i) b[b.task("moves", 100)].bytes = 1000;
  b.task("computes", 100);
  const workload work = workload_of(std::move(b));
  machine narrow = flat_machine(3);
  narrow.bandwidth_gbs = 10; // 5 bytes per ns each where 10 are wanted
  EXPECT_EQ(predict(work, narrow, on_workers(3), {}).makespan_ns, 200);
  narrow.bandwidth_gbs = 20;
  EXPECT_EQ(predict(work, narrow, on_workers(3), {}).makespan_ns, 100);
}

TEST(simulator, what_is_in_the_cache_needs_no_memory) {
  builder b;
  const int first = b.task("first", 100); // makes two runnable: one for itself, one that the other worker steals
  for (int i = 0; i < 2; ++i) {
    const int next = b.task("next", 100);
    b[next].bytes = 1000;
    b.input(next, first);
  }
  const workload work = workload_of(std::move(b));
  machine narrow = flat_machine(2);
  narrow.bandwidth_gbs = 5; // half of what one of them wants
  EXPECT_EQ(predict(work, narrow, on_workers(1), {}).makespan_ns, 100 + 2 * 200);
  EXPECT_EQ(predict(work, narrow, on_workers(2), {}).makespan_ns, 100 + 400);
  narrow.cache_bytes = 1000;
  EXPECT_EQ(predict(work, narrow, on_workers(1), {}).makespan_ns, 100 + 2 * 100);
  const prediction two = predict(work, narrow, on_workers(2), {});
  EXPECT_EQ(two.makespan_ns, 100 + 200);
  EXPECT_EQ(two.workers[0].busy_ns + two.workers[1].busy_ns, 100 + 100 + 200);
  narrow.cache_bytes = 999;
  EXPECT_EQ(predict(work, narrow, on_workers(2), {}).makespan_ns, 100 + 400);
}

TEST(simulator, far_steals_cost_their_distance) {
  builder b;
  const int parent = b.task("parent", 1000);
  b.task("child", 1000, parent, 0);
  const workload work = workload_of(std::move(b));
  machine two;
  two.shape = topology::from_description("numa:2 core:1 pu:1").with_distances("10,30;30,10");
  cost_table costs;
  costs.steal_local_ns = 5;
  costs.steal_remote_ns = 100;
  EXPECT_EQ(predict(work, two, on_workers(2), costs).makespan_ns, 1300);
  EXPECT_EQ(run(work, on_workers(2), costs).makespan_ns, 1005);
}

TEST(simulator, looks_at_queues_are_counted) {
  builder b;
  for (int i = 0; i < 3; ++i) b.task("one", 100);
  const workload three = workload_of(std::move(b));
  cost_table costs;
  costs.failed_steal_ns = 10;
  costs.search_ns = 45;
  // All lie in the common queue, so each is found by a second look; the one at the own queue finds nothing. The look
  // before the first task, at the beginning, finds nothing either.
  const prediction alone = run(three, on_workers(1), costs);
  EXPECT_EQ(alone.workers[0].looks, 1u + 3 * 2);
  EXPECT_EQ(alone.workers[0].missed_looks, 1u + 3);
  // The second worker has nothing to do while the first has the third task: it looks each 10 ns until it sleeps.
  const prediction both = run(three, on_workers(2), costs);
  std::uint64_t looks = 0, missed = 0;
  for (const auto& one : both.workers) looks += one.looks, missed += one.missed_looks;
  EXPECT_EQ(looks, 2u + 3 * 2 + (1 + 4));
  EXPECT_EQ(looks - missed, 3u); // every task is found once
}

TEST(simulator, what_is_found_in_the_own_queue_takes_one_look) {
  builder b;
  const int parent = b.task("parent", 10);
  for (int i = 0; i < 4; ++i) b.task("child", 10, parent, 5);
  const prediction alone = run(workload_of(std::move(b)), on_workers(1));
  EXPECT_EQ(alone.workers[0].looks, 1u + 2 + 4); // idle, the parent from the common queue, its children
  EXPECT_EQ(alone.workers[0].missed_looks, 1u + 1);
}

std::string refused(const machine& on, const schedule& how) {
  try {
    predict(two_kinds(), on, how, {});
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

TEST(simulator, bad_input_is_named) {
  schedule how = on_workers(2);
  how.critical = {"potrf"};
  EXPECT_EQ(refused(flat_machine(2), how), "no site of the program has 'potrf' in its name; there are normal, urgent");
  EXPECT_EQ(refused(flat_machine(2), on_workers(2, order::marked)), "the order 'marked' needs critical sites");
  EXPECT_EQ(refused(flat_machine(2), on_workers(0)), "pool 'default' needs a number of workers here");
  EXPECT_EQ(refused({}, on_workers(1)), "the machine has no hardware threads");
  EXPECT_THROW(order_from_name("best"), std::invalid_argument);
  EXPECT_THROW(costs_from_name("tbb"), std::invalid_argument);
  builder circle;
  const int a = circle.task("a", 1), b = circle.task("b", 1);
  circle.input(a, b);
  circle.input(b, a);
  EXPECT_THROW(workload_of(std::move(circle)), std::invalid_argument);
}

} // namespace

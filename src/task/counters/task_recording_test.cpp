// What a trace says of who depends on whom.

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/observe/trace.hpp>
#include <treadle/task_group.hpp>
#include <treadle/treadle.hpp>

#include "base/clock.hpp"
#include "observe/emit.hpp"
#include "observe/trace/recorded_graph.hpp"
#include "task/engine/runtime_fixture.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace {

using treadle::detail::recorded_graph;
using sort = recorded_graph::sort;

class task_recording_test : public treadle::testing::on_workers {
 protected:
  /// The graph of what a function does, which is run on this thread.
  template <class F>
  recorded_graph record(F function) {
    treadle::trace trace(treadle::trace::default_records, true);
    function();
    rt->wait_idle();
    EXPECT_EQ(trace.dropped(), 0u);
    return treadle::detail::parse_graph(trace.text("tasks"), "trace");
  }
};
TREADLE_ON_WORKERS(task_recording_test);

/// Of the first node whose site contains the name.
int node_of(const recorded_graph& graph, const std::string& name) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    if (graph.sites[static_cast<std::size_t>(graph.nodes[i].site)].find(name) != std::string::npos)
      return static_cast<int>(i);
  return -1;
}
const recorded_graph::node& at(const recorded_graph& graph, int node) {
  return graph.nodes.at(static_cast<std::size_t>(node));
}
std::vector<int> inputs_of(const recorded_graph& graph, int node) {
  std::vector<int> found;
  for (const auto& edge : graph.inputs)
    if (edge.node == node) found.push_back(edge.input);
  return found;
}
bool waits(const recorded_graph& graph, int who, int whom) {
  return std::any_of(graph.waits.begin(), graph.waits.end(),
                     [&](const auto& one) { return one.node == who && one.waited == whom; });
}

struct child_task {
  int operator()() const {
    treadle::this_task::yield();
    return 1;
  }
};
struct parent_task {
  int operator()() const {
    auto a = treadle::async(child_task{});
    auto b = treadle::async(treadle::launch::sync, child_task{});
    return a.get() + b.get();
  }
};

TEST_P(task_recording_test, who_made_whom_and_who_waited) {
  for (int round = 0; round < 20; ++round) { // also where the child has ended before it is waited for
    const recorded_graph graph = record([] { treadle::async(parent_task{}).get(); });
    const int parent = node_of(graph, "parent_task"), outside = node_of(graph, "outside");
    ASSERT_NE(parent, -1);
    ASSERT_NE(outside, -1);
    EXPECT_EQ(at(graph, outside).how, sort::thread);
    EXPECT_EQ(at(graph, parent).parent, outside);
    EXPECT_TRUE(waits(graph, outside, parent));
    std::vector<int> children;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].parent == parent) children.push_back(static_cast<int>(i));
    ASSERT_EQ(children.size(), 2u);
    EXPECT_EQ(at(graph, children[0]).how, sort::task);
    EXPECT_EQ(at(graph, children[1]).how, sort::call);
    EXPECT_LE(at(graph, children[0]).at_ns, at(graph, children[1]).at_ns);
    for (const int child : children) {
      EXPECT_TRUE(waits(graph, parent, child));
      EXPECT_LE(at(graph, child).created_ns, at(graph, child).ready_ns);
      EXPECT_LE(at(graph, child).ready_ns, at(graph, child).start_ns);
      EXPECT_GE(at(graph, child).worker, 0);
    }
    EXPECT_EQ(graph.unknown, 0u);
  }
}

TEST_P(task_recording_test, inputs_of_nodes_ready_or_not) {
  struct first_input {
    int operator()() const { return 1; }
  };
  struct second_input {
    int operator()() const { return 2; }
  };
  struct sum_node {
    int operator()(treadle::future<int> a, treadle::future<int> b) const { return a.get() + b.get(); }
  };
  struct after_node {
    int operator()(treadle::future<int> sum) const { return sum.get(); }
  };
  for (const treadle::launch policy : {treadle::launch::async, treadle::launch::sync}) {
    const recorded_graph graph = record([policy] {
      treadle::async([policy] {
        auto a = treadle::async(first_input{});
        auto b = treadle::async(second_input{});
        a.wait();
        EXPECT_EQ(treadle::dataflow(policy, sum_node{}, std::move(a), std::move(b)).then(policy, after_node{}).get(),
                  3);
      }).get();
    });
    const int a = node_of(graph, "first_input"), b = node_of(graph, "second_input");
    const int sum = node_of(graph, "sum_node"), after = node_of(graph, "after_node");
    ASSERT_NE(after, -1);
    EXPECT_EQ(inputs_of(graph, sum), (std::vector<int>{a, b}));
    EXPECT_EQ(inputs_of(graph, after), std::vector<int>{sum});
    EXPECT_GE(at(graph, sum).ready_ns, at(graph, b).end_ns);
  }
}

TEST_P(task_recording_test, groups_and_when_all_are_joins) {
  struct member_task {
    void operator()() const { treadle::this_task::yield(); }
  };
  const recorded_graph graph = record([] {
    treadle::async([] {
      for (int round = 0; round < 2; ++round) {
        treadle::task_group group;
        for (int i = 0; i < 3; ++i) group.run(member_task{});
        group.wait();
      }
      std::vector<treadle::future<void>> all;
      for (int i = 0; i < 4; ++i) all.push_back(treadle::async(member_task{}));
      treadle::when_all(std::move(all)).get();
    }).get();
  });
  std::vector<std::size_t> joined;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].how != sort::join) continue;
    joined.push_back(inputs_of(graph, static_cast<int>(i)).size());
    EXPECT_TRUE(std::any_of(graph.waits.begin(), graph.waits.end(),
                            [&](const auto& one) { return one.waited == static_cast<int>(i); }));
  }
  std::sort(joined.begin(), joined.end());
  EXPECT_EQ(joined, (std::vector<std::size_t>{3, 3, 4}));
}

TEST_P(task_recording_test, a_future_of_a_future_depends_on_both) {
  struct inner_work {
    int operator()() const {
      treadle::this_task::yield();
      return 5;
    }
  };
  struct makes_future {
    treadle::future<int> operator()(treadle::future<void>) const { return treadle::async(inner_work{}); }
  };
  struct uses_both {
    int operator()(treadle::future<int> f) const { return f.get(); }
  };
  const recorded_graph graph = record(
      [] { treadle::async([] { return treadle::async([] {}).then(makes_future{}).then(uses_both{}).get(); }).get(); });
  const int uses = node_of(graph, "uses_both"), makes = node_of(graph, "makes_future"),
            inner = node_of(graph, "inner_work");
  const std::vector<int> of_use = inputs_of(graph, uses);
  ASSERT_EQ(of_use.size(), 1u);
  EXPECT_EQ(at(graph, of_use[0]).how, sort::join);
  EXPECT_EQ(inputs_of(graph, of_use[0]), (std::vector<int>{makes, inner}));
}

struct forking_task {
  int n;
  int operator()() const {
    if (n < 2) return n;
    int a = 0, b = 0;
    treadle::parallel_invoke([&] { a = forking_task{n - 1}(); }, [&] { b = forking_task{n - 2}(); });
    return a + b;
  }
};

TEST_P(task_recording_test, every_fork_is_there_whether_somebody_took_it_or_not) {
  EXPECT_EQ(treadle::async(forking_task{10}).get(), 55);
  const recorded_graph graph = record([] { EXPECT_EQ(treadle::async(forking_task{10}).get(), 55); });
  EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& n) { return n.how == sort::fork; }),
            88);
  const auto forks = [&](int parent) {
    return std::count_if(graph.nodes.begin(), graph.nodes.end(),
                         [&](const auto& n) { return n.how == sort::fork && n.parent == parent; });
  };
  EXPECT_EQ(forks(node_of(graph, "forking_task")), 9); // down the first branches
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    EXPECT_TRUE(graph.nodes[i].how != sort::fork || waits(graph, graph.nodes[i].parent, static_cast<int>(i)));
  EXPECT_EQ(graph.unknown, 0u);
  EXPECT_EQ(treadle::async(forking_task{10}).get(), 55);
  rt->wait_idle();
}

TEST_P(task_recording_test, a_loop_is_there_in_parts) {
  std::atomic<long> sum{0};
  const auto body = [&](int i) {
    const std::int64_t until = treadle::detail::steady_now_ns() + 1000;
    while (treadle::detail::steady_now_ns() < until) {
    }
    sum += i;
  };
  const recorded_graph graph =
      record([&] { treadle::async([&] { treadle::for_loop(treadle::par, 0, 1000, body); }).get(); });
  EXPECT_EQ(sum, 999 * 500);
  // Chunks of two microseconds, of which half are what a part keeps.
  EXPECT_GT(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const auto& n) { return n.how == sort::fork; }),
            30);
  EXPECT_LE(graph.unknown, 2u); // a part that a nudge gave away, and that its owner took back, was no task before
}

TEST_P(task_recording_test, recordings_begin_and_end_in_the_middle_of_forks) {
  std::atomic<bool> ends{false};
  auto forks = treadle::async([&] {
    while (!ends) EXPECT_EQ(forking_task{12}(), 144);
  });
  for (int i = 0; i < 20; ++i) {
    treadle::trace trace(1 << 10, true);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  {
    treadle::trace trace(1 << 10, true);
    treadle::runtime other({.workers = 2}); // begins during one, and ends after it
    EXPECT_EQ(treadle::async(forking_task{10}).get(), 55);
    trace.stop();
    EXPECT_EQ(treadle::async(forking_task{10}).get(), 55);
  }
  ends = true;
  forks.get();
}

struct reading_task {
  void operator()() const {
    treadle::this_task::note_memory(this, 100);
    treadle::async(treadle::launch::sync, child_task{}).get();
    treadle::this_task::note_memory(this, 20);
  }
};

TEST_P(task_recording_test, a_task_has_the_memory_that_it_tells) {
  const recorded_graph graph = record([] {
    const int data = 0;
    treadle::this_task::note_memory(&data, sizeof data); // of no task
    auto one = treadle::async(reading_task{});
    auto other = treadle::async(child_task{});
    one.get();
    other.get();
  });
  EXPECT_EQ(at(graph, node_of(graph, "reading_task")).bytes, 120);
  std::int64_t sum = 0;
  for (const auto& node : graph.nodes) sum += node.bytes;
  EXPECT_EQ(sum, 120);
}

TEST_P(task_recording_test, memory_is_where_most_of_its_bytes_are) {
  using treadle::detail::memory_use;
  const auto tell = [](std::uint64_t bytes, int home) { // as on a machine with several domains
    treadle::detail::emit(
        {.kind = treadle::detail::event_kind::memory_used, .task = bytes, .value = memory_use{home, 5}.as_value()});
  };
  const recorded_graph graph = record([&] {
    treadle::async(treadle::annotated([&] { tell(10, 3), tell(20, 1), tell(11, 3); }, "two domains")).get();
    treadle::async(treadle::annotated([&] { tell(10, -1), tell(1, 2); }, "one unknown")).get();
    treadle::async(treadle::annotated([&] { tell(10, -1), tell(~std::uint64_t{0}, -1); }, "nothing known")).get();
  });
  EXPECT_EQ(at(graph, node_of(graph, "two domains")).bytes, 41);
  EXPECT_EQ(at(graph, node_of(graph, "two domains")).home, 3);
  EXPECT_EQ(at(graph, node_of(graph, "one unknown")).bytes, 11);
  EXPECT_EQ(at(graph, node_of(graph, "one unknown")).home, 2);
  EXPECT_EQ(at(graph, node_of(graph, "nothing known")).home, -1);
}

TEST_P(task_recording_test, promises_are_counted_as_unknown) {
  const recorded_graph graph = record([] {
    treadle::promise<void> promise;
    auto f = treadle::async([&promise] { promise.get_future().get(); });
    treadle::async([&promise] { promise.set_value(); }).get();
    f.get();
  });
  EXPECT_EQ(graph.unknown, 1u);
}

} // namespace

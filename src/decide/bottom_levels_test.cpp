#include "decide/bottom_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <thread>

namespace treadle::decide {
namespace {

const char site_names[8] = {};
const void* site(unsigned i) { return &site_names[i % 8]; }

bool is_numbered(task_number task) { return task != bottom_levels::k_short; }

/// The task runs for so long, and makes nothing. Nobody learns of one that is marked as short.
void run_task(bottom_levels& levels, task_number number, float own) {
  if (!is_numbered(number)) return;
  bottom_levels::creator task;
  task.begin(number, nullptr);
  levels.end(task, own);
}

struct graph {
  struct node {
    unsigned site;
    float own;
    std::vector<unsigned> inputs; // that come before it
  };
  std::vector<node> nodes;

  /// The same by definition.
  std::vector<float> levels(float rest) const {
    std::vector<float> after(nodes.size(), rest), found(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
      found[i] = nodes[i].own + after[i];
      for (const unsigned input : nodes[i].inputs) after[input] = std::max(after[input], found[i]);
    }
    return found;
  }

  /// A creator makes all of it, and waits.
  std::vector<task_number> run(bottom_levels& levels, bottom_levels::creator& by) const {
    std::vector<task_number> made;
    for (const node& n : nodes) {
      made.push_back(levels.make(by, site(n.site)));
      for (const unsigned input : n.inputs) levels.add_input(made.back(), made[input]);
    }
    levels.wait(by, 1000);
    for (std::size_t i = 0; i < nodes.size(); ++i) run_task(levels, made[i], nodes[i].own);
    return made;
  }
};

graph random_graph(std::mt19937& random, unsigned n, unsigned inputs_max) {
  graph g;
  for (unsigned i = 0; i < n; ++i) {
    g.nodes.push_back({static_cast<unsigned>(random() % 8), static_cast<float>(1 + random() % 1000), {}});
    const unsigned inputs = i == 0 ? 0 : static_cast<unsigned>(random() % (inputs_max + 1));
    for (unsigned k = 0; k < inputs; ++k) g.nodes.back().inputs.push_back(static_cast<unsigned>(random() % i));
  }
  return g;
}

void expect_levels(const bottom_levels& levels, const std::vector<task_number>& made,
                   const std::vector<float>& wanted) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    EXPECT_NE(made[i], 0u);
    EXPECT_NEAR(levels.level(made[i]), wanted[i], 1e-4F * wanted[i]) << i;
  }
}

TEST(bottom_levels, are_those_of_the_graph_from_its_second_time_on) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 50; ++repeat) {
    const graph g = random_graph(random, 1 + static_cast<unsigned>(random() % 300), bottom_levels::k_inputs);
    bottom_levels levels;
    bottom_levels::creator by;
    by.begin(0, nullptr);
    const std::vector<task_number> first = g.run(levels, by);
    const std::vector<task_number> second = g.run(levels, by);
    EXPECT_EQ(first, second);
    expect_levels(levels, second, g.levels(0));
    for (int i = 0; i < 5; ++i) g.run(levels, by);
    expect_levels(levels, second, g.levels(0));
  }
}

TEST(bottom_levels, are_handed_on_by_a_creator_that_ends) {
  std::mt19937 random(2);
  const graph g = random_graph(random, 200, 3);
  bottom_levels levels;
  std::vector<task_number> made;
  for (int i = 0; i < 3; ++i) {
    bottom_levels::creator by;
    by.begin(0, site(7));
    made = g.run(levels, by);
    levels.end(by, 1500); // 500 ns after it began to wait
  }
  expect_levels(levels, made, g.levels(500));
}

TEST(bottom_levels, of_more_inputs_than_are_remembered_come_a_round_later) {
  graph g;
  for (unsigned i = 0; i < 3 * bottom_levels::k_inputs; ++i) g.nodes.push_back({0, 10, {}});
  g.nodes.push_back({1, 100, {}});
  for (unsigned i = 0; i + 1 < g.nodes.size(); ++i) g.nodes.back().inputs.push_back(i);
  bottom_levels levels;
  bottom_levels::creator by;
  by.begin(0, nullptr);
  std::vector<task_number> made;
  for (int i = 0; i < 4; ++i) made = g.run(levels, by);
  expect_levels(levels, made, g.levels(0));
}

/// sort(n): two tasks for the halves, get() of both, and n steps to merge.
TEST(bottom_levels, of_a_recursion_are_learned_by_depth) {
  bottom_levels levels;
  std::vector<task_number> by_depth;
  const std::function<void(task_number, std::size_t, int)> sort = [&](task_number self, std::size_t depth, int n) {
    bottom_levels::creator here;
    here.begin(self, site(0));
    by_depth.resize(std::max(by_depth.size(), depth + 1));
    by_depth[depth] = self;
    if (n > 1) {
      const task_number left = levels.make(here, site(0)), right = levels.make(here, site(0));
      levels.wait(here, 5);
      sort(left, depth + 1, n / 2);
      sort(right, depth + 1, n / 2);
    }
    levels.end(here, static_cast<float>(5 + n));
  };
  for (int i = 0; i < 12; ++i) {
    bottom_levels::creator main;
    main.begin(0, nullptr);
    const task_number whole = levels.make(main, site(0));
    levels.wait(main, 0);
    sort(whole, 0, 1024);
    levels.end(main, 0);
  }
  float after = 0;
  for (std::size_t depth = 0, n = 1024; n > 1; ++depth, n /= 2) {
    EXPECT_NEAR(levels.after(by_depth[depth]), after, 1e-3F * after) << depth;
    EXPECT_NEAR(levels.own(by_depth[depth]), static_cast<float>(5 + n), 1e-3F * static_cast<float>(n)) << depth;
    after += static_cast<float>(n); // the merge behind both halves
  }
}

TEST(bottom_levels, of_rounds_that_never_end_do_not_grow) {
  bottom_levels levels;
  bottom_levels::creator by;
  by.begin(0, nullptr);
  constexpr unsigned k_ring = 50;
  std::vector<task_number> before(k_ring, 0), now(k_ring);
  float largest = 0;
  for (int round = 0; round < 2000; ++round) {
    for (unsigned i = 0; i < k_ring; ++i) {
      now[i] = levels.make(by, site(0));
      for (const unsigned k : {i + k_ring - 1, i, i + 1}) levels.add_input(now[i], before[k % k_ring]);
    }
    levels.wait(by, 0);
    for (const task_number n : now) {
      bottom_levels::creator task;
      task.begin(n, site(0));
      levels.end(task, 10);
      largest = std::max(largest, levels.level(n));
    }
    before = now;
  }
  EXPECT_LE(largest, 10 * k_ring + 1);
}

TEST(bottom_levels, tell_sites_and_rounds_apart) {
  bottom_levels levels;
  bottom_levels::creator by;
  by.begin(0, nullptr);
  const task_number a = levels.make(by, site(0)), b = levels.make(by, site(1)), a2 = levels.make(by, site(0));
  EXPECT_EQ((std::vector{a, b, a2}).size(), 3u);
  EXPECT_NE(a, b);
  EXPECT_NE(a, a2);
  levels.wait(by, 0);
  EXPECT_EQ(levels.make(by, site(1)), b);
  EXPECT_EQ(levels.make(by, site(0)), a);
  levels.wait(by, 0);
  EXPECT_EQ(levels.make(by, site(0)), a);
  bottom_levels::creator child;
  child.begin(a, site(0));
  EXPECT_NE(levels.make(child, site(0)), a); // another depth
}

/// A creator makes two tasks and waits for them, again and again. Each task takes `own`, and makes another one that
/// takes `below` unless that is 0. repeat() says how many of the creator's tasks had numbers.
struct rounds_of_two {
  bottom_levels& levels;
  bottom_levels::creator by{};

  rounds_of_two(bottom_levels& those) : levels(those) { by.begin(0, site(0)); }
  void run_maker(task_number number, float own, float below) {
    if (below == 0 || !is_numbered(number)) return run_task(levels, number, own);
    bottom_levels::creator task;
    task.begin(number, nullptr);
    const task_number made = levels.make(task, site(2));
    levels.wait(task, own);
    run_task(levels, made, below);
    levels.end(task, own);
  }
  unsigned repeat(unsigned times, float own, float below = 0) {
    unsigned numbered = 0;
    for (unsigned i = 0; i < times; ++i) {
      const task_number first = levels.make(by, site(0)), second = levels.make(by, site(1));
      for (const task_number made : {first, second}) numbered += is_numbered(made);
      levels.add_input(second, first);
      levels.wait(by, 0);
      run_maker(first, 1, below);
      run_maker(second, own, below);
    }
    return numbered;
  }
};

TEST(bottom_levels, of_short_tasks_are_learned_now_and_then) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  EXPECT_EQ(rounds.repeat(bottom_levels::k_short_rounds, 9), 2 * bottom_levels::k_short_rounds);
  const unsigned numbered = rounds.repeat(100 * bottom_levels::k_rounds_per_learned, 9);
  EXPECT_GT(numbered, 2 * 50U); // by chance 2 * 100
  EXPECT_LT(numbered, 2 * 200U);
}

TEST(bottom_levels, are_learned_when_a_creator_makes_something_else) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  rounds.repeat(1000, 1);
  EXPECT_NE(levels.make(rounds.by, site(5)), bottom_levels::k_short);
  EXPECT_NE(levels.make(rounds.by, site(0)), bottom_levels::k_short); // the rest of the round, too
}

/// Tasks that made something when they ran first.
TEST(bottom_levels, are_short_where_tasks_make_nothing_any_more) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  rounds.repeat(1, 1, 50);
  rounds.repeat(100, 1);
  EXPECT_LT(rounds.repeat(100, 1), 50U);
}

/// A creator goes through rounds in stages: how long the path behind each is does not matter.
TEST(bottom_levels, of_stages_with_joins_of_many_are_short) {
  bottom_levels levels(10);
  unsigned numbered = 0;
  for (int i = 0; i < 400; ++i) {
    bottom_levels::creator main, stage;
    main.begin(0, nullptr);
    task_number before = 0;
    for (int k = 0; k < 10; ++k) {
      const task_number self = levels.make(main, site(3));
      levels.add_input(self, before);
      before = self;
      stage.begin(self, nullptr);
      std::vector<task_number> made;
      for (int t = 0; t < 20; ++t) made.push_back(levels.make(stage, site(4)));
      const task_number join = levels.make_join(stage, site(5));
      for (const task_number one : made) levels.add_input(join, one);
      levels.wait(stage, 1);
      for (const task_number one : made) {
        numbered += i >= 200 && is_numbered(one);
        run_task(levels, one, 1);
      }
      levels.end(stage, 100);
    }
    levels.wait(main, 1);
    levels.end(main, 2);
  }
  EXPECT_LT(numbered, 200U * 10 * 20 / 10);
}

TEST(bottom_levels, are_learned_when_a_creator_makes_more_than_before) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  rounds.repeat(1000, 1);
  for (unsigned marked = 0, i = 0; i < 100; ++i) { // it never waits again
    marked += levels.make(rounds.by, site(0)) == bottom_levels::k_short ? 1U : 0U;
    EXPECT_LE(marked, 2U);
  }
}

/// Two sorts of rounds take turns, and creators have few rounds each.
TEST(bottom_levels, of_short_rounds_that_take_turns_are_all_seen) {
  bottom_levels levels(10);
  std::vector<bottom_levels::creator> creators(3);
  const auto run = [&](unsigned times, float own) {
    unsigned numbered = 0;
    for (unsigned i = 0; i < times; ++i) {
      bottom_levels::creator& by = creators[i % creators.size()];
      by.begin(0, site(7));
      for (const unsigned at : {0U, 1U}) {
        const task_number made = levels.make(by, site(at));
        levels.wait(by, 0);
        numbered += is_numbered(made);
        run_task(levels, made, at == 1 ? own : 1);
      }
      levels.end(by, 5);
    }
    return numbered;
  };
  run(1000, 1);
  EXPECT_LT(run(1000, 1), 200U);
  run(bottom_levels::k_rounds_per_learned * 20, 30);
  EXPECT_GT(run(100, 30), 100U); // as soon as one was short, its kind seems to be
}

TEST(bottom_levels, of_rounds_that_are_joined_are_short) {
  bottom_levels levels(10);
  bottom_levels::creator by;
  by.begin(0, site(0));
  unsigned numbered = 0;
  for (int i = 0; i < 1000; ++i) {
    const task_number made = levels.make(by, site(1));
    levels.add_input(levels.make_join(by, site(2)), made);
    levels.wait(by, 0);
    numbered += is_numbered(made);
    run_task(levels, made, 1);
  }
  EXPECT_LT(numbered, 100U);
}

TEST(bottom_levels, are_learned_where_short_tasks_are_a_long_chain) {
  bottom_levels levels(10);
  bottom_levels::creator by;
  by.begin(0, nullptr);
  graph chain, wide;
  for (unsigned i = 0; i < 100; ++i) {
    wide.nodes.push_back({0, 5, {}});
    chain.nodes.push_back({1, 5, i == 0 ? std::vector<unsigned>{} : std::vector{i - 1}});
  }
  for (int i = 0; i < 50; ++i) EXPECT_NE(chain.run(levels, by)[1], bottom_levels::k_short);
  by.begin(0, site(1));
  unsigned numbered = 0;
  for (int i = 0; i < 500; ++i) numbered += is_numbered(wide.run(levels, by)[0]);
  EXPECT_LT(numbered, 50U);
}

TEST(bottom_levels, are_learned_again_when_tasks_are_no_longer_short) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  rounds.repeat(1000, 1);
  rounds.repeat(bottom_levels::k_rounds_per_learned * 20, 30); // it is an average that has to grow
  EXPECT_EQ(rounds.repeat(100, 30), 200u);
  bottom_levels::creator other;
  other.begin(0, site(0)); // the same kind
  EXPECT_NE(levels.make(other, site(0)), bottom_levels::k_short);
  rounds.repeat(100, 1);
  EXPECT_LT(rounds.repeat(100, 1), 20u);
}

TEST(bottom_levels, are_learned_where_one_task_of_a_round_is_long) {
  bottom_levels levels(10);
  EXPECT_EQ(rounds_of_two(levels).repeat(500, 11), 1000u);
}

TEST(bottom_levels, are_learned_where_short_tasks_make_long_ones) {
  bottom_levels levels(10);
  rounds_of_two rounds(levels);
  EXPECT_EQ(rounds.repeat(500, 1, 50), 1000u);
  rounds.repeat(100, 1, 1); // those become short first, and then who makes them
  EXPECT_LT(rounds.repeat(100, 1, 1), 20u);
}

TEST(bottom_levels, are_all_learned_where_no_task_counts_as_short) {
  bottom_levels levels;
  EXPECT_EQ(rounds_of_two(levels).repeat(500, 0), 1000u);
}

TEST(bottom_levels, have_no_numbers_beyond_those_there_are) {
  bottom_levels levels;
  bottom_levels::creator by;
  const char creators[64] = {};
  task_number first = 0, last = 1;
  for (const char& site_of_creator : creators) {
    by.begin(0, &site_of_creator);
    for (std::size_t i = 0; i < bottom_levels::k_round_max && last; ++i) {
      last = levels.make(by, site(0));
      if (first == 0) first = last;
    }
    levels.end(by, 1);
  }
  EXPECT_EQ(last, 0u);
  levels.add_input(last, last);
  EXPECT_EQ(levels.level(last), 0);
  by.begin(0, &creators[0]);
  EXPECT_EQ(levels.make(by, site(0)), first); // those that there were
}

TEST(bottom_levels, of_creators_that_never_wait_are_bounded) {
  bottom_levels levels;
  bottom_levels::creator by;
  by.begin(0, nullptr);
  const task_number first = levels.make(by, site(0));
  for (std::size_t i = 1; i < bottom_levels::k_round_max; ++i) levels.make(by, site(0));
  EXPECT_EQ(levels.make(by, site(0)), first);
}

TEST(bottom_levels, may_be_learned_by_several_threads) {
  bottom_levels levels;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      const graph g = random_graph(random, 100, 3);
      for (int i = 0; i < 50; ++i) {
        bottom_levels::creator by;
        by.begin(0, site(t / 2));
        g.run(levels, by);
        levels.end(by, 2000);
      }
    });
  }
  for (auto& t : threads) t.join();
}

TEST(bottom_levels, of_short_tasks_may_be_learned_by_several_threads) {
  bottom_levels levels(10);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, makes_more = t % 2 == 0] { // the others see the kinds of creators that these make
      for (int i = 0; i < 200; ++i) {
        bottom_levels::creator by;
        by.begin(0, site(0));
        for (int j = 0; j < 10; ++j) {
          bottom_levels::creator task;
          const task_number made = levels.make(by, site(1));
          task.begin(made == bottom_levels::k_short ? 0 : made, site(1));
          if (makes_more) levels.make(task, site(2));
          levels.end(task, 1);
        }
        levels.wait(by, 1);
        levels.make(by, site(1));
        levels.end(by, 2);
      }
    });
  }
  for (auto& t : threads) t.join();
}

} // namespace
} // namespace treadle::decide

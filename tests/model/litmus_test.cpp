// The explorer itself: small programs whose possible outcomes the C++ standard fixes.
#include "model/check/explore.hpp"

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/fence.hpp>

#include <gtest/gtest.h>

#include <set>

namespace treadle::check {
namespace {

using detail::atomic;
using detail::plain;

using outcomes = std::set<std::vector<int>>;

/// All results that `program` can have.
template <class Program>
outcomes all_outcomes(Program&& program) {
  outcomes seen;
  const result r = explore("litmus", [&] { seen.insert(program()); }, {.preemptions = 3, .depth_first = 1'000'000});
  EXPECT_FALSE(r.failure) << r.report;
  EXPECT_TRUE(r.complete);
  return seen;
}

outcomes without(outcomes all, const std::vector<int>& forbidden) {
  all.erase(forbidden);
  return all;
}

const outcomes k_all_pairs = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

// Store buffering: each thread writes one word, then reads the other.
outcomes store_buffering(order write, order read, void (*between)(int thread) = [](int) {}) {
  return all_outcomes([=] {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0;
    in_parallel({[&] { x.store(1, write), between(0), a = y.load(read); },
                 [&] { y.store(1, write), between(1), b = x.load(read); }});
    return std::vector{a, b};
  });
}

TEST(litmus, store_buffering) {
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed), k_all_pairs);
  EXPECT_EQ(store_buffering(order::release, order::acquire), k_all_pairs);
  EXPECT_EQ(store_buffering(order::seq_cst, order::acquire), k_all_pairs);
  EXPECT_EQ(store_buffering(order::release, order::seq_cst), k_all_pairs);
  EXPECT_EQ(store_buffering(order::seq_cst, order::seq_cst), without(k_all_pairs, {0, 0}));
}

TEST(litmus, store_buffering_with_fences) {
  const auto none_both_zero = without(k_all_pairs, {0, 0});
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed, [](int) { fence(order::seq_cst); }), none_both_zero);
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed, [](int) { fence(order::acq_rel); }), k_all_pairs);
  // A fence on one side only does not do, and neither do two light ones; a light and a heavy one do.
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed,
                            [](int thread) {
                              if (thread == 0) fence(order::seq_cst);
                            }),
            k_all_pairs);
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed, [](int) { detail::light_fence(); }), k_all_pairs);
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed,
                            [](int thread) { thread == 0 ? detail::light_fence() : detail::heavy_fence(); }),
            none_both_zero);
  EXPECT_EQ(store_buffering(order::relaxed, order::relaxed,
                            [](int thread) {
                              if (thread == 0) detail::heavy_fence();
                            }),
            k_all_pairs);
}

// Message passing: data, then a flag; the reader sees the flag, then the data.
outcomes message_passing(order write, order read, bool write_fence = false, bool read_fence = false) {
  return all_outcomes([=] {
    atomic<int> data{0}, flag{0};
    int f = 0, d = 0;
    in_parallel({[&] {
                   data.store(1, order::relaxed);
                   if (write_fence) fence(order::release);
                   flag.store(1, write);
                 },
                 [&] {
                   f = flag.load(read);
                   if (read_fence) fence(order::acquire);
                   d = data.load(order::relaxed);
                 }});
    return std::vector{f, d};
  });
}

TEST(litmus, message_passing) {
  const auto passed = without(k_all_pairs, {1, 0});
  EXPECT_EQ(message_passing(order::relaxed, order::relaxed), k_all_pairs);
  EXPECT_EQ(message_passing(order::release, order::relaxed), k_all_pairs);
  EXPECT_EQ(message_passing(order::relaxed, order::acquire), k_all_pairs);
  EXPECT_EQ(message_passing(order::release, order::acquire), passed);
  EXPECT_EQ(message_passing(order::seq_cst, order::seq_cst), passed);
  EXPECT_EQ(message_passing(order::relaxed, order::relaxed, true, true), passed);
  EXPECT_EQ(message_passing(order::relaxed, order::acquire, true, false), passed);
  EXPECT_EQ(message_passing(order::release, order::relaxed, false, true), passed);
  EXPECT_EQ(message_passing(order::relaxed, order::relaxed, true, false), k_all_pairs);
}

// A read-modify-write in between continues the release sequence, whatever its order; a plain store ends it.
outcomes release_sequence(bool modify) {
  return all_outcomes([=] {
    atomic<int> data{0}, flag{0};
    int f = 0, d = 0;
    in_parallel({[&] { data.store(1, order::relaxed), flag.store(1, order::release); },
                 [&] {
                   if (modify)
                     flag.fetch_add(1, order::relaxed);
                   else if (flag.load(order::relaxed) == 1)
                     flag.store(2, order::relaxed);
                 },
                 [&] { f = flag.load(order::acquire), d = data.load(order::relaxed); }});
    return std::vector{f, d};
  });
}

TEST(litmus, release_sequence) {
  EXPECT_FALSE(release_sequence(true).contains({2, 0}));
  EXPECT_TRUE(release_sequence(true).contains({2, 1}));
  EXPECT_TRUE(release_sequence(false).contains({2, 0}));
}

// Independent reads of independent writes: do two readers agree on the order of the writes?
outcomes independent_reads(order write, order read) {
  return all_outcomes([=] {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0, d = 0;
    in_parallel({[&] { x.store(1, write); }, [&] { y.store(1, write); }, [&] { a = x.load(read), b = y.load(read); },
                 [&] { c = y.load(read), d = x.load(read); }});
    return std::vector{a, b, c, d};
  });
}

TEST(litmus, independent_reads_of_independent_writes) {
  const std::vector disagree{1, 0, 1, 0};
  EXPECT_TRUE(independent_reads(order::relaxed, order::relaxed).contains(disagree));
  EXPECT_TRUE(independent_reads(order::release, order::acquire).contains(disagree));
  EXPECT_TRUE(independent_reads(order::seq_cst, order::acquire).contains(disagree));
  // The loads alone decide: what each has read must fit into one order, whatever stored it (C++20, not C++11).
  EXPECT_FALSE(independent_reads(order::relaxed, order::seq_cst).contains(disagree));
  const outcomes strong = independent_reads(order::seq_cst, order::seq_cst);
  EXPECT_FALSE(strong.contains(disagree));
  EXPECT_EQ(strong.size(), 15u);
}

// Coherence: one thread reads the values of one location in the order in which they were written; also through others.
TEST(litmus, coherence) {
  const outcomes read_twice = all_outcomes([] {
    atomic<int> x{0};
    int a = 0, b = 0;
    in_parallel({[&] { x.store(1, order::relaxed), x.store(2, order::relaxed); },
                 [&] { a = x.load(order::relaxed), b = x.load(order::relaxed); }});
    return std::vector{a, b};
  });
  EXPECT_EQ(read_twice, (outcomes{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}));

  const outcomes through_another = all_outcomes([] {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0;
    in_parallel({[&] { x.store(1, order::relaxed); }, [&] { a = x.load(order::relaxed), y.store(1, order::release); },
                 [&] { b = y.load(order::acquire), c = x.load(order::relaxed); }});
    return std::vector{a, b, c};
  });
  EXPECT_FALSE(through_another.contains({1, 1, 0}));
  EXPECT_TRUE(through_another.contains({0, 1, 0}));
}

// Limits, as documented: a load reads only what was stored before (load buffering), and the order of the stores to one
// location is the order of their execution (2+2W). The standard allows one more outcome of each.
TEST(litmus, limits) {
  const outcomes load_buffering = all_outcomes([] {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0;
    in_parallel({[&] { a = x.load(order::relaxed), y.store(1, order::relaxed); },
                 [&] { b = y.load(order::relaxed), x.store(1, order::relaxed); }});
    return std::vector{a, b};
  });
  EXPECT_EQ(load_buffering, without(k_all_pairs, {1, 1}));

  const outcomes two_writes = all_outcomes([] {
    atomic<int> x{0}, y{0};
    in_parallel({[&] { x.store(1, order::relaxed), y.store(2, order::relaxed); },
                 [&] { y.store(1, order::relaxed), x.store(2, order::relaxed); }});
    fence(order::seq_cst);
    return std::vector{x.load(order::relaxed), y.load(order::relaxed)};
  });
  EXPECT_EQ(two_writes, (outcomes{{1, 2}, {2, 1}, {2, 2}}));
}

// C++20: a sequentially consistent load must not read something older than what another such operation has read.
TEST(litmus, one_order_of_sequentially_consistent_operations) {
  const outcomes seen = all_outcomes([] {
    atomic<int> x{0}, y{0};
    int a = 0, b = 0, c = 0;
    in_parallel({[&] { x.store(1, order::relaxed); }, [&] { a = x.load(order::seq_cst), b = y.load(order::seq_cst); },
                 [&] { y.store(1, order::seq_cst), c = x.load(order::seq_cst); }});
    return std::vector{a, b, c};
  });
  EXPECT_FALSE(seen.contains({1, 0, 0}));
  EXPECT_TRUE(seen.contains({1, 1, 0}));
}

// Peterson's lock: two threads, each increments a plain counter inside.
result peterson(order write, order read) {
  return explore("peterson", [=] {
    atomic<int> wants[2]{}, turn{0};
    plain<int> counter = 0;
    const auto enter = [&](int self) {
      wants[self].store(1, write);
      turn.store(1 - self, write);
      for (int spin = 0; spin < 3; ++spin) {
        if (wants[1 - self].load(read) && turn.load(read) != self) continue;
        counter = counter + 1;
        wants[self].store(0, order::release);
        return;
      }
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  });
}

TEST(litmus, peterson) {
  const result strong = peterson(order::seq_cst, order::seq_cst);
  EXPECT_FALSE(strong.failure) << strong.report;
  EXPECT_TRUE(strong.complete);
  EXPECT_TRUE(peterson(order::seq_cst, order::acquire).failure);
  EXPECT_TRUE(peterson(order::release, order::seq_cst).failure);
  EXPECT_TRUE(peterson(order::release, order::acquire).failure);
}

} // namespace
} // namespace treadle::check

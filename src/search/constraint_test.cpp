// Searches of which some points are refused.
#include "search/outward.hpp"
#include "search/strategy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace {

using namespace treadle::tune;
using treadle::search_strategy;

constexpr search_strategy k_all[] = {
    search_strategy::local_ucb,   search_strategy::exhaustive,          search_strategy::random,
    search_strategy::nelder_mead, search_strategy::parallel_rank_order, search_strategy::published_rank_order};

using indices = std::vector<std::uint32_t>;
using predicate = std::function<bool(const indices&)>;
using cost_function = std::function<double(const indices&)>;

indices indices_of(const space& over, arm at) {
  indices result;
  for (std::size_t d = 0; d < over.dimensions().size(); ++d) result.push_back(over.index(at, d));
  return result;
}

unsigned distance(const space& over, arm a, arm b) {
  unsigned sum = 0;
  for (std::size_t d = 0; d < over.dimensions().size(); ++d) {
    const auto x = over.index(a, d), y = over.index(b, d);
    sum += std::max(x, y) - std::min(x, y);
  }
  return sum;
}

arm nearest(const space& over, arm from, const predicate& allowed) {
  outward around(over, from);
  for (;;) {
    const auto at = around.next();
    if (!at) throw std::logic_error("no point is allowed");
    if (allowed(indices_of(over, *at))) return *at;
  }
}

/// The way that a session goes; a window of the best where none of many points was allowed.
void run(strategy& s, const space& over, const cost_function& x, const predicate& allowed, unsigned windows) {
  for (unsigned i = 0; i < windows && !s.converged(); ++i) {
    unsigned asked = 0;
    while (asked < 1000 && !allowed(indices_of(over, s.next()))) {
      s.refuse(s.next());
      ++asked;
    }
    const arm at = asked < 1000 ? s.next() : s.best();
    ASSERT_TRUE(allowed(indices_of(over, at)));
    ASSERT_TRUE(allowed(indices_of(over, s.best())));
    s.report(at, x(indices_of(over, at)));
  }
}

double least_allowed(const space& over, const cost_function& x, const predicate& allowed) {
  double least = HUGE_VAL;
  for (arm at = 0; at < over.size(); ++at)
    if (allowed(indices_of(over, at))) least = std::min(least, x(indices_of(over, at)));
  return least;
}

cost_function valley(std::vector<double> bottom) {
  return [bottom](const indices& at) {
    double x = 0;
    for (std::size_t d = 0; d < bottom.size(); ++d) x += (at[d] - bottom[d]) * (at[d] - bottom[d]) * 0.02;
    return x;
  };
}

TEST(outward, gives_every_point_once_and_near_ones_first) {
  rc::check([] {
    std::vector<dimension> dimensions;
    const auto count = *rc::gen::inRange<std::size_t>(1, 5);
    for (std::size_t d = 0; d < count; ++d) dimensions.push_back({*rc::gen::inRange(1u, 7u)});
    const space over(dimensions);
    const arm from = *rc::gen::inRange<arm>(0, over.size());
    outward around(over, from);
    std::set<arm> seen;
    unsigned before = 0;
    while (const auto at = around.next()) {
      RC_ASSERT(seen.empty() == (*at == from));
      RC_ASSERT(seen.insert(*at).second);
      RC_ASSERT(distance(over, from, *at) >= before);
      before = distance(over, from, *at);
    }
    RC_ASSERT(seen.size() == over.size());
    RC_ASSERT(around.gave_all());
  });
}

TEST(outward, ends_in_spaces_of_any_size) {
  for (const auto& dimensions : {std::vector<dimension>{{1'000'000}, {2}},
                                 {{2}, {1'000'000}, {1}, {2}},
                                 {{1u << 24}, {1u << 24}},
                                 {{64}, {64}, {64}, {64}, {64}, {64}, {64}, {64}}}) {
    const space over(dimensions);
    outward around(over, over.size() / 3);
    std::size_t given = 0;
    while (around.next()) ++given;
    EXPECT_EQ(given, std::min<arm>(over.size(), 1u << 20));
    EXPECT_EQ(around.gave_all(), given == over.size());
  }
}

struct surface {
  const char* name;
  predicate allowed;
  cost_function x;
};

TEST(constraint, every_strategy_finds_the_best_that_is_allowed) {
  const space over({{12}, {12}});
  const surface surfaces[] = {
      {"a + b <= 9", [](const indices& i) { return i[0] + i[1] <= 9; }, valley({9, 6})},
      {"a + b == 11", [](const indices& i) { return i[0] + i[1] == 11; }, valley({9, 2})},
      {"a == b", [](const indices& i) { return i[0] == i[1]; }, valley({8, 8})},
      {"a * b <= 16", [](const indices& i) { return i[0] * i[1] <= 16; }, valley({3, 7})},
      {"a hole", [](const indices& i) { return std::abs(i[0] - 6.0) + std::abs(i[1] - 5.0) > 2; }, valley({6.2, 5})},
  };
  for (const surface& s : surfaces) {
    for (const search_strategy kind : k_all) {
      for (const arm from : {arm{0}, over.size() / 2, over.size() - 1}) {
        const arm start = nearest(over, from, s.allowed);
        const auto search = make_strategy({.how = kind, .seed = 3}, over, start);
        run(*search, over, s.x, s.allowed, 4000);
        const double found = s.x(indices_of(over, search->best())), best = least_allowed(over, s.x, s.allowed);
        const bool is_simplex = kind >= search_strategy::nelder_mead;
        // A simplex that begins in a corner may end before it gets far, as without a constraint.
        const bool is_easy = !is_simplex || from == over.size() / 2;
        EXPECT_LE(found, is_easy ? best + (is_simplex ? 0.25 : 1e-9) : s.x(indices_of(over, start)))
            << treadle::to_string(kind) << ", " << s.name << ", from " << from;
        EXPECT_EQ(search->converged(), search->freezes()) << treadle::to_string(kind) << ", " << s.name;
      }
    }
  }
}

TEST(constraint, an_algorithm_may_allow_other_sizes_than_another) {
  const space over({{10}, {3, false}});
  const auto allowed = [](const indices& i) { return i[1] != 2 || i[0] <= 4; };
  const auto x = [](const indices& i) { return i[1] == 2 ? 0.1 * i[0] : 2 - 0.1 * i[0]; };
  const auto s = make_strategy({.seed = 1}, over, over.point(indices{6, 0}));
  run(*s, over, x, allowed, 1000);
  EXPECT_EQ(indices_of(over, s->best()), (indices{0, 2}));
}

TEST(constraint, the_rest_of_a_sum_is_found_over_many_dimensions) {
  const space over({{9}, {9}, {9}, {9}, {9}, {9}});
  const auto allowed = [](const indices& i) { return i[0] + i[1] + i[2] + i[3] + i[4] + i[5] == 16; };
  const auto x = valley({1, 8, 0, 3, 4, 0});
  const auto s = make_strategy({.seed = 1}, over, nearest(over, 0, allowed));
  run(*s, over, x, allowed, 6000);
  EXPECT_EQ(indices_of(over, s->best()), (indices{1, 8, 0, 3, 4, 0}));
}

/// By a table, as nothing else says what is allowed.
TEST(constraint, random_ones_are_kept_and_the_best_is_found) {
  rc::check([] {
    std::vector<dimension> dimensions;
    const auto count = *rc::gen::inRange<std::size_t>(1, 4);
    for (std::size_t d = 0; d < count; ++d)
      dimensions.push_back({*rc::gen::inRange(1u, 5u), *rc::gen::arbitrary<bool>()});
    const space over(dimensions);
    std::set<arm> good;
    const auto of_ten = *rc::gen::inRange(1, 10);
    for (arm at = 0; at < over.size(); ++at)
      if (*rc::gen::inRange(0, 10) < of_ten) good.insert(at);
    good.insert(*rc::gen::inRange<arm>(0, over.size()));
    const auto allowed = [&](const indices& i) { return good.contains(over.point(i)); };
    std::map<arm, double> costs;
    for (const arm at : good) costs[at] = *rc::gen::inRange(0, 1000) * 0.001;
    const auto x = [&](const indices& i) { return costs.at(over.point(i)); }; // throws for any other
    const arm start = nearest(over, *rc::gen::inRange<arm>(0, over.size()), allowed);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    for (const search_strategy kind : k_all) {
      const auto s = make_strategy({.how = kind, .seed = seed}, over, start);
      run(*s, over, x, allowed, 20'000);
      RC_ASSERT(!testing::Test::HasFatalFailure());
      const double found = costs.at(s->best()), best = least_allowed(over, x, allowed);
      RC_ASSERT(found <= costs.at(start));
      RC_ASSERT(s->converged() == s->freezes());
      if (kind == search_strategy::local_ucb || kind == search_strategy::exhaustive) RC_ASSERT(found == best);
    }
  });
}

TEST(constraint, one_that_changes_is_followed) {
  const space over({{12}, {12}});
  std::uint32_t most = 6;
  const auto allowed = [&](const indices& i) { return i[0] + i[1] <= most; };
  const auto x = valley({7, 7});
  const auto s = make_strategy({.seed = 1}, over, 0);
  run(*s, over, x, allowed, 500);
  EXPECT_EQ(x(indices_of(over, s->best())), x({3, 3}));
  most = 10; // what was refused is asked again
  run(*s, over, x, allowed, 1000);
  EXPECT_EQ(x(indices_of(over, s->best())), x({5, 5}));
  most = 7;
  while (!allowed(indices_of(over, s->best()))) s->refuse(s->best()); // what it knows is searched for another best
  run(*s, over, x, allowed, 500);
  EXPECT_EQ(x(indices_of(over, s->best())), x({3, 4}));
}

TEST(constraint, a_strategy_does_not_hang_where_everything_is_refused) {
  const space over({{5}, {4}});
  for (const search_strategy kind : k_all) {
    const auto s = make_strategy({.how = kind, .seed = 1}, over, 7);
    for (int i = 0; i < 10'000; ++i) {
      ASSERT_LT(s->next(), over.size());
      s->refuse(s->next());
    }
    EXPECT_LT(s->best(), over.size()) << treadle::to_string(kind);
  }
}

} // namespace

#include "search/strategy.hpp"

#include <algorithm>

namespace treadle::tune {
namespace {

search_strategy choose(const space& over) {
  constexpr arm k_small = 64; // what a choice costs grows with the number of points
  const auto dimensions = over.dimensions();
  const bool unordered =
      std::none_of(dimensions.begin(), dimensions.end(), [](const dimension& d) { return d.ordered; });
  return over.size() <= (unordered ? 256 : k_small) ? search_strategy::discounted_ucb : search_strategy::local_ucb;
}

} // namespace

std::unique_ptr<strategy> make_strategy(const search_options& wanted, const space& over, arm start) {
  switch (wanted.how == search_strategy::automatic ? choose(over) : wanted.how) {
  case search_strategy::exhaustive:
    return make_exhaustive(over, start);
  case search_strategy::random:
    return make_random(over, start, wanted.seed);
  case search_strategy::nelder_mead:
    return make_nelder_mead(over, start);
  case search_strategy::parallel_rank_order:
    return make_parallel_rank_order(over, start, wanted.seed);
  case search_strategy::simulated_annealing:
    return make_simulated_annealing(over, start, wanted.seed);
  case search_strategy::hill_climb:
    return make_hill_climb(over, start, wanted.step);
  case search_strategy::two_arm:
    return make_two_arm(over, start, wanted.step);
  case search_strategy::discounted_ucb:
    return make_discounted_ucb(over, start, wanted.memory);
  case search_strategy::automatic:
  case search_strategy::local_ucb:
    break;
  }
  return make_local_ucb(over, start, wanted.seed, wanted.memory);
}

} // namespace treadle::tune

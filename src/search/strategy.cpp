#include "search/strategy.hpp"

namespace treadle::tune {

std::unique_ptr<strategy> make_strategy(const search_options& wanted, const space& over, arm start) {
  switch (wanted.how) {
  case search_strategy::exhaustive:
    return make_exhaustive(over, start);
  case search_strategy::random:
    return make_random(over, start, wanted.seed);
  case search_strategy::nelder_mead:
    return make_nelder_mead(over, start);
  case search_strategy::parallel_rank_order:
    return make_parallel_rank_order(over, start, wanted.seed);
  case search_strategy::published_rank_order:
    return make_published_rank_order(over, start, wanted.seed);
  case search_strategy::local_ucb:
    break;
  }
  return make_local_ucb(over, start, wanted.seed);
}

} // namespace treadle::tune

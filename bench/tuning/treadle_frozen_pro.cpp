#include "tuning/config.hpp"

/// Active Harmony's search, which ends when it has converged.
int main() {
  tuning_bench::replay_session({.how = treadle::search_strategy::parallel_rank_order, .repeats = 3, .drift = false});
}

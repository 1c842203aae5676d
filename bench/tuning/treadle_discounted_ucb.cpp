#include "tuning/config.hpp"

/// The bandit that knows all points.
int main() { tuning_bench::replay_session({.how = treadle::search_strategy::discounted_ucb}); }

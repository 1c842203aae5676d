#include "tuning/config.hpp"

/// The bandit that plays around the best.
int main() { tuning_bench::replay_session({.how = treadle::search_strategy::local_ucb}); }

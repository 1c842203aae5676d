#include "tuning/config.hpp"

/// What APEX takes where nothing is said.
int main() { tuning_bench::replay_session({.how = treadle::search_strategy::simulated_annealing, .drift = false}); }

#include "tuning/config.hpp"

/// A search that ends, but begins again when costs change.
int main() { tuning_bench::replay_session({.how = treadle::search_strategy::hill_climb, .repeats = 3}); }

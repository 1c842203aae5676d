#include "tuning/config.hpp"

/// Every point once, then the best for ever: as APEX does.
int main() { tuning_bench::replay_session({.how = treadle::search_strategy::exhaustive, .drift = false}); }

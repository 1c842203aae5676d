#include "tuning/config.hpp"

/// The other one of Active Harmony.
int main() {
  tuning_bench::replay_session({.how = treadle::search_strategy::nelder_mead, .repeats = 3, .drift = false});
}

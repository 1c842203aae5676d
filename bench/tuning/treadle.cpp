#include "tuning/config.hpp"

/// What a session does when nothing is said.
int main() { tuning_bench::replay_session({}); }

#include "pools/config.hpp"

int main(int argc, char** argv) { return pools_bench::run_with_policy(argc, argv, "critical-path"); }

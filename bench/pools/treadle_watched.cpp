// A pool that nobody uses goes by paths: all tasks are watched and learned from, and none is ordered.
#include "pools/config.hpp"

int main(int argc, char** argv) {
  return pools_bench::run(
      argc, argv,
      [](unsigned workers) { return pools_bench::description{workers, "idle:1:policy=critical-path:exclusive"}; },
      [] { return [](std::size_t) { return treadle::parallel_executor(); }; });
}

// Every fourth task belongs to a pool of its own, which lends.
#include "pools/config.hpp"

#include <algorithm>

int main(int argc, char** argv) {
  return pools_bench::run(
      argc, argv,
      [](unsigned workers) {
        const unsigned other = std::max(workers / 2, 1u); // with one worker in all there would be no pools
        return pools_bench::description{std::max(workers - other, 1u), "critical:" + std::to_string(other)};
      },
      [] {
        return [here = treadle::pool_executor("default"), there = treadle::pool_executor("critical")](std::size_t i) {
          return i % 4 == 0 ? there : here;
        };
      });
}

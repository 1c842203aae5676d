// Every fourth task belongs to a pool of its own, which lends.
#include "pools/config.hpp"

int main(int argc, char** argv) {
  return pools_bench::run(
      argc, argv,
      [](unsigned workers) {
        const unsigned other = workers / 2;
        return "default:" + std::to_string(workers - other) + ",critical:" + std::to_string(other == 0 ? 1 : other);
      },
      [] {
        return [here = treadle::pool_executor("default"), there = treadle::pool_executor("critical")](std::size_t i) {
          return i % 4 == 0 ? there : here;
        };
      });
}

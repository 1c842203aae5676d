#include "stop/config.hpp"

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/treadle.hpp>

#include <stop_token>

using namespace stop_bench;

int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv)});
  report([](std::chrono::microseconds after) {
    std::stop_source source;
    return one(
        after,
        [&] {
          treadle::async([&] {
            try {
              treadle::for_loop(treadle::par.with(source.get_token()), 0L, k_iterations, iterate);
            } catch (const treadle::stopped&) {
            }
          }).get();
        },
        [&] { source.request_stop(); });
  });
}

#include "futures/config.hpp"

#include <future>
#include <semaphore.h>

using namespace futures_bench;

// std::async starts a thread per task, so fib by tasks is not possible; POSIX semaphores because those of libstdc++ 12
// can lose a wake-up (GCC bug 98033).
int main() {
  bench::report_repeated("futures/async_get", k_std_async_get, [] {
    long sum = 0;
    for (long i = 0; i < k_std_async_get; ++i) sum += std::async(std::launch::async, [i] { return i; }).get();
    return is_sum_below(sum, k_std_async_get);
  });
  bench::report_repeated("futures/block_resume", 2 * k_round_trips, [] {
    sem_t ping, pong;
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    long turns = 0;
    auto partner = std::async(std::launch::async, [&] {
      for (long i = 0; i < k_round_trips; ++i) {
        sem_wait(&ping);
        ++turns;
        sem_post(&pong);
      }
    });
    for (long i = 0; i < k_round_trips; ++i) {
      sem_post(&ping);
      sem_wait(&pong);
      ++turns;
    }
    partner.get();
    return turns == 2 * k_round_trips;
  });
}

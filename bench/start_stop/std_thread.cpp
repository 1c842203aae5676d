#include "start_stop/config.hpp"

#include <atomic>
#include <thread>
#include <vector>

using namespace start_stop_bench;

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  report([=] {
    std::atomic<long> result = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < workers; ++i) {
      threads.emplace_back([&, i] {
        if (i == 0) result.store(1, std::memory_order_relaxed); // read after join
      });
    }
    for (auto& thread : threads) thread.join();
    return result.load(std::memory_order_relaxed);
  });
}

#include "spawn_flat/config.hpp"

#include <future>

using namespace spawn_flat_bench;

namespace {

void spawn(long count, long* results) {
  std::vector<std::future<void>> tasks;
  for (long i = 0; i < count; ++i) tasks.push_back(std::async(std::launch::async, [=] { results[i] = i; }));
}

} // namespace

int main() { report(k_threads, spawn); }

#include "spawn_flat/config.hpp"

using namespace spawn_flat_bench;

namespace {

__attribute__((noinline)) void task(long i, long* results) { results[i] = i; }

void spawn(long count, long* results) {
  for (long i = 0; i < count; ++i) task(i, results);
}

} // namespace

int main() { report(k_tasks, spawn); }

#include "wait_all/config.hpp"

#include <future>
#include <vector>

using namespace wait_all_bench;

namespace {

long sum(long count) {
  std::vector<std::future<long>> futures;
  futures.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) futures.push_back(std::async(std::launch::async, [i] { return i; }));
  long result = 0;
  for (auto& future : futures) result += future.get();
  return result;
}

} // namespace

int main() { report(k_threads, sum); }

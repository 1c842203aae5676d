#include "wait_all/config.hpp"

#include <treadle/treadle.hpp>

#include <vector>

using namespace wait_all_bench;

namespace {

long sum(long count) {
  std::vector<treadle::future<long>> futures;
  futures.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) futures.push_back(treadle::async([i] { return i; }));
  long result = 0;
  for (auto& future : treadle::when_all(std::move(futures)).get()) result += future.get();
  return result;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_futures, sum); }).get();
}

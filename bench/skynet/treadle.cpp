#include "by_halves.hpp"
#include "skynet/config.hpp"

#include <treadle/treadle.hpp>
#include <utility>

using namespace skynet_bench;

namespace {

long skynet(long first, long leaves) {
  if (leaves == 1) return first;
  const long size = leaves / k_branching;
  constexpr auto fork = [](auto&& f, auto&& g) {
    treadle::parallel_invoke(std::forward<decltype(f)>(f), std::forward<decltype(g)>(g));
  };
  return bench::sum_by_halves(0, k_branching, fork, [=](long i) { return skynet(first + i * size, size); });
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, skynet); }).get();
}

#include "matmul/config.hpp"

#include <treadle/treadle.hpp>

using namespace matmul_bench;

namespace {

void multiply(product p) {
  if (p.is_tile()) return p.multiply_tile();
  if (p.splits_inner()) {
    multiply(p.half(0));
    multiply(p.half(1));
  } else {
    treadle::parallel_invoke([&] { multiply(p.half(0)); }, [&] { multiply(p.half(1)); });
  }
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(multiply); }).get();
}

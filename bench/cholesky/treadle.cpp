#include "cholesky/config.hpp"
#include "cholesky/factorise.hpp"

#include <treadle/treadle.hpp>

int main(int argc, char** argv) {
  treadle::runtime runtime({.workers = bench::workers_from(argc, argv)});
  treadle::async([&] {
    cholesky_bench::report(argc, argv, [](cholesky::tiled_matrix& a) { return [&a] { cholesky::factorise(a); }; });
  }).get();
}

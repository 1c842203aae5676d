#include "nqueens/config.hpp"

#include <treadle/treadle.hpp>

using namespace nqueens_bench;

namespace {

long solutions(board b);

/// Those with a queen on one of the `free` squares of the next row: the first is a fork, the others the rest of it.
long with_queen_on(board b, unsigned free) {
  const unsigned square = first_of(free);
  if (free == square) return solutions(b.with(square));
  const auto [here, others] = treadle::parallel_invoke([=] { return solutions(b.with(square)); },
                                                       [=] { return with_queen_on(b, free ^ square); });
  return here + others;
}

long solutions(board b) {
  if (b.full()) return 1;
  const unsigned free = b.free();
  return free != 0 ? with_queen_on(b, free) : 0;
}

} // namespace

int main(int argc, char** argv) {
  const unsigned workers = bench::workers_from(argc, argv);
  treadle::runtime runtime({.workers = workers});
  treadle::async([&] { report(k_large, solutions); }).get();
}

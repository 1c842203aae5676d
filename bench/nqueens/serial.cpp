#include "nqueens/config.hpp"

using namespace nqueens_bench;

namespace {

long solutions(board b) {
  if (b.full()) return 1;
  long sum = 0;
  for (unsigned free = b.free(); free != 0; free &= free - 1) sum += solutions(b.with(first_of(free)));
  return sum;
}

} // namespace

int main() { report(k_large, solutions); }

#pragma once

#include "measure.hpp"

/// All ways to put n queens on a board of n x n squares, by backtracking with a task per placed queen. An operation is
/// a placed queen.
namespace nqueens_bench {

struct problem {
  int n;
  long result;
  long queens;
};
constexpr problem k_large{14, 365'596, 27'358'552};
constexpr problem k_small{13, 73'712, 4'674'889};

/// The next row to fill, as sets of squares: under a queen, and reached by the two kinds of diagonals.
struct board {
  unsigned all;
  unsigned columns = 0;
  unsigned left = 0;
  unsigned right = 0;

  bool full() const { return columns == all; }
  unsigned free() const { return all & ~(columns | left | right); }
  board with(unsigned square) const { return {all, columns | square, (left | square) << 1, (right | square) >> 1}; }
};

constexpr unsigned first_of(unsigned squares) { return squares & (0U - squares); }

/// `solutions(board)` returns the number of solutions that complete the board.
template <class Solutions>
void report(problem p, Solutions solutions) {
  bench::report("nqueens", p.queens,
                [&] { return solutions(board{(1U << static_cast<unsigned>(p.n)) - 1}) == p.result; });
}

} // namespace nqueens_bench

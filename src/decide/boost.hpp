// How many threads a program gets so that it uses the cores that it was given. Pure.
#pragma once

#include <vector>

namespace treadle::decide {

/// The paper's: so many more, or so many times as many threads as cores (Dokulil and Benkner, section III). Nothing for
/// programs that are given none.
unsigned constant_boost(unsigned cores, unsigned more, unsigned most) noexcept;
unsigned linear_boost(unsigned cores, double factor, unsigned most) noexcept;

/// The paper's adaptive one: the least number of threads with which the program was seen to use the cores that it is
/// given, and all where no number was. What a number uses that was not seen, which the paper leaves open, is taken from
/// the nearest one that was: the same share of its threads. Old observations count half as much with each new one of
/// the same number.
class adaptive_boost {
 public:
  /// While so many threads might be active, so many cores were busy in the mean.
  void observe(unsigned threads, double used);
  unsigned threads(unsigned cores, unsigned most) const noexcept;

 private:
  double expected(unsigned threads) const noexcept;

  std::vector<double> m_used; // with so many threads; negative: not seen
};

} // namespace treadle::decide

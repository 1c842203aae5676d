#pragma once

namespace bench {

/// Sum of `term(i)` over [begin, end), for rivals whose fork takes two functions: halves the range until one element is
/// left, so there is a fork for every element but one.
template <class Fork, class Term>
long sum_by_halves(long begin, long end, const Fork& fork, const Term& term) {
  if (end - begin == 1) return term(begin);
  const long middle = begin + (end - begin) / 2;
  long left = 0;
  long right = 0;
  fork([&] { left = sum_by_halves(begin, middle, fork, term); },
       [&] { right = sum_by_halves(middle, end, fork, term); });
  return left + right;
}

} // namespace bench

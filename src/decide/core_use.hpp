#pragma once

#include <vector>

namespace treadle::decide {

/// How many cores a program has been seen to use with this many threads. Pure.
class core_use {
 public:
  core_use() = default;
  /// What of() has given.
  explicit core_use(std::vector<double> seen) noexcept : m_used(static_cast<std::vector<double>&&>(seen)) {}
  const std::vector<double>& of() const noexcept { return m_used; }

  /// While `threads` might be active, `cores` were busy in the mean. Old observations count half as much
  /// with each new one of the same number.
  void observe(unsigned threads, double used);
  /// With this many threads it has kept nearly all of them busy, so it could use more now, whatever it did with more of
  /// them before: what was seen there moves a little to half as many more, or one.
  void doubt_more_than(unsigned threads, double used);
  /// With a number that was not seen, the same share of its threads as with the nearest one that was; all of them
  /// where none was.
  double expected(unsigned threads) const noexcept;
  /// What was seen, or the most that it can be: no more than it uses with more threads, each thread no more than with
  /// fewer, and no thread more than a core.
  double at_most(unsigned threads) const noexcept;

 private:
  std::vector<double> m_used; // by number of threads; negative: not seen
};

} // namespace treadle::decide

// How many workers each of some pools has, of those that they share. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::decide {

/// What is tried: for each pool but the last one a number of workers, of which there is a choice; the last one has what
/// they leave. Every pool keeps one worker; that of a pool which is given none stays with the last one.
class pool_sizes {
 public:
  /// At least as many workers as pools.
  pool_sizes(std::size_t pools, unsigned workers);

  /// Rising: all numbers where there are few workers; otherwise about two in an octave from either end, because what
  /// matters is how large the smaller part is.
  const std::vector<unsigned>& choices() const noexcept { return m_choices; }
  std::uint32_t closest(unsigned workers) const noexcept; ///< index of a choice
  /// By what all pools but the last one should have. Where that comes to more than there are, the later ones get less.
  std::vector<unsigned> sizes(const std::vector<unsigned>& wanted) const;

 private:
  unsigned m_workers;
  std::vector<unsigned> m_choices;
};

} // namespace treadle::decide

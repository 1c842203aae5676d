#pragma once

#include <treadle/algorithm/detail/ordering.hpp>

namespace treadle::detail {

/// Partitions blocks of [first, last) on their own, in parallel, and then exchanges what lies on the wrong side of the
/// common boundary. `partition(first, last)` partitions one block and returns its boundary.
template <class It, class Partition>
class block_partition {
 public:
  block_partition(It first, It last, Partition& partition) noexcept
      : m_first(first),
        m_size(last - first),
        m_block(std::max<std::ptrdiff_t>(k_block_min, (m_size + k_blocks_max - 1) / k_blocks_max)),
        m_blocks((m_size + m_block - 1) / m_block),
        m_partition(partition) {}

  /// The boundary.
  It run() {
    for_ranges(k_by_pieces, static_cast<std::uint64_t>(m_blocks), [this](std::uint64_t begin, std::uint64_t end) {
      for (auto k = static_cast<std::ptrdiff_t>(begin); k != static_cast<std::ptrdiff_t>(end); ++k) {
        const It block = m_first + k * m_block;
        m_lows[k] = m_partition(block, m_first + end_of_block(k)) - block;
      }
    });
    for (std::ptrdiff_t k = 0; k != m_blocks; ++k) m_boundary += m_lows[k];
    std::ptrdiff_t misplaced = 0;
    for (std::ptrdiff_t k = 0; k * m_block < m_boundary; ++k) misplaced += highs(k).size();
    for_ranges(par.with(dynamic_chunk_size{k_exchange}), static_cast<std::uint64_t>(misplaced),
               [this](std::uint64_t begin, std::uint64_t end) {
                 exchange(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end));
               });
    return m_first + m_boundary;
  }

 private:
  static constexpr std::ptrdiff_t k_blocks_max = 256;
  static constexpr std::ptrdiff_t k_block_min = 16 * 1024;
  static constexpr std::uint64_t k_exchange = 16 * 1024;

  struct interval {
    std::ptrdiff_t begin, end;
    std::ptrdiff_t size() const noexcept { return std::max<std::ptrdiff_t>(end - begin, 0); }
  };

  std::ptrdiff_t end_of_block(std::ptrdiff_t k) const noexcept { return std::min((k + 1) * m_block, m_size); }
  /// What block k has on the wrong side: high elements before the boundary, low ones behind it.
  interval highs(std::ptrdiff_t k) const noexcept {
    return {k * m_block + m_lows[k], std::min(end_of_block(k), m_boundary)};
  }
  interval lows(std::ptrdiff_t k) const noexcept {
    return {std::max(k * m_block, m_boundary), k * m_block + m_lows[k]};
  }

  /// Moves `k` and the interval to where the `skipped`-th misplaced element is.
  template <class Intervals>
  static interval seek(std::ptrdiff_t& k, std::ptrdiff_t skipped, Intervals intervals) {
    for (;; ++k) {
      interval here = intervals(k);
      if (skipped < here.size()) return {here.begin + skipped, here.end};
      skipped -= here.size();
    }
  }

  /// The begin-th up to the end-th misplaced high element with the low one of the same number.
  void exchange(std::ptrdiff_t begin, std::ptrdiff_t end) {
    const auto highs_of = [this](std::ptrdiff_t k) { return highs(k); };
    const auto lows_of = [this](std::ptrdiff_t k) { return lows(k); };
    std::ptrdiff_t k_high = 0, k_low = m_boundary / m_block;
    interval high = seek(k_high, begin, highs_of), low = seek(k_low, begin, lows_of);
    for (;;) {
      const std::ptrdiff_t length = std::min({high.size(), low.size(), end - begin});
      std::swap_ranges(m_first + high.begin, m_first + high.begin + length, m_first + low.begin);
      begin += length;
      if (begin == end) return;
      high.begin += length;
      low.begin += length;
      if (high.size() == 0) high = seek(++k_high, 0, highs_of);
      if (low.size() == 0) low = seek(++k_low, 0, lows_of);
    }
  }

  const It m_first;
  const std::ptrdiff_t m_size;
  const std::ptrdiff_t m_block, m_blocks;
  Partition& m_partition;
  std::ptrdiff_t m_boundary = 0;
  std::ptrdiff_t m_lows[k_blocks_max]; // by block
};

} // namespace treadle::detail

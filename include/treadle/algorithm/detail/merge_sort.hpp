#pragma once

#include <treadle/algorithm/detail/parallel_merge.hpp>
#include <treadle/algorithm/detail/quicksort.hpp>

namespace treadle::detail {

/// Stable. Every element is in one of two places, the range and a buffer of the same size, and each merge relocates it
/// from one to the other. When a comparison throws, the merges end as concatenations: all elements get to the target.
template <class It, class Less>
class merge_sort {
 public:
  merge_sort(Less& less, bool parallel) noexcept : m_less(less), m_parallel(parallel) {}

  void sort(It first, It last) {
    if (last - first <= k_small) return insertion_sort(first, last, m_less);
    if (all_neighbours(m_parallel, first, last, [this](const auto& a, const auto& b) { return !m_less(b, a); })) return;
    if (all_neighbours(m_parallel, first, last, [this](const auto& a, const auto& b) { return m_less(b, a); }))
      return reverse_elements(m_parallel, first, last);
    const raw_memory<value_type> buffer(last - first);
    sort_in_place(first, last, buffer.data());
  }

 private:
  using value_type = std::iter_value_t<It>;
  static constexpr std::ptrdiff_t k_small = 24;
  static constexpr std::ptrdiff_t k_fork_grain = 256;

  /// `buffer` is the part of the buffer that belongs to the range.
  void sort_into_buffer(It first, It last, value_type* buffer) {
    const std::ptrdiff_t n = last - first;
    if (n <= k_small) {
      const unmerged<It, value_type*> moved_at_the_end(first, last, last, last, buffer);
      return insertion_sort(first, last, m_less);
    }
    unmerged<It, value_type*> if_it_throws(first, last, last, last, buffer);
    look_for_stop(m_less);
    const It middle = first + n / 2;
    fork(
        m_parallel && n > k_fork_grain, [&] { sort_in_place(first, middle, buffer); },
        [&] { sort_in_place(middle, last, buffer + n / 2); });
    if_it_throws.dismiss();
    merge_relocating(m_parallel, first, middle, middle, last, buffer, m_less);
  }

  void sort_in_place(It first, It last, value_type* buffer) {
    const std::ptrdiff_t n = last - first;
    if (n <= k_small) return insertion_sort(first, last, m_less);
    look_for_stop(m_less);
    unmerged<value_type*, It> if_it_throws(buffer, buffer + n, buffer + n, buffer + n, first);
    fork(
        m_parallel && n > k_fork_grain, [&] { sort_into_buffer(first, first + n / 2, buffer); },
        [&] { sort_into_buffer(first + n / 2, last, buffer + n / 2); });
    if_it_throws.dismiss();
    merge_relocating(m_parallel, buffer, buffer + n / 2, buffer + n / 2, buffer + n, first, m_less);
  }

  Less& m_less;
  const bool m_parallel;
};

} // namespace treadle::detail

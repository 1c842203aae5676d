#pragma once

#include <treadle/algorithm/detail/parallel_partition.hpp>
#include <treadle/this_task.hpp>

namespace treadle::detail {

/// A partition of this many elements is worth sharing.
inline constexpr std::ptrdiff_t k_parallel_partition = 1 << 17;

/// An element taken out of a sequence, and the place where it goes back, also when a comparison throws.
template <class It>
struct taken_out {
  std::iter_value_t<It> element;
  It place;

  explicit taken_out(It from) : element(std::move(*from)), place(from) {}
  taken_out(const taken_out&) = delete;
  taken_out& operator=(const taken_out&) = delete;
  ~taken_out() { *place = std::move(element); }
};

/// Stable.
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (last - first < 2) return;
  for (It next = first + 1; next != last; ++next) {
    if (!less(*next, *(next - 1))) continue;
    taken_out<It> moving(next);
    do {
      *moving.place = std::move(*(moving.place - 1));
      --moving.place;
    } while (moving.place != first && less(moving.element, *(moving.place - 1)));
  }
}

/// By exchanges only: no element is outside of the range while a comparison may throw.
template <class It, class Less>
void heap_sort(It first, It last, Less& less) {
  const auto sift_down = [&](std::ptrdiff_t root, std::ptrdiff_t n) {
    for (std::ptrdiff_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
      if (child + 1 < n && less(first[child], first[child + 1])) ++child;
      if (!less(first[root], first[child])) return;
      std::iter_swap(first + root, first + child);
      root = child;
    }
  };
  const std::ptrdiff_t n = last - first;
  for (std::ptrdiff_t root = n / 2; root-- > 0;) sift_down(root, n);
  for (std::ptrdiff_t rest = n; rest-- > 1;) {
    std::iter_swap(first, first + rest);
    sift_down(0, rest);
  }
}

template <class It, class Less>
It median_of_three(It a, It b, It c, Less& less) {
  const bool a_b = less(*a, *b), b_c = less(*b, *c);
  if (a_b == b_c) return b;
  return less(*a, *c) == a_b ? c : a;
}

/// The median of medians of about sqrt(8 n) samples around a, b and c.
template <class It, class Less>
It pseudo_median(It a, It b, It c, std::ptrdiff_t n, Less& less) {
  if (n >= 8) {
    const std::ptrdiff_t step = n / 8;
    a = pseudo_median(a, a + 4 * step, a + 7 * step, step, less);
    b = pseudo_median(b, b + 4 * step, b + 7 * step, step, less);
    c = pseudo_median(c, c + 4 * step, c + 7 * step, step, less);
  }
  return median_of_three(a, b, c, less);
}

/// The innermost loops of quicksort for elements and orders of any kind. Where a stop may be requested the order looks,
/// and throws.
struct any_kernel {
  static constexpr std::ptrdiff_t k_small = 24;
  static constexpr std::ptrdiff_t k_fork_grain = 256;

  /// Up to how many elements sort_piece() takes.
  template <class It>
  static std::ptrdiff_t piece_of(It /*first*/, It /*last*/, bool /*parallel*/) {
    return k_small;
  }

  /// Sorts all when it is no more than `most`; false when it is to be divided.
  template <class It, class Less>
  static bool sort_piece(It first, It last, std::ptrdiff_t most, Less& less) {
    if (last - first > most) return false;
    insertion_sort(first, last, less);
    return true;
  }

  /// Called before each piece and each division; may throw.
  void look() const noexcept {}

  /// call(function), which takes long, or with a function that looks and does the same.
  template <class F, class Call>
  auto looking(F&& function, Call call) const {
    return call(function);
  }

  /// Moves what goes_left(element) before the rest; returns the boundary.
  template <class It, class Predicate>
  static It partition(It first, It last, Predicate goes_left) {
    if constexpr (is_cheap_to_move<std::iter_value_t<It>>)
      return partition_without_branches(first, last, goes_left);
    else
      return partition_with_branches(first, last, goes_left);
  }

 private:
  /// One pass in which one element is outside and its place is free: each step moves the first element known to go
  /// right into the free place and the next element to where that was.
  template <class It, class Predicate>
  [[gnu::always_inline]] static It partition_without_branches(It first, It last, Predicate& goes_left) {
    if (first == last) return first;
    It boundary = first;
    taken_out<It> outside(first);
    for (It next = first + 1; next != last; ++next) {
      const bool left = goes_left(*next);
      *outside.place = *boundary;
      *boundary = *next;
      outside.place = next;
      boundary += left;
    }
    const bool left = goes_left(outside.element);
    *outside.place = *boundary;
    outside.place = boundary;
    return boundary + left;
  }

  template <class It, class Predicate>
  static It partition_with_branches(It first, It last, Predicate& goes_left) {
    for (;; ++first) {
      while (first != last && goes_left(*first)) ++first;
      do {
        if (first == last) return first;
        --last;
        if (first == last) return first;
      } while (!goes_left(*last));
      std::iter_swap(first, last);
    }
  }
};

/// Quicksort and quickselect. Exchanges elements or puts them back: when a comparison throws, all elements are there in
/// some order. With an order that is none (not a strict weak one) the same holds for the result.
template <class Kernel, class It, class Less>
class quicksort {
 public:
  quicksort(Less& less, bool parallel, const Kernel& kernel = Kernel()) noexcept
      : m_less(less), m_parallel(parallel), m_kernel(kernel) {}

  void sort(It first, It last) {
    if (last - first > Kernel::k_small && in_one_run(first, last)) return;
    m_piece = m_kernel.piece_of(first, last, m_parallel);
    sort(first, last, bad_splits_allowed(last - first), true);
  }

  /// Puts into the place `nth` what would be there in sorted order; nothing behind it goes before it.
  void select(It first, It nth, It last) {
    if (nth == last) return;
    int bad_splits = bad_splits_allowed(last - first);
    bool leftmost = true;
    while (last - first > Kernel::k_small) {
      m_kernel.look();
      if (bad_splits == 0) return sort_for_sure(first, last);
      const auto [left_end, right_begin] = split(first, last, leftmost, bad_splits);
      if (nth < left_end) {
        last = left_end;
      } else if (nth < right_begin) {
        return;
      } else {
        first = right_begin;
        leftmost = false;
      }
    }
    insertion_sort(first, last, m_less);
  }

 private:
  using value_type = std::iter_value_t<It>;

  // What the serial recursion needs, which is no deeper than log2(n). That of forks may be five times as deep when
  // every split is 1 : 7, so on a small stack it ends before it has used all of it.
  static constexpr std::size_t k_serial_stack_bytes = (k_sanitized ? 32 : 8) * 1024;

  static int bad_splits_allowed(std::ptrdiff_t n) noexcept {
    int log2 = 0;
    for (; n > 1; n /= 2) ++log2;
    return log2 + 1;
  }

  /// Sorts what is in order or in the opposite order.
  bool in_one_run(It first, It last) {
    const auto look = [this] { m_kernel.look(); };
    if (all_neighbours(m_parallel, first, last, [this](const auto& a, const auto& b) { return !m_less(b, a); }, look))
      return true;
    if (!all_neighbours(m_parallel, first, last, [this](const auto& a, const auto& b) { return !m_less(a, b); }, look))
      return false;
    reverse_elements(m_parallel, first, last);
    return true;
  }

  void sort_for_sure(It first, It last) {
    m_kernel.looking(m_less, [=](auto& less) { heap_sort(first, last, less); });
  }

  void sort(It first, It last, int bad_splits, bool leftmost) {
    for (;;) {
      const std::ptrdiff_t n = last - first;
      m_kernel.look();
      if (m_kernel.sort_piece(first, last, m_piece, m_less)) return;
      if (bad_splits == 0) return sort_for_sure(first, last);
      const parts sides = split(first, last, leftmost, bad_splits);
      const It left_end = sides.left_end, right_begin = sides.right_begin;
      if (m_parallel && n > Kernel::k_fork_grain && this_task::stack_remaining() > k_serial_stack_bytes) {
        return treadle::parallel_invoke([=, this] { sort(first, left_end, bad_splits, leftmost); },
                                        [=, this] { sort(right_begin, last, bad_splits, false); });
      }
      if (n > Kernel::k_fork_grain && last - right_begin < left_end - first) { // the longer side by this loop
        sort(right_begin, last, bad_splits, false);
        last = left_end;
      } else {
        sort(first, left_end, bad_splits, leftmost);
        first = right_begin;
        leftmost = false;
      }
    }
  }

  struct parts {
    It left_end, right_begin;
  };

  /// [first, left_end), what is in its final place, [right_begin, last). Unless `leftmost`, an earlier pivot, which
  /// nothing here goes before, is in front of `first`.
  parts split(It first, It last, bool leftmost, int& bad_splits) {
    const std::ptrdiff_t n = last - first, step = n / 8;
    std::iter_swap(first, pseudo_median(first, first + 4 * step, first + 7 * step, n >= 64 ? step : 0, m_less));
    // A copy is known to stay the same while elements are moved about, so it may be kept in a register.
    std::conditional_t<is_cheap_to_move<value_type>, const value_type, const value_type&> pivot = *first;
    if (!leftmost && !m_less(*(first - 1), pivot)) { // equal: so those equal to it can be set aside
      return {first, partition(first + 1, last, [&](const auto& element) { return !m_less(pivot, element); })};
    }
    const It middle = partition(first + 1, last, [&](const auto& element) { return m_less(element, pivot); }) - 1;
    std::iter_swap(first, middle);
    if (std::min(middle - first, last - middle) < step) {
      --bad_splits;
      stir(first, middle);
      stir(middle + 1, last);
    }
    return {middle, middle + 1};
  }

  /// Breaks a pattern that makes for bad pivots.
  static void stir(It first, It last) {
    const std::ptrdiff_t n = last - first;
    if (n <= Kernel::k_small) return;
    for (std::ptrdiff_t i = 0; i != 3; ++i) {
      std::iter_swap(first + i, first + n / 4 + i);
      std::iter_swap(first + n / 2 + i, last - n / 4 + i);
    }
  }

  template <class Predicate>
  It partition(It first, It last, Predicate goes_left) {
    const auto serially = [&](It begin, It end) {
      return m_kernel.looking(goes_left, [=](auto& goes) { return Kernel::partition(begin, end, goes); });
    };
    if (m_parallel && last - first > k_parallel_partition && somebody_is_hungry())
      return block_partition<It, decltype(serially)>(first, last, serially).run();
    return serially(first, last);
  }

  Less& m_less;
  const bool m_parallel;
  [[no_unique_address]] const Kernel m_kernel;
  std::ptrdiff_t m_piece = 0;
};

} // namespace treadle::detail

#pragma once

#include <treadle/algorithm/detail/ordering.hpp>

#include <memory>

namespace treadle::detail {

/// How many of the first `k` elements of the stable merge of a[0, a_size) and b[0, b_size) come from `a` (Siebert and
/// Träff 2012). Between 0 and a_size, with k minus it between 0 and b_size, whatever the order answers.
template <class A, class B, class Less>
std::ptrdiff_t co_rank(std::ptrdiff_t k, A a, std::ptrdiff_t a_size, B b, std::ptrdiff_t b_size, Less& less) {
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, k - b_size), high = std::min(k, a_size);
  while (low < high) {
    const std::ptrdiff_t i = low + (high - low) / 2;
    if (less(b[k - i - 1], a[i]))
      high = i;
    else
      low = i + 1;
  }
  return low;
}

/// Below this a merge is not divided.
inline constexpr std::ptrdiff_t k_merge_grain = 4096;
inline constexpr std::ptrdiff_t k_merge_in_two = 128;

/// Moves an element into memory without one, and leaves such memory behind.
template <class From, class To>
void relocate(From from, To to) noexcept {
  std::construct_at(std::addressof(*to), std::move(*from));
  std::destroy_at(std::addressof(*from));
}

template <class From, class To>
To relocate(From first, From last, To to) noexcept {
  if constexpr (std::is_pointer_v<From> && std::is_pointer_v<To> &&
                std::is_trivially_copyable_v<std::iter_value_t<From>>) {
    if (first != last) __builtin_memcpy(to, first, static_cast<std::size_t>(last - first) * sizeof(*first));
    return to + (last - first);
  } else {
    for (; first != last; ++first, ++to) relocate(first, to);
    return to;
  }
}

/// What a merge has still to relocate. It does so at the end, or when a comparison throws.
template <class From, class To>
struct unmerged {
  From a, a_end, b, b_end;
  To to;

  unmerged(From a_first, From a_last, From b_first, From b_last, To target)
      : a(a_first), a_end(a_last), b(b_first), b_end(b_last), to(target) {}
  unmerged(const unmerged&) = delete;
  unmerged& operator=(const unmerged&) = delete;
  ~unmerged() { relocate(b, b_end, relocate(a, a_end, to)); }

  void dismiss() noexcept { a = a_end, b = b_end; }
  bool undecided() const noexcept { return a != a_end && b != b_end; }

  template <class Less>
  void step(Less& less) {
    const bool from_b = less(*b, *a);
    if constexpr (is_cheap_to_move<std::iter_value_t<From>>) { // no branch on what cannot be predicted
      std::construct_at(std::addressof(*to), from_b ? *b : *a);
      a += !from_b;
      b += from_b;
    } else {
      relocate(from_b ? b++ : a++, to);
    }
    ++to;
  }
};

template <class From, class To, class Less>
void merge_relocating_serially(From a, From a_end, From b, From b_end, To to, Less& less) {
  unmerged<From, To> whole(a, a_end, b, b_end, to);
  if (!whole.undecided() || !less(*b, *(a_end - 1))) return;
  const std::ptrdiff_t size = (a_end - a) + (b_end - b);
  if (is_cheap_to_move<std::iter_value_t<From>> && size >= k_merge_in_two) {
    // Each step waits for the one before it; two merges at a time use the processor better.
    const std::ptrdiff_t half = size / 2, from_a = co_rank(half, a, a_end - a, b, b_end - b, less);
    whole.dismiss();
    unmerged<From, To> first(a, a + from_a, b, b + (half - from_a), to);
    unmerged<From, To> second(a + from_a, a_end, b + (half - from_a), b_end, to + half);
    while (first.undecided() && second.undecided()) {
      first.step(less);
      second.step(less);
    }
    while (first.undecided()) first.step(less);
    while (second.undecided()) second.step(less);
  } else {
    while (whole.undecided()) whole.step(less);
  }
}

/// Relocates the merge of [a, a_end) and [b, b_end) to `to`. When a comparison throws, all elements are there, too.
template <class From, class To, class Less>
void merge_relocating(bool parallel, From a, From a_end, From b, From b_end, To to, Less& less) {
  const std::ptrdiff_t size = (a_end - a) + (b_end - b);
  if (!parallel || size <= k_merge_grain) return merge_relocating_serially(a, a_end, b, b_end, to, less);
  unmerged<From, To> rest(a, a_end, b, b_end, to);
  const std::ptrdiff_t half = size / 2, from_a = co_rank(half, a, a_end - a, b, b_end - b, less);
  rest.dismiss();
  const From a_middle = a + from_a, b_middle = b + (half - from_a);
  treadle::parallel_invoke([&] { merge_relocating(parallel, a, a_middle, b, b_middle, to, less); },
                           [&] { merge_relocating(parallel, a_middle, a_end, b_middle, b_end, to + half, less); });
}

/// Memory for elements that are relocated to it and back.
template <class T>
class raw_memory {
 public:
  explicit raw_memory(std::ptrdiff_t size)
      : m_data(std::allocator<T>().allocate(static_cast<std::size_t>(size))), m_size(size) {}
  raw_memory(const raw_memory&) = delete;
  raw_memory& operator=(const raw_memory&) = delete;
  ~raw_memory() { std::allocator<T>().deallocate(m_data, static_cast<std::size_t>(m_size)); }

  T* data() const noexcept { return m_data; }

 private:
  T* const m_data;
  const std::ptrdiff_t m_size;
};

/// Elements that can be relocated: to move them cannot fail, and they are objects in memory of their own.
template <class It>
inline constexpr bool is_relocatable =
    has_real_elements<It> && std::is_nothrow_move_constructible_v<std::iter_value_t<It>>;

} // namespace treadle::detail

#include <treadle/algorithm/detail/sort_numbers.hpp>

#include "algorithm/radix_sort.hpp"
#include "algorithm/rank_sort.hpp"

#include <treadle/algorithm/detail/quicksort.hpp>

#include <new>

namespace treadle::detail {

namespace {

/// Types whose keys vectors can count; smaller ones have few digits, larger ones too many bits.
template <class T>
inline constexpr bool has_ranks = sizeof(T) == 4 || sizeof(T) == 8;

struct number_kernel : any_kernel {
  static constexpr std::ptrdiff_t k_fork_grain = 1024;
  static constexpr std::ptrdiff_t k_few = 8; // elements for which insertion is as fast as ranks
  template <class T>                         // elements; fewer are sorted faster by comparisons
  static constexpr std::ptrdiff_t k_least_radix = has_ranks<T> ? 1024 : 256;
  static constexpr std::ptrdiff_t k_most_radix = k_keys_in_cache;
  static constexpr std::ptrdiff_t k_most_wide = 1 << 22; // with a place in the lower half, which is digits, too, once
                                                         // the elements have been divided

  static constexpr unsigned k_looks_after = 1 << 14; // calls of a function that takes a few nanoseconds at most

  const loop_cut* cut = nullptr; // null: it cannot be stopped

  void look() const {
    if (cut && cut->stops()) throw stopped();
  }

  template <class F, class Call>
  auto looking(F&& function, Call call) const {
    if (!cut) return call(function);
    auto looks = [&, left = k_looks_after](const auto&... arguments) mutable {
      if (--left == 0) {
        look();
        left = k_looks_after;
      }
      return function(arguments...);
    };
    return call(looks);
  }

  template <class T>
  std::ptrdiff_t piece_of(T* first, T* last, bool parallel) const {
    const std::ptrdiff_t workers = parallel ? pool_workers() : 1;
    if (workers == 1) return std::is_same_v<T, uint128> && !cut ? k_most_wide : k_most_radix;
    return std::clamp((last - first) / (8 * workers), k_undivided_numbers, k_most_radix);
  }

  template <class T, class Order>
  bool sort_piece(T* first, T* last, std::ptrdiff_t most, Order& order) const {
    constexpr bool k_descending = std::is_same_v<Order, std::greater<T>>;
    const std::ptrdiff_t n = last - first;
    if (n >= k_least_radix<T> && n <= most) {
      try {
        radix_sort<T, k_descending>(first, static_cast<std::uint32_t>(n), [this] { look(); });
        return true;
      } catch (const std::bad_alloc&) {
        return false; // it is divided, and needs less
      }
    }
    if constexpr (has_ranks<T>) {
      using ranks = rank_sort<T, k_descending>;
      if (n > ranks::k_most) return false;
      if (n > k_few)
        run_wide<ranks>(first, n);
      else
        insertion_sort(first, last, order);
      return true;
    }
    return any_kernel::sort_piece(first, last, k_small, order);
  }
};

number_kernel kernel_of(const loop_cut& cut) noexcept { return {{}, cut.is_stopped ? &cut : nullptr}; }

} // namespace

template <class T, class Order>
void sort_numbers(T* first, T* last, bool parallel, const loop_cut& cut) {
  Order order;
  quicksort<number_kernel, T*, Order>(order, parallel, kernel_of(cut)).sort(first, last);
}

template <class T, class Order>
void select_number(T* first, T* nth, T* last, bool parallel, const loop_cut& cut) {
  Order order;
  quicksort<number_kernel, T*, Order>(order, parallel, kernel_of(cut)).select(first, nth, last);
}

#define TREADLE_NUMBERS(T)                                                                                             \
  template void sort_numbers<T, std::less<T>>(T*, T*, bool, const loop_cut&);                                          \
  template void sort_numbers<T, std::greater<T>>(T*, T*, bool, const loop_cut&);                                       \
  template void select_number<T, std::less<T>>(T*, T*, T*, bool, const loop_cut&);                                     \
  template void select_number<T, std::greater<T>>(T*, T*, T*, bool, const loop_cut&)
TREADLE_NUMBERS(char);
TREADLE_NUMBERS(signed char);
TREADLE_NUMBERS(unsigned char);
TREADLE_NUMBERS(short);
TREADLE_NUMBERS(unsigned short);
TREADLE_NUMBERS(int);
TREADLE_NUMBERS(unsigned);
TREADLE_NUMBERS(long);
TREADLE_NUMBERS(unsigned long);
TREADLE_NUMBERS(long long);
TREADLE_NUMBERS(unsigned long long);
TREADLE_NUMBERS(float);
TREADLE_NUMBERS(double);
TREADLE_NUMBERS(uint128);
#undef TREADLE_NUMBERS

} // namespace treadle::detail

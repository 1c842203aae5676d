#include <treadle/algorithm/detail/sort_numbers.hpp>

#include "algorithm/radix_sort.hpp"

#include <treadle/algorithm/detail/quicksort.hpp>
#include <treadle/runtime.hpp>

namespace treadle::detail {

namespace {

struct number_kernel : any_kernel {
  static constexpr std::ptrdiff_t k_fork_grain = 1024;
  static constexpr std::ptrdiff_t k_least_radix = 256;        // less is faster by comparisons
  static constexpr std::ptrdiff_t k_least_shared = 1 << 12;   // elements of a piece when there are workers for others
  static constexpr std::ptrdiff_t k_most_radix = 1 << 16; // elements of a piece, which with its copy stays in the cache

  static std::ptrdiff_t piece_of(std::ptrdiff_t n, bool parallel) {
    const std::ptrdiff_t workers = parallel ? runtime::current().workers() : 1;
    return workers == 1 ? k_most_radix : std::clamp(n / (8 * workers), k_least_shared, k_most_radix);
  }

  template <class T, class Order>
  static bool sort_piece(T* first, T* last, std::ptrdiff_t most, Order& order) {
    const std::ptrdiff_t n = last - first;
    if (n < k_least_radix || n > most) return any_kernel::sort_piece(first, last, k_small, order);
    return radix_sort<T, std::is_same_v<Order, std::greater<T>>>(first, static_cast<std::uint32_t>(n));
  }
};

} // namespace

template <class T, class Order>
void sort_numbers(T* first, T* last, bool parallel) {
  Order order;
  quicksort<number_kernel, T*, Order>(order, parallel).sort(first, last);
}

template <class T, class Order>
void select_number(T* first, T* nth, T* last, bool parallel) {
  Order order;
  quicksort<number_kernel, T*, Order>(order, parallel).select(first, nth, last);
}

#define TREADLE_NUMBERS(T)                                                                                             \
  template void sort_numbers<T, std::less<T>>(T*, T*, bool);                                                           \
  template void sort_numbers<T, std::greater<T>>(T*, T*, bool);                                                        \
  template void select_number<T, std::less<T>>(T*, T*, T*, bool);                                                      \
  template void select_number<T, std::greater<T>>(T*, T*, T*, bool)
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

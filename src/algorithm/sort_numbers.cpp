#include <treadle/algorithm/detail/sort_numbers.hpp>

#include <treadle/algorithm/detail/quicksort.hpp>

namespace treadle::detail {

namespace {

struct number_kernel : any_kernel {
  static constexpr std::ptrdiff_t k_fork_grain = 1024;
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
#undef TREADLE_NUMBERS

} // namespace treadle::detail

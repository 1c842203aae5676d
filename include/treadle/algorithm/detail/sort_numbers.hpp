#pragma once

#include <cstddef>

namespace treadle::detail {

/// So many are sorted in one piece, however many workers there are.
inline constexpr std::ptrdiff_t k_undivided_numbers = 1 << 12;

/// Compiled once for the types of is_number and std::less and std::greater of them.
template <class T, class Order>
void sort_numbers(T* first, T* last, bool parallel);
template <class T, class Order>
void select_number(T* first, T* nth, T* last, bool parallel);

} // namespace treadle::detail

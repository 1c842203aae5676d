#pragma once

#include <cstddef>

namespace treadle::detail {

/// Up to this many numbers are sorted in one piece, however many workers there are.
inline constexpr std::ptrdiff_t k_undivided_numbers = 1 << 12;

struct loop_cut;

/// Compiled once for the types of is_number and std::less and std::greater of them.
/// They throw treadle::stopped when the cut is stopped; none of them looks at its other members.
template <class T, class Order>
void sort_numbers(T* first, T* last, bool parallel, const loop_cut& cut);
template <class T, class Order>
void select_number(T* first, T* nth, T* last, bool parallel, const loop_cut& cut);

} // namespace treadle::detail

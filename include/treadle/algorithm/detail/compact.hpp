#pragma once

#include <treadle/algorithm/copy.hpp>

namespace treadle::detail {

/// The elements of a part that stay, moved to its front.
template <class I>
struct kept_elements {
  I begin{};
  I end{};
  bool any = false; // the part has seen an element
};

/// Moves [from, to) down to `target`, in rounds of as many elements as can be moved at the same time.
template <class Policy, class I>
I move_down(const Policy& policy, I from, I to, I target) {
  constexpr std::iter_difference_t<I> k_round_min = 1024; // else one by one: the parts of a round would be too small
  if (target == from) return to;
  const auto gap = from - target;
  if (gap < k_round_min) return treadle::move(seq, from, to, target);
  for (; to - from > gap; from += gap) target = treadle::move(policy, from, from + gap, target);
  return treadle::move(policy, from, to, target);
}

/// Appends what another part kept, but for its first `skip` elements.
template <class Policy, class I>
void append_kept(const Policy& policy, kept_elements<I>& left, const kept_elements<I>& right, std::uint64_t skip = 0) {
  if (!left.any)
    left = right;
  else if (right.any)
    left.end = move_down(policy.with(auto_chunk_size{}), nth(right.begin, skip), right.end, left.end);
}

} // namespace treadle::detail

#pragma once

#include <treadle/algorithm/detail/compact.hpp>

namespace treadle {

// In place: each part moves what stays to its front, then the parts are moved together. Elements from the returned
// iterator on are valid but unspecified, all elements after an exception.

/// Removes the elements that satisfy the predicate; the others keep their order. Returns the end of these.
template <any_execution_policy Policy, std::forward_iterator I, class F>
  requires detail::unary_predicate<F, I> && std::permutable<I>
auto remove_if(const Policy& policy, I first, I last, F&& predicate) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& matches) {
        using state = detail::kept_elements<I>;
        state kept{from, from};
        detail::fold_parts(
            how, kept,
            [&](state& part, I it, I end) {
              if (it == end) return;
              if (!part.any) part = {it, it, true};
              I target = part.end;
              if (target == it) { // nothing to move yet
                while (it != end && !matches(*it)) ++it;
                target = it;
                if (it != end) ++it;
              }
              for (; it != end; ++it) {
                if (matches(*it)) continue;
                *target = std::ranges::iter_move(it);
                ++target;
              }
              part.end = target;
            },
            [&](auto& left, const auto& right) { detail::append_kept(how, left, right); }, from, to);
        return kept.end;
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F>
auto remove_if(const Policy& policy, R&& range, F&& predicate) {
  return treadle::remove_if(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

/// Removes the elements equal to the value, which must not be one of them.
template <any_execution_policy Policy, std::forward_iterator I, class T>
  requires std::permutable<I>
auto remove(const Policy& policy, I first, I last, const T& value) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, const T& unwanted) {
        detail::loop_value<T> v = unwanted;
        return treadle::remove_if(how, from, to, [&v](const auto& element) -> bool { return element == v; });
      },
      first, last, value);
}
template <any_execution_policy Policy, detail::lasting R, class T>
auto remove(const Policy& policy, R&& range, const T& value) {
  return treadle::remove(policy, std::ranges::begin(range), detail::last_of(range), value);
}

/// Removes the elements that are equal to their predecessor, by an equivalence relation.
template <any_execution_policy Policy, std::forward_iterator I, class F = detail::equal_to>
  requires detail::binary_predicate<F, I> && std::permutable<I>
auto unique(const Policy& policy, I first, I last, F&& predicate = {}) {
  return detail::run_algorithm(
      policy,
      [](const auto& how, I from, I to, auto& equal) {
        using state = detail::kept_elements<I>;
        state kept{from, from};
        detail::fold_parts(
            how, kept,
            [&](state& part, I it, I end) {
              if (it == end) return;
              I newest = it; // of those that are kept
              if (part.any) {
                if constexpr (std::random_access_iterator<I>) newest = part.end - 1;
              } else {
                part = {it, std::ranges::next(it),
                        true}; // whether its predecessor is equal is seen when it is appended
                ++it;
              }
              I target = part.end;
              for (; it != end; ++it) {
                if (equal(*newest, *it)) continue;
                if (target != it) *target = std::ranges::iter_move(it);
                newest = target++;
              }
              part.end = target;
            },
            [&](auto& left, const auto& right) {
              const bool again = left.any && right.any && equal(*std::ranges::prev(left.end), *right.begin);
              detail::append_kept(how, left, right, again ? 1 : 0);
            },
            from, to);
        return kept.end;
      },
      first, last, std::forward<F>(predicate));
}
template <any_execution_policy Policy, detail::lasting R, class F = detail::equal_to>
auto unique(const Policy& policy, R&& range, F&& predicate = {}) {
  return treadle::unique(policy, std::ranges::begin(range), detail::last_of(range), std::forward<F>(predicate));
}

} // namespace treadle

#pragma once

#include <treadle/algorithm/detail/set_operation.hpp>

namespace treadle {

namespace detail {

struct set_union_operation {
  template <class A, class B, class Out, class Compare>
  Out operator()(A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    return std::set_union(a, a_end, b, b_end, out, [&](const auto& x, const auto& y) { return compare(x, y); });
  }
  template <class Pieces>
  static std::ptrdiff_t results_max(const Pieces& pieces) noexcept {
    return (pieces.a_end - pieces.a) + (pieces.b_end - pieces.b);
  }
};

struct set_intersection_operation {
  template <class A, class B, class Out, class Compare>
  Out operator()(A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    return std::set_intersection(a, a_end, b, b_end, out, [&](const auto& x, const auto& y) { return compare(x, y); });
  }
  template <class Pieces>
  static std::ptrdiff_t results_max(const Pieces& pieces) noexcept {
    return std::min<std::ptrdiff_t>(pieces.a_end - pieces.a, pieces.b_end - pieces.b);
  }
};

struct set_difference_operation {
  template <class A, class B, class Out, class Compare>
  Out operator()(A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    return std::set_difference(a, a_end, b, b_end, out, [&](const auto& x, const auto& y) { return compare(x, y); });
  }
  template <class Pieces>
  static std::ptrdiff_t results_max(const Pieces& pieces) noexcept {
    return pieces.a_end - pieces.a;
  }
};

struct set_symmetric_difference_operation {
  template <class A, class B, class Out, class Compare>
  Out operator()(A a, A a_end, B b, B b_end, Out out, Compare& compare) const {
    return std::set_symmetric_difference(a, a_end, b, b_end, out,
                                         [&](const auto& x, const auto& y) { return compare(x, y); });
  }
  template <class Pieces>
  static std::ptrdiff_t results_max(const Pieces& pieces) noexcept {
    return (pieces.a_end - pieces.a) + (pieces.b_end - pieces.b);
  }
};

struct includes_algorithm {
  template <class Policy, class A, class B, class Compare>
  bool operator()(const Policy& policy, A a, A a_end, B b, B b_end, Compare& compare) const {
    auto&& less = stoppable_order(policy, compare);
    if constexpr (Policy::is_parallel && std::random_access_iterator<A> && std::random_access_iterator<B>) {
      if ((a_end - a) + (b_end - b) > k_merge_grain) {
        const piece_pair pieces{to_plain(a), to_plain(a_end), to_plain(b), to_plain(b_end)};
        atomic<bool> all{true};
        call_on_worker([&] { check(pieces, less, all); });
        return all.load(order::relaxed);
      }
    }
    return serially(piece_pair{a, a_end, b, b_end}, less);
  }

 private:
  template <class Pieces, class Compare>
  static bool serially(const Pieces& pieces, Compare& compare) {
    return std::includes(pieces.a, pieces.a_end, pieces.b, pieces.b_end,
                         [&](const auto& x, const auto& y) { return compare(x, y); });
  }

  /// Clears `all` when an element is missing; the forks order that before the one that joins them reads it.
  template <class Pieces, class Compare>
  static void check(const Pieces& pieces, Compare& compare, atomic<bool>& all) {
    if (!all.load(order::relaxed)) return;
    const auto check_serially = [&] {
      if (!serially(pieces, compare)) all.store(false, order::relaxed);
    };
    if (pieces.size() <= k_merge_grain) return check_serially();
    const auto halves = pieces.halves(compare);
    if (halves.first.size() == 0 || halves.second.size() == 0) return check_serially();
    treadle::parallel_invoke([&] { check(halves.first, compare, all); }, [&] { check(halves.second, compare, all); });
  }
};

} // namespace detail

// Set operations on sorted ranges, which may hold equal elements, as in the standard library. All but includes() copy
// to `out`, which must not overlap the input, in sorted order and return the end of what was written. They are parallel
// when all iterators are random-access ones; pieces that other workers do are first written to memory of their own.
// When `compare`, which several workers call at the same time, throws, the exception is rethrown and what was written
// is unspecified; so it is when a stop is requested, which is looked for before each comparison.

/// Elements of either range, each as often as in the range that has more of them; of equal ones those of `a`
/// come first.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Out,
          class Compare = std::less<>>
auto set_union(const Policy& policy, A a, std::type_identity_t<A> a_end, B b, std::type_identity_t<B> b_end, Out out,
               Compare compare = {}) {
  return detail::run_algorithm(policy, detail::set_algorithm<detail::set_union_operation>{}, a, a_end, b, b_end, out,
                               std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          std::weakly_incrementable Out, class Compare = std::less<>>
auto set_union(const Policy& policy, A&& a, B&& b, Out out, Compare compare = {}) {
  return treadle::set_union(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b),
                            detail::last_of(b), out, std::move(compare));
}

/// Elements of `a` that are in `b`, too, each as often as in the range that has fewer of them.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Out,
          class Compare = std::less<>>
auto set_intersection(const Policy& policy, A a, std::type_identity_t<A> a_end, B b, std::type_identity_t<B> b_end,
                      Out out, Compare compare = {}) {
  return detail::run_algorithm(policy, detail::set_algorithm<detail::set_intersection_operation>{}, a, a_end, b, b_end,
                               out, std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          std::weakly_incrementable Out, class Compare = std::less<>>
auto set_intersection(const Policy& policy, A&& a, B&& b, Out out, Compare compare = {}) {
  return treadle::set_intersection(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b),
                                   detail::last_of(b), out, std::move(compare));
}

/// Elements of `a` that are not in `b`; of m equal ones the last m - n when `b` has n.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Out,
          class Compare = std::less<>>
auto set_difference(const Policy& policy, A a, std::type_identity_t<A> a_end, B b, std::type_identity_t<B> b_end,
                    Out out, Compare compare = {}) {
  return detail::run_algorithm(policy, detail::set_algorithm<detail::set_difference_operation>{}, a, a_end, b, b_end,
                               out, std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          std::weakly_incrementable Out, class Compare = std::less<>>
auto set_difference(const Policy& policy, A&& a, B&& b, Out out, Compare compare = {}) {
  return treadle::set_difference(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b),
                                 detail::last_of(b), out, std::move(compare));
}

/// Elements that are in only one of the ranges; of m equal ones in one range and n < m in the other the
/// last m - n.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Out,
          class Compare = std::less<>>
auto set_symmetric_difference(const Policy& policy, A a, std::type_identity_t<A> a_end, B b,
                              std::type_identity_t<B> b_end, Out out, Compare compare = {}) {
  return detail::run_algorithm(policy, detail::set_algorithm<detail::set_symmetric_difference_operation>{}, a, a_end, b,
                               b_end, out, std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          std::weakly_incrementable Out, class Compare = std::less<>>
auto set_symmetric_difference(const Policy& policy, A&& a, B&& b, Out out, Compare compare = {}) {
  return treadle::set_symmetric_difference(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b),
                                           detail::last_of(b), out, std::move(compare));
}

/// Whether every element of `b` is in `a`, at least as often.
template <any_execution_policy Policy, std::input_iterator A, std::input_iterator B, class Compare = std::less<>>
auto includes(const Policy& policy, A a, std::type_identity_t<A> a_end, B b, std::type_identity_t<B> b_end,
              Compare compare = {}) {
  return detail::run_algorithm(policy, detail::includes_algorithm{}, a, a_end, b, b_end, std::move(compare));
}
template <any_execution_policy Policy, detail::range_for<Policy> A, detail::range_for<Policy> B,
          class Compare = std::less<>>
auto includes(const Policy& policy, A&& a, B&& b, Compare compare = {}) {
  return treadle::includes(policy, std::ranges::begin(a), detail::last_of(a), std::ranges::begin(b), detail::last_of(b),
                           std::move(compare));
}

} // namespace treadle

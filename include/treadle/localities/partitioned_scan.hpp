#pragma once

#include <treadle/algorithm/reduce.hpp>
#include <treadle/algorithm/scan.hpp>
#include <treadle/localities/partitioned_algorithms.hpp>

/// Prefix sums of partitioned vectors, in two passes: each segment adds up its elements, and when it knows the sum of
/// all before it writes its results. So a segment gets two messages at most, beside the elements where those of the two
/// vectors do not lie together, and answers with its sum.
namespace treadle {

namespace detail {

/// The sum of a segment that is not empty.
template <auto Op, class R, class T>
R sum_in(called_object<vector_segment<T>> in) {
  const std::vector<T>& values = in.object->values();
  return treadle::transform_reduce(
      par, values.begin() + 1, values.end(), static_cast<R>(values.front()),
      [](const R& a, const R& b) { return static_cast<R>(Op(a, b)); },
      [](const T& value) { return static_cast<R>(value); });
}

template <auto Op, bool Exclusive, class T, class R>
void scan_into(called_object<vector_segment<R>> into, std::vector<vector_piece<T>> from, std::optional<R> before) {
  gathered<T> input(from);
  const std::span<const T> values = input.get();
  const auto out = into.object->values().begin();
  const auto add = [](const R& a, const R& b) { return static_cast<R>(Op(a, b)); };
  const auto convert = [](const T& value) { return static_cast<R>(value); };
  if constexpr (Exclusive)
    treadle::transform_exclusive_scan(par, values.begin(), values.end(), out, *std::move(before), add, convert);
  else if (before)
    treadle::transform_inclusive_scan(par, values.begin(), values.end(), out, add, convert, *std::move(before));
  else
    treadle::transform_inclusive_scan(par, values.begin(), values.end(), out, add, convert);
}

/// Of vectors whose segments lie together.
template <auto Op, bool Exclusive, class T, class R>
future<void> scan_together(const partitioned_vector<T>& from, const partitioned_vector<R>& into,
                           std::optional<R> before) {
  std::vector<future<R>> sums;
  const std::vector<vector_piece<T>> segments = from.pieces(0, from.size());
  for (std::size_t k = 0; k + 1 < segments.size(); ++k) // nobody needs the sum of the last one
    sums.push_back(call_segment<&sum_in<Op, R, T>>(segments[k].segment));
  return when_all(std::move(sums))
      .then([from, into, before = std::move(before)](future<std::vector<future<R>>> done) mutable {
        std::vector<std::optional<R>> all_before{std::move(before)};
        for (future<R>& sum : done.get()) {
          const std::optional<R>& last = all_before.back();
          R next = last ? static_cast<R>(Op(*last, sum.get())) : sum.get();
          all_before.emplace_back(std::move(next));
        }
        auto next = all_before.begin();
        return all_done(into.each_segment([&](const auto& segment, std::size_t first, std::size_t last) {
          return call_segment<&scan_into<Op, Exclusive, T, R>>(segment, from.pieces(first, last), *next++);
        }));
      });
}

template <class T, class R>
bool lie_together(const partitioned_vector<T>& a, const partitioned_vector<R>& b) noexcept {
  if (a.segments().size() != b.segments().size()) return false;
  for (std::size_t k = 0; k < a.segments().size(); ++k)
    if (a.segments()[k].where() != b.segments()[k].where()) return false;
  return true;
}

template <auto Op, bool Exclusive, class T, class R>
future<void> scan(const partitioned_vector<T>& from, const partitioned_vector<R>& into, std::optional<R> before) {
  if (lie_together(from, into)) return scan_together<Op, Exclusive>(from, into, std::move(before));
  return copy(from, into).then([into, before = std::move(before)](future<void> copied) mutable {
    copied.get();
    return scan_together<Op, Exclusive>(into, into, std::move(before));
  });
}

} // namespace detail

/// into[i] = from[0] Op ... Op from[i], in the type of `into`, which may be `from`. Op is associative and need not
/// commute; sums of floating-point numbers may be rounded differently from run to run. Where the segments of the two do
/// not lie together (transform()), `from` is copied to `into` first. What Op throws while segments are added up leaves
/// `into` as it was, or as that copy; what it throws later leaves some results written. Throws std::invalid_argument
/// where the sizes differ.
template <auto Op = detail::plus{}, class T, class R>
[[nodiscard]] future<void> inclusive_scan(const partitioned_vector<T>& from, const partitioned_vector<R>& into) {
  detail::require_same_size("inclusive_scan", from.size(), into.size());
  return detail::scan<Op, false>(from, into, std::optional<R>());
}
/// into[i] = init Op from[0] Op ... Op from[i - 1], in the same way.
template <auto Op = detail::plus{}, class T, class R>
[[nodiscard]] future<void> exclusive_scan(const partitioned_vector<T>& from, const partitioned_vector<R>& into,
                                          const std::type_identity_t<R>& init) {
  detail::require_same_size("exclusive_scan", from.size(), into.size());
  return detail::scan<Op, true>(from, into, std::optional<R>(init));
}

} // namespace treadle

#pragma once

#include <treadle/algorithm/any_of.hpp>
#include <treadle/algorithm/compare.hpp>
#include <treadle/algorithm/count.hpp>
#include <treadle/algorithm/fill.hpp>
#include <treadle/algorithm/find.hpp>
#include <treadle/algorithm/minmax.hpp>
#include <treadle/algorithm/transform.hpp>
#include <treadle/localities/partitioned_pieces.hpp>

#include <cereal/types/optional.hpp>

#include <optional>

/// Algorithms over partitioned vectors: each segment does its part where it lies, in parallel, and all segments at the
/// same time. Functions are template parameters, as of actions; what they need besides the elements follows as
/// arguments, which travel.
///
/// All return at once; until the future is ready nobody else may write what they read, or read what they write. Bad
/// arguments throw at the call. What a function throws is the future's exception, the first in the order of the
/// segments; the others do their parts nevertheless. Unless told otherwise, an algorithm costs one message to each
/// segment and one back, and no elements travel.
namespace treadle {

/// An element, and its number in the whole vector.
template <class T>
struct numbered_element {
  std::size_t position = 0;
  T value{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(position, value);
  }
};

namespace detail {

template <class T>
void fill_in(called_object<vector_segment<T>> in, T value) {
  treadle::fill(par, in.object->values(), value);
}

template <auto F, class T, class R, class... Args>
void transform_into(called_object<vector_segment<R>> into, std::vector<vector_piece<T>> from, Args... args) {
  gathered<T> input(from);
  const std::span<const T> values = input.get();
  treadle::transform(par, values.begin(), values.end(), into.object->values().begin(),
                     [&](const T& value) { return static_cast<R>(F(value, std::as_const(args)...)); });
}
template <auto F, class T, class U, class R, class... Args>
void transform_both_into(called_object<vector_segment<R>> into, std::vector<vector_piece<T>> first,
                         std::vector<vector_piece<U>> second, Args... args) {
  gathered<T> left(first);
  gathered<U> right(second);
  const std::span<const T> values = left.get();
  const std::span<const U> others = right.get();
  treadle::transform(par, values.begin(), values.end(), others.begin(), into.object->values().begin(),
                     [&](const T& a, const U& b) { return static_cast<R>(F(a, b, std::as_const(args)...)); });
}

template <class T, class U>
bool equal_in(called_object<vector_segment<T>> in, std::vector<vector_piece<U>> others) {
  gathered<U> second(others);
  return treadle::equal(par, in.object->values(), second.get());
}

template <auto F, class T, class... Args>
std::size_t count_in(called_object<vector_segment<T>> in, Args... args) {
  return static_cast<std::size_t>(treadle::count_if(
      par, in.object->values(), [&](const T& value) -> bool { return F(value, std::as_const(args)...); }));
}
/// The number of the first one in the whole vector.
template <auto F, class T, class... Args>
std::optional<std::size_t> find_in(called_object<vector_segment<T>> in, Args... args) {
  const std::vector<T>& values = in.object->values();
  const auto at =
      treadle::find_if(par, values, [&](const T& value) -> bool { return F(value, std::as_const(args)...); });
  if (at == values.end()) return std::nullopt;
  return in.object->first() + static_cast<std::size_t>(at - values.begin());
}
template <auto F, class T, class... Args>
bool any_in(called_object<vector_segment<T>> in, Args... args) {
  return treadle::any_of(par, in.object->values(),
                         [&](const T& value) -> bool { return F(value, std::as_const(args)...); });
}
template <auto F, class T, class... Args>
bool all_in(called_object<vector_segment<T>> in, Args... args) {
  return treadle::all_of(par, in.object->values(),
                         [&](const T& value) -> bool { return F(value, std::as_const(args)...); });
}

// What segments have found, put together; no templates, so that they are compiled once.
inline future<bool> all_true(std::vector<future<bool>> parts) {
  return folded(std::move(parts), true, [](bool so_far, bool next) { return so_far && next; });
}
inline future<bool> any_true(std::vector<future<bool>> parts) {
  return folded(std::move(parts), false, [](bool so_far, bool next) { return so_far || next; });
}
inline future<bool> opposite_of(future<bool> of) {
  return of.then(launch::sync, [](future<bool> done) { return !done.get(); });
}
inline future<std::optional<std::size_t>> first_found(std::vector<future<std::optional<std::size_t>>> parts) {
  return when_all(std::move(parts))
      .then(launch::sync, [](future<std::vector<future<std::optional<std::size_t>>>> done) {
        std::optional<std::size_t> found;
        for (auto& part : done.get())
          if ((found = part.get())) break;
        return found;
      });
}

template <auto Less, bool Greatest, class T>
numbered_element<T> extreme_in(called_object<vector_segment<T>> in) {
  const std::vector<T>& values = in.object->values();
  const auto less = [](const T& a, const T& b) -> bool { return Less(a, b); };
  const auto at = Greatest ? treadle::max_element(par, values, less) : treadle::min_element(par, values, less);
  return {in.object->first() + static_cast<std::size_t>(at - values.begin()), *at};
}
template <auto Less, bool Greatest, class T>
future<std::optional<numbered_element<T>>> extreme_of(const partitioned_vector<T>& of) {
  auto parts = of.each_segment([](const auto& segment, std::size_t, std::size_t) {
    return call_segment<&extreme_in<Less, Greatest, T>>(segment);
  });
  return when_all(std::move(parts)).then([](future<std::vector<future<numbered_element<T>>>> done) {
    std::optional<numbered_element<T>> best;
    for (auto& part : done.get()) {
      numbered_element<T> next = part.get();
      if (!best || (Greatest ? Less(best->value, next.value) : Less(next.value, best->value))) best = std::move(next);
    }
    return best;
  });
}

} // namespace detail

/// Assigns the value to each element.
template <class T>
[[nodiscard]] future<void> fill(const partitioned_vector<T>& in, const std::type_identity_t<T>& value) {
  return detail::all_done(in.each_segment([&](const auto& segment, std::size_t, std::size_t) {
    return detail::call_segment<&detail::fill_in<T>>(segment, value);
  }));
}

/// into[i] = F(from[i], args...), converted to the type of `into`, which may be `from`. Computed where into[i] lies:
/// where two vectors have as many segments in the same localities no elements travel; otherwise each segment fetches
/// the elements that it needs, a message to and from each segment that has some of them. Throws std::invalid_argument
/// where the sizes differ.
template <auto F, class T, class R, class... Args>
[[nodiscard]] future<void> transform(const partitioned_vector<T>& from, const partitioned_vector<R>& into,
                                     const Args&... args) {
  detail::require_same_size("transform", from.size(), into.size());
  return detail::all_done(into.each_segment([&](const auto& segment, std::size_t first, std::size_t last) {
    return detail::call_segment<&detail::transform_into<F, T, R, detail::as_sent<const Args&>...>>(
        segment, from.pieces(first, last), args...);
  }));
}
/// into[i] = F(a[i], b[i], args...), in the same way.
template <auto F, class T, class U, class R, class... Args>
[[nodiscard]] future<void> transform(const partitioned_vector<T>& a, const partitioned_vector<U>& b,
                                     const partitioned_vector<R>& into, const Args&... args) {
  detail::require_same_size("transform", a.size(), b.size());
  detail::require_same_size("transform", a.size(), into.size());
  return detail::all_done(into.each_segment([&](const auto& segment, std::size_t first, std::size_t last) {
    return detail::call_segment<&detail::transform_both_into<F, T, U, R, detail::as_sent<const Args&>...>>(
        segment, a.pieces(first, last), b.pieces(first, last), args...);
  }));
}
/// into[i] = from[i], in the same way.
template <class T, class R>
[[nodiscard]] future<void> copy(const partitioned_vector<T>& from, const partitioned_vector<R>& into) {
  detail::require_same_size("copy", from.size(), into.size());
  return transform<detail::unchanged{}>(from, into);
}

/// Whether both have the same number of elements, and these are equal. Elements of `b` travel as those of transform().
template <class T, class U>
[[nodiscard]] future<bool> equal(const partitioned_vector<T>& a, const partitioned_vector<U>& b) {
  if (a.size() != b.size()) return make_ready_future(false);
  return detail::all_true(a.each_segment([&](const auto& segment, std::size_t first, std::size_t last) {
    return detail::call_segment<&detail::equal_in<T, U>>(segment, b.pieces(first, last));
  }));
}

/// For how many elements F(element, args...) is true.
template <auto F, class T, class... Args>
[[nodiscard]] future<std::size_t> count_if(const partitioned_vector<T>& in, const Args&... args) {
  return detail::folded(in.each_segment([&](const auto& segment, std::size_t, std::size_t) {
    return detail::call_segment<&detail::count_in<F, T, detail::as_sent<const Args&>...>>(segment, args...);
  }),
                        std::size_t{0}, detail::plus());
}
/// The number of the first element for which F(element, args...) is true; none where there is no such element. All
/// segments look for theirs; what F throws behind the first one in another segment is not told.
template <auto F, class T, class... Args>
[[nodiscard]] future<std::optional<std::size_t>> find_if(const partitioned_vector<T>& in, const Args&... args) {
  return detail::first_found(in.each_segment([&](const auto& segment, std::size_t, std::size_t) {
    return detail::call_segment<&detail::find_in<F, T, detail::as_sent<const Args&>...>>(segment, args...);
  }));
}
/// Whether F(element, args...) is true for some element. In a segment, the others are left out when one is known.
template <auto F, class T, class... Args>
[[nodiscard]] future<bool> any_of(const partitioned_vector<T>& in, const Args&... args) {
  return detail::any_true(in.each_segment([&](const auto& segment, std::size_t, std::size_t) {
    return detail::call_segment<&detail::any_in<F, T, detail::as_sent<const Args&>...>>(segment, args...);
  }));
}
/// For each of them; also where there is none.
template <auto F, class T, class... Args>
[[nodiscard]] future<bool> all_of(const partitioned_vector<T>& in, const Args&... args) {
  return detail::all_true(in.each_segment([&](const auto& segment, std::size_t, std::size_t) {
    return detail::call_segment<&detail::all_in<F, T, detail::as_sent<const Args&>...>>(segment, args...);
  }));
}
/// For no one of them.
template <auto F, class T, class... Args>
[[nodiscard]] future<bool> none_of(const partitioned_vector<T>& in, const Args&... args) {
  return detail::opposite_of(any_of<F>(in, args...));
}

/// The first of the smallest elements by Less, a strict weak order, and where it is; none of an empty vector.
template <auto Less = detail::less{}, class T>
[[nodiscard]] future<std::optional<numbered_element<T>>> min_element(const partitioned_vector<T>& in) {
  return detail::extreme_of<Less, false>(in);
}
/// The first of the greatest elements.
template <auto Less = detail::less{}, class T>
[[nodiscard]] future<std::optional<numbered_element<T>>> max_element(const partitioned_vector<T>& in) {
  return detail::extreme_of<Less, true>(in);
}

} // namespace treadle

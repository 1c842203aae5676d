#pragma once

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/localities/object.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace treadle {

/// Consecutive elements of a partitioned_vector that lie in one locality.
template <class T>
class vector_segment {
  static_assert(!std::is_same_v<T, bool>, "elements of vector<bool> cannot be written at the same time");

 public:
  vector_segment(std::size_t first, std::size_t size, const T& value) : m_first(first), m_values(size, value) {}

  std::size_t first() const noexcept { return m_first; } ///< the number of the first one in the whole vector
  std::vector<T>& values() noexcept { return m_values; }

  T get(std::size_t i) const { return m_values.at(i); }
  void set(std::size_t i, T value) { m_values.at(i) = std::move(value); }
  std::vector<T> copy() const { return m_values; }
  /// Those from `first` to before `last`, counted in this segment. Throws std::out_of_range.
  std::vector<T> get_range(std::size_t first, std::size_t last) const {
    require(first, last);
    const auto at = [this](std::size_t i) { return m_values.begin() + static_cast<std::ptrdiff_t>(i); };
    return std::vector<T>(at(first), at(last));
  }
  void set_range(std::size_t first, std::vector<T> values) {
    require(first, first + values.size());
    for_loop(par, std::size_t{0}, values.size(), [&](std::size_t i) { m_values[first + i] = std::move(values[i]); });
  }
  /// F(element, its number in the whole vector, args...) for each, in parallel.
  template <auto F, class... Args>
  void for_each(Args... args) {
    for_loop(par, std::size_t{0}, m_values.size(),
             [&](std::size_t i) { F(m_values[i], m_first + i, std::as_const(args)...); });
  }
  /// Op over all Map(element), in the order of the elements. R is the type of Map's result.
  template <auto Map, auto Op, class R>
  R reduce(R identity) const {
    R result = identity;
    for_loop(par, std::size_t{0}, m_values.size(),
             reduction(result, identity, [](const R& a, const R& b) { return Op(a, b); }),
             [&](std::size_t i, R& part) { part = Op(part, Map(m_values[i])); });
    return result;
  }

 private:
  void require(std::size_t first, std::size_t last) const {
    if (first > last || last > m_values.size()) throw std::out_of_range("elements that a segment does not have");
  }

  std::size_t m_first;
  std::vector<T> m_values;
};

/// Elements of one segment, from `first` to before `last`, counted in it.
template <class T>
struct vector_piece {
  remote<vector_segment<T>> segment;
  std::size_t first = 0, last = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(segment, first, last);
  }
};

/// A vector whose elements lie in several localities, in blocks of nearly the same size. Made by one locality; a copy
/// is a reference to the same elements, and may be sent to others. The elements end with the last copy.
///
/// Operations return at once. Those that overlap are not ordered: wait for one before another that reads what it
/// writes. What a function throws where elements lie is the future's exception, the first in the order of the segments.
/// More of them: partitioned_algorithms.hpp, partitioned_scan.hpp, partitioned_sort.hpp.
template <class T>
class partitioned_vector {
 public:
  partitioned_vector() = default;
  /// `over`: one block in each. Waits until all are made.
  explicit partitioned_vector(std::size_t size, const T& value = T(),
                              const std::vector<locality>& over = find_all_localities())
      : m_size(size) {
    if (over.empty()) throw std::invalid_argument("a partitioned vector over no locality");
    std::vector<future<remote<vector_segment<T>>>> all;
    for (std::size_t k = 0; k < over.size(); ++k) {
      const std::size_t first = size * k / over.size(), end = size * (k + 1) / over.size();
      all.push_back(make_remote<vector_segment<T>>(over[k], first, end - first, value));
    }
    for (auto& one : all) m_segments.push_back(one.get());
  }

  std::size_t size() const noexcept { return m_size; }
  const std::vector<remote<vector_segment<T>>>& segments() const noexcept { return m_segments; }
  /// The number of the first element of the k-th segment; with as many as there are segments, size().
  std::size_t first_of(std::size_t k) const noexcept { return m_segments.empty() ? 0 : m_size * k / m_segments.size(); }
  /// Where the elements from `first` to before `last` are, in their order. Throws std::out_of_range.
  std::vector<vector_piece<T>> pieces(std::size_t first, std::size_t last) const {
    if (first > last || last > m_size)
      throw std::out_of_range("elements from " + std::to_string(first) + " to before " + std::to_string(last) +
                              " of a partitioned vector of " + std::to_string(m_size));
    std::vector<vector_piece<T>> all;
    for (std::size_t i = first; i < last;) {
      const place at = place_of(i);
      const std::size_t begin = first_of(at.segment), next = first_of(at.segment + 1), end = next < last ? next : last;
      all.push_back({m_segments[at.segment], at.i, end - begin});
      i = end;
    }
    return all;
  }

  /// Throws std::out_of_range.
  [[nodiscard]] future<T> get(std::size_t i) const {
    const place at = place_of(i);
    return async<&vector_segment<T>::get>(m_segments[at.segment], at.i);
  }
  [[nodiscard]] future<void> set(std::size_t i, const T& value) const {
    const place at = place_of(i);
    return async<&vector_segment<T>::set>(m_segments[at.segment], at.i, value);
  }
  /// All elements, in this locality.
  [[nodiscard]] future<std::vector<T>> copy() const { return get_range(0, m_size); }
  /// Those from `first` to before `last`: a message to each segment that has some of them, and one back. Throws
  /// std::out_of_range.
  [[nodiscard]] future<std::vector<T>> get_range(std::size_t first, std::size_t last) const {
    std::vector<future<std::vector<T>>> parts;
    for (const vector_piece<T>& piece : pieces(first, last))
      parts.push_back(async<&vector_segment<T>::get_range>(piece.segment, piece.first, piece.last));
    return detail::folded(std::move(parts), std::vector<T>(), [](std::vector<T> all, std::vector<T> part) {
      if (all.empty()) return part;
      all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
      return all;
    });
  }
  /// These values, from element `first` on. Throws std::out_of_range where there are not so many elements.
  [[nodiscard]] future<void> set_range(std::size_t first, const std::vector<T>& values) const {
    std::vector<future<void>> parts;
    auto next = values.begin();
    for (const vector_piece<T>& piece : pieces(first, first + values.size())) {
      const auto begin = next;
      next += static_cast<std::ptrdiff_t>(piece.last - piece.first);
      if (begin == values.begin() && next == values.end()) // without a copy
        parts.push_back(async<&vector_segment<T>::set_range>(piece.segment, piece.first, values));
      else
        parts.push_back(async<&vector_segment<T>::set_range>(piece.segment, piece.first, std::vector<T>(begin, next)));
    }
    return detail::all_done(std::move(parts));
  }
  /// As many values as there are elements: all of them. Throws std::length_error.
  [[nodiscard]] future<void> assign(const std::vector<T>& values) const {
    if (values.size() != m_size)
      throw std::length_error(std::to_string(values.size()) + " values for a partitioned vector of " +
                              std::to_string(m_size));
    return set_range(0, values);
  }

  /// Calls F(element, its number, args...) for each where it lies, in parallel.
  template <auto F, class... Args>
  [[nodiscard]] future<void> for_each(const Args&... args) const {
    return detail::all_done(each_segment([&](const auto& segment, std::size_t, std::size_t) {
      return async<&vector_segment<T>::template for_each<F, detail::as_sent<const Args&>...>>(segment, args...);
    }));
  }
  /// Op over all Map(element), in the order of the elements, where they lie and then here. Op is associative and has
  /// this identity.
  template <auto Map, auto Op, class R>
  [[nodiscard]] future<R> reduce(R identity) const {
    return detail::folded(each_segment([&](const auto& segment, std::size_t, std::size_t) {
                            return async<&vector_segment<T>::template reduce<Map, Op, R>>(segment, identity);
                          }),
                          identity, [](R a, R b) { return Op(a, b); });
  }
  /// call(segment, the number of its first element, that behind its last one) for each segment that has elements, one
  /// after the other, and what these calls return.
  template <class Call>
  auto each_segment(Call call) const {
    std::vector<decltype(call(m_segments.front(), m_size, m_size))> all;
    for (std::size_t k = 0; k < m_segments.size(); ++k)
      if (first_of(k) < first_of(k + 1)) all.push_back(call(m_segments[k], first_of(k), first_of(k + 1)));
    return all;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(m_size, m_segments);
  }

 private:
  struct place {
    std::size_t segment, i;
  };
  place place_of(std::size_t i) const {
    if (i >= m_size || m_segments.empty())
      throw std::out_of_range("element " + std::to_string(i) + " of a partitioned vector of " + std::to_string(m_size));
    std::size_t k = i * m_segments.size() / m_size;
    while (i >= first_of(k + 1)) ++k;
    while (i < first_of(k)) --k;
    return {k, i - first_of(k)};
  }

  std::size_t m_size = 0;
  std::vector<remote<vector_segment<T>>> m_segments;
};

} // namespace treadle

#pragma once

#include <treadle/algorithm/for_loop.hpp>
#include <treadle/localities/object.hpp>

#include <cstddef>
#include <functional>
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
  void assign(std::vector<T> values) {
    if (values.size() != m_values.size()) throw std::length_error("a segment of another size");
    m_values = std::move(values);
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
  std::size_t m_first;
  std::vector<T> m_values;
};

/// A vector whose elements lie in several localities, in blocks of nearly the same size. Made by one locality; a copy
/// is a reference to the same elements, and may be sent to others. The elements end with the last copy.
///
/// Operations return at once. Those that overlap are not ordered: wait for one before another that reads what it
/// writes.
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
  [[nodiscard]] future<std::vector<T>> copy() const {
    return detail::folded(call_all([](const auto& segment) { return async<&vector_segment<T>::copy>(segment); }),
                          std::vector<T>(), [](std::vector<T> all, std::vector<T> part) {
                            all.insert(all.end(), std::make_move_iterator(part.begin()),
                                       std::make_move_iterator(part.end()));
                            return all;
                          });
  }
  /// Calls F(element, its number, args...) for each where it lies, in parallel.
  template <auto F, class... Args>
  [[nodiscard]] future<void> for_each(const Args&... args) const {
    return when_each([](future<void> done) { done.get(); }, call_all([&](const auto& segment) {
                       return async<&vector_segment<T>::template for_each<F, detail::as_sent<const Args&>...>>(segment,
                                                                                                               args...);
                     }));
  }
  /// Op over all Map(element), in the order of the elements, where they lie and then here. Op is associative and has
  /// this identity.
  template <auto Map, auto Op, class R>
  [[nodiscard]] future<R> reduce(R identity) const {
    return detail::folded(call_all([&](const auto& segment) {
                            return async<&vector_segment<T>::template reduce<Map, Op, R>>(segment, identity);
                          }),
                          identity, [](R a, R b) { return Op(a, b); });
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
    const std::size_t n = m_segments.size();
    std::size_t k = i * n / m_size;
    while (i >= m_size * (k + 1) / n) ++k;
    while (i < m_size * k / n) --k;
    return {k, i - m_size * k / n};
  }
  template <class Call>
  auto call_all(Call call) const {
    std::vector<decltype(call(m_segments.front()))> all;
    for (const auto& segment : m_segments) all.push_back(call(segment));
    return all;
  }

  std::size_t m_size = 0;
  std::vector<remote<vector_segment<T>>> m_segments;
};

} // namespace treadle

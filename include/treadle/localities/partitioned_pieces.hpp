#pragma once

#include <treadle/localities/partitioned_vector.hpp>

#include <span>

/// What algorithms over partitioned vectors have in common.
namespace treadle::detail {

/// Action(segment, args...) where the segment lies.
template <auto Action, class T, class... Args>
auto call_segment(const remote<vector_segment<T>>& segment, const Args&... args) {
  return async<Action>(segment.where(), called(segment), args...);
}

inline void require_same_size(const char* what, std::size_t a, std::size_t b) {
  if (a != b)
    throw std::invalid_argument(std::string(what) + ": partitioned vectors of " + std::to_string(a) + " and " +
                                std::to_string(b) + " elements");
}

/// Elements of a partitioned vector that follow each other, in this locality: where they lie if one segment here has
/// all of them, and copies otherwise. The copies are under way from the beginning.
template <class T>
class gathered {
 public:
  explicit gathered(const std::vector<vector_piece<T>>& pieces) {
    if (pieces.size() == 1) m_segment = pieces.front().segment.here();
    if (m_segment) {
      m_values = std::span<const T>(m_segment->values()).subspan(pieces.front().first);
      m_values = m_values.first(pieces.front().last - pieces.front().first);
      return;
    }
    for (const vector_piece<T>& piece : pieces)
      m_coming.push_back(async<&vector_segment<T>::get_range>(piece.segment, piece.first, piece.last));
  }
  /// Waits for them.
  std::span<const T> get() {
    for (future<std::vector<T>>& one : m_coming) {
      std::vector<T> part = one.get();
      if (m_copies.empty())
        m_copies = std::move(part);
      else
        m_copies.insert(m_copies.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    if (!m_coming.empty()) m_values = m_copies;
    m_coming.clear();
    return m_values;
  }

 private:
  std::shared_ptr<vector_segment<T>> m_segment;
  std::vector<future<std::vector<T>>> m_coming;
  std::vector<T> m_copies;
  std::span<const T> m_values;
};

/// F, a function or a function object, as an object. A function object keeps its type, by which algorithms know faster
/// ways.
template <auto F>
constexpr auto as_object() noexcept {
  if constexpr (std::is_class_v<decltype(F)>)
    return F;
  else
    return [](const auto&... args) -> decltype(auto) { return F(args...); };
}

} // namespace treadle::detail

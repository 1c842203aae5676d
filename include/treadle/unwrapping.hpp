#pragma once

#include <treadle/future.hpp>

#include <tuple>
#include <vector>

namespace treadle {

namespace detail {

template <class T>
T&& unwrap(T&& value) {
  return std::forward<T>(value);
}
template <class T>
decltype(auto) unwrap(future<T>&& f) {
  return f.get();
}
template <class T>
decltype(auto) unwrap(const shared_future<T>& f) {
  return f.get();
}
template <class T>
  requires(!std::is_void_v<T>)
std::vector<T> unwrap(std::vector<future<T>>&& futures) {
  std::vector<T> values;
  values.reserve(futures.size());
  for (auto& f : futures) values.push_back(f.get());
  return values;
}
inline std::tuple<> unwrap(std::vector<future<void>>&& futures) {
  for (auto& f : futures) f.get();
  return {};
}

/// An argument as a tuple of zero or one element: void futures pass nothing on.
template <class T>
auto unwrap_to_tuple(T&& argument) {
  using result = decltype(detail::unwrap(std::forward<T>(argument)));
  if constexpr (std::is_void_v<result>) {
    detail::unwrap(std::forward<T>(argument));
    return std::tuple<>();
  } else if constexpr (std::is_same_v<result, std::tuple<>>) {
    return detail::unwrap(std::forward<T>(argument));
  } else {
    return std::tuple<result>(detail::unwrap(std::forward<T>(argument)));
  }
}

} // namespace detail

/// A callable that passes the values of its future arguments on to f (void futures pass nothing). For dataflow and then:
/// `dataflow(unwrapping([](int a, int b) { return a + b; }), async(x), async(y))`. An exception in an argument is
/// rethrown, so it becomes the result.
template <class F>
auto unwrapping(F&& f) {
  return [f = std::decay_t<F>(std::forward<F>(f))]<class... Args>(Args&&... args) mutable -> decltype(auto) {
    return std::apply(std::move(f), std::tuple_cat(detail::unwrap_to_tuple(std::forward<Args>(args))...));
  };
}

} // namespace treadle

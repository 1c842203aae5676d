#pragma once

#include <treadle/dataflow.hpp>

#include <tuple>
#include <vector>

namespace treadle {

namespace detail {

template <class T>
struct unwrapper {
  static T&& get(T&& value) noexcept { return std::forward<T>(value); }
};
template <class T>
struct unwrapper<future<T>> {
  static T get(future<T>&& f) { return f.get(); }
};
template <class T>
struct unwrapper<shared_future<T>> {
  static decltype(auto) get(const shared_future<T>& f) { return f.get(); }
};
template <class T>
struct unwrapper<std::vector<future<T>>> {
  static std::vector<T> get(std::vector<future<T>>&& futures) {
    std::vector<T> values;
    values.reserve(futures.size());
    for (auto& f : futures) values.push_back(f.get());
    return values;
  }
};
template <>
struct unwrapper<std::vector<future<void>>> {
  static void get(std::vector<future<void>>&& futures) {
    for (auto& f : futures) f.get();
  }
};
template <class T>
struct unwrapper<std::vector<shared_future<T>>> {
  static std::vector<T> get(const std::vector<shared_future<T>>& futures) {
    std::vector<T> values;
    values.reserve(futures.size());
    for (const auto& f : futures) values.push_back(f.get());
    return values;
  }
};

/// An argument as a tuple of zero or one element: void futures pass nothing on.
template <class T>
auto unwrap_to_tuple(T&& argument) {
  using value = std::remove_cvref_t<T>;
  using unwrap = unwrapper<std::conditional_t<is_future<value> || is_future_vector<value>, value, T>>;
  using result = decltype(unwrap::get(std::forward<T>(argument)));
  if constexpr (std::is_void_v<result>) {
    unwrap::get(std::forward<T>(argument));
    return std::tuple<>();
  } else {
    return std::tuple<result>(unwrap::get(std::forward<T>(argument)));
  }
}

} // namespace detail

/// A callable that passes the values of its future arguments on to f (void futures pass nothing). For dataflow and
/// then: `dataflow(unwrapping([](int a, int b) { return a + b; }), async(x), async(y))`. An exception in an argument is
/// rethrown, so it becomes the result.
template <class F>
auto unwrapping(F&& f) {
  return [f = std::decay_t<F>(std::forward<F>(f))]<class... Args>(Args&&... args) mutable -> decltype(auto) {
    return std::apply(std::move(f), std::tuple_cat(detail::unwrap_to_tuple(std::forward<Args>(args))...));
  };
}

} // namespace treadle

#pragma once

#include <type_traits>
#include <utility>

namespace treadle::detail {

/// std::invoke without <functional>.
template <class F, class... Args>
constexpr decltype(auto) invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>) {
    return [&f]<class Object, class... Rest>(Object&& object, Rest&&... rest) -> decltype(auto) {
      if constexpr (std::is_member_function_pointer_v<std::decay_t<F>>) {
        if constexpr (std::is_pointer_v<std::decay_t<Object>>) {
          return (object->*f)(std::forward<Rest>(rest)...);
        } else {
          return (std::forward<Object>(object).*f)(std::forward<Rest>(rest)...);
        }
      } else if constexpr (std::is_pointer_v<std::decay_t<Object>>) {
        return (object->*f);
      } else {
        return (std::forward<Object>(object).*f);
      }
    }(std::forward<Args>(args)...);
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

/// The callable with its arguments copied or moved in, as std::thread does; called once, as an rvalue.
template <class F, class... Args>
auto bind_arguments(F&& f, Args&&... args) {
  if constexpr (sizeof...(Args) == 0) {
    return std::decay_t<F>(std::forward<F>(f));
  } else {
    return [f = std::decay_t<F>(std::forward<F>(f)),
            ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable -> decltype(auto) {
      return detail::invoke(std::move(f), std::move(args)...);
    };
  }
}

} // namespace treadle::detail

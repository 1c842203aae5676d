#pragma once

#include <type_traits>
#include <utility>

namespace treadle::detail {

/// What a pointer to member of Class applies to: the object itself, what a reference wrapper refers to, or what a
/// (smart) pointer points to.
template <class Class, class Object>
constexpr decltype(auto) member_target(Object&& object) {
  if constexpr (std::is_base_of_v<Class, std::remove_cvref_t<Object>>) {
    return static_cast<Object&&>(object);
  } else if constexpr (requires { object.get().*std::declval<int Class::*>(); }) {
    return object.get();
  } else {
    return *std::forward<Object>(object);
  }
}

template <class Class, class Member, class Object, class... Args>
constexpr decltype(auto) invoke_member(Member Class::* member, Object&& object, Args&&... args) {
  if constexpr (std::is_function_v<Member>) {
    return (detail::member_target<Class>(std::forward<Object>(object)).*member)(std::forward<Args>(args)...);
  } else {
    return (detail::member_target<Class>(std::forward<Object>(object)).*member);
  }
}

/// std::invoke without <functional>.
template <class F, class... Args>
constexpr decltype(auto) invoke(F&& f, Args&&... args) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>) {
    return detail::invoke_member(f, std::forward<Args>(args)...);
  } else {
    return std::forward<F>(f)(std::forward<Args>(args)...);
  }
}

} // namespace treadle::detail

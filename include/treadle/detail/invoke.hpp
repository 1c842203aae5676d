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

/// A callable that keeps the name of the one that it was made of (annotated(), named()).
template <class Call>
struct annotated_call : Call {
  const char* name;
  const char* annotation() const noexcept { return name; }
};

/// The callable with its arguments copied or moved in, as std::thread does; called once, as an rvalue.
template <class F, class... Args>
auto bind_arguments(F&& f, Args&&... args) {
  if constexpr (sizeof...(Args) == 0) {
    return std::decay_t<F>(std::forward<F>(f));
  } else if constexpr (requires { f.annotation(); }) {
    const char* const name = f.annotation();
    auto call = [f = std::decay_t<F>(std::forward<F>(f)),
                 ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable -> decltype(auto) {
      return detail::invoke(std::move(f), std::move(args)...);
    };
    return annotated_call<decltype(call)>{std::move(call), name};
  } else {
    return [f = std::decay_t<F>(std::forward<F>(f)),
            ... args = std::decay_t<Args>(std::forward<Args>(args))]() mutable -> decltype(auto) {
      return detail::invoke(std::move(f), std::move(args)...);
    };
  }
}

} // namespace treadle::detail

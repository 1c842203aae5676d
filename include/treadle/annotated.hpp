#pragma once

#include <treadle/detail/invoke.hpp>

#include <type_traits>
#include <utility>

namespace treadle {

/// A callable with a name, which messages, traces and counters show for the tasks made of it.
template <class F>
class annotated_function {
 public:
  annotated_function(F function, const char* name) : m_function(std::move(function)), m_name(name) {}
  const char* annotation() const noexcept { return m_name; }
  /// The callable alone.
  F&& function() && noexcept { return std::move(m_function); }
  const F& function() const& noexcept { return m_function; }

  template <class... Args>
  decltype(auto) operator()(Args&&... args) {
    return detail::invoke(m_function, std::forward<Args>(args)...);
  }
  template <class... Args>
  decltype(auto) operator()(Args&&... args) const {
    return detail::invoke(m_function, std::forward<Args>(args)...);
  }

 private:
  F m_function;
  const char* m_name;
};

namespace detail {
template <class F>
inline constexpr bool is_annotated = false;
template <class F>
inline constexpr bool is_annotated<annotated_function<F>> = true;
} // namespace detail

/// `async(annotated(f, "assemble"), ...)`. The name is not copied: use a literal.
template <class F>
annotated_function<std::decay_t<F>> annotated(F&& f, const char* name) {
  return {std::forward<F>(f), name};
}

} // namespace treadle

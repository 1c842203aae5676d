#pragma once

#include <treadle/detail/invoke.hpp>
#include <treadle/detail/stop_signal.hpp>
#include <treadle/stopped.hpp>

namespace treadle::detail {

/// A function that is not called any more when a stop was requested before: it throws stopped instead. One without
/// arguments may take the token. Called once.
template <class Token, class F>
struct stoppable {
  Token token;
  F function;

  decltype(auto) operator()() {
    look();
    if constexpr (std::is_invocable_v<F, Token>)
      return detail::invoke(std::move(function), std::move(token));
    else
      return detail::invoke(std::move(function));
  }
  template <class First, class... Rest>
  decltype(auto) operator()(First&& first, Rest&&... rest) {
    look();
    return detail::invoke(std::move(function), std::forward<First>(first), std::forward<Rest>(rest)...);
  }

 private:
  void look() const {
    if (token.stop_requested()) throw stopped();
  }
};

template <class Token, class F>
stoppable<Token, std::decay_t<F>> make_stoppable(const Token& token, F&& f) {
  return {token, std::forward<F>(f)};
}

} // namespace treadle::detail

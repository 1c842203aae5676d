#include <treadle/future_error.hpp>

namespace treadle {

const char* future_error::what() const noexcept {
  switch (m_code) {
  case future_errc::broken_promise:
    return "broken promise: the promise was destroyed before it had a value";
  case future_errc::future_already_retrieved:
    return "the future of this promise was already retrieved";
  case future_errc::promise_already_satisfied:
    return "the promise already has a value or an exception";
  case future_errc::no_state:
    return "no shared state: the future or promise is empty or was moved from";
  }
  return "future error";
}

namespace detail {

void throw_future_error(future_errc code) { throw future_error(code); }

std::exception_ptr make_broken_promise() noexcept {
  return std::make_exception_ptr(future_error(future_errc::broken_promise));
}

} // namespace detail

} // namespace treadle

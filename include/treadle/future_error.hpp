#pragma once

#include <exception>

namespace treadle {

enum class future_errc { broken_promise = 1, future_already_retrieved, promise_already_satisfied, no_state };
enum class future_status { ready, timeout, deferred };

/// Misuse of a future or promise, as std::future_error.
class future_error : public std::exception {
 public:
  explicit future_error(future_errc code) noexcept : m_code(code) {}
  future_errc code() const noexcept { return m_code; }
  const char* what() const noexcept override;

 private:
  future_errc m_code;
};

namespace detail {
[[noreturn]] void throw_future_error(future_errc code);
std::exception_ptr make_broken_promise() noexcept;
} // namespace detail

} // namespace treadle

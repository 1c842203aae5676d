#pragma once

#include <treadle/detail/order.hpp>

#include <functional>
#include <initializer_list>
#include <source_location>

namespace treadle::check {

/// A thread of the explored program. Must be joined.
class thread {
 public:
  explicit thread(std::function<void()> body);
  void join(const std::source_location& at = std::source_location::current());

 private:
  unsigned m_id;
};

/// Number of the running thread; the program starts as 0.
unsigned this_thread();

/// Runs all of them as threads and waits for their ends.
void in_parallel(const std::vector<std::function<void()>>& bodies);

/// As std::atomic_thread_fence, which the product does not use.
void fence(detail::order o, const std::source_location& at = std::source_location::current());

/// Fails the execution when the condition does not hold.
void require(bool condition, const char* what, const std::source_location& at = std::source_location::current());

} // namespace treadle::check

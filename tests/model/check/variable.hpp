#pragma once

#include <treadle/detail/order.hpp>

#include <cstdint>
#include <source_location>

namespace treadle::check {

using detail::order;

/// The untyped part of check::atomic: an object in the memory of the execution, or, outside of executions, nothing.
class variable {
 public:
  using where = const std::source_location&;

  /// Inside an execution; `initial` is the value it is constructed with.
  void construct(std::uint64_t initial);
  void destroy() noexcept;

  /// What these get as `initial` is used when the object is older than the execution.
  std::uint64_t load(std::uint64_t initial, order o, where at);
  void store(std::uint64_t initial, std::uint64_t value, order o, where at);
  std::uint64_t exchange(std::uint64_t initial, std::uint64_t value, order o, where at);
  bool compare_exchange(std::uint64_t initial, std::uint64_t& expected, std::uint64_t desired, order success,
                        order failure, where at);
  /// The newest value becomes change(value, argument).
  std::uint64_t fetch(std::uint64_t initial, std::uint64_t (*change)(std::uint64_t, std::uint64_t),
                      std::uint64_t argument, order o, where at, const char* name);

  void wait(std::uint64_t initial, std::uint64_t expected, std::int64_t timeout_ns, where at); ///< negative: for ever
  void wake(int count, where at); ///< the object may be gone

 private:
  std::uint32_t open(std::uint64_t initial, where at);
  std::uint32_t identify(std::uint64_t initial);
  std::uint64_t replace(std::uint32_t location, std::uint64_t value, order o, where at, const char* name);

  std::uint32_t m_location = 0;
  unsigned m_execution = 0; // in which m_location means something
};

/// True on a thread of an execution.
bool is_exploring() noexcept;

} // namespace treadle::check

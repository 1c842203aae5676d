#pragma once

#include "model/check/view.hpp"

#include <source_location>
#include <utility>

namespace treadle::check {

/// When a plain object was last accessed, and by whom. No step of the execution: whether two accesses race depends on
/// the order of the atomic operations around them only.
class access_times {
 public:
  void read(const std::source_location& at) const;
  void write(const std::source_location& at) const;

 private:
  void forget_other_executions() const;

  mutable unsigned m_execution = 0;
  mutable unsigned m_writer = k_threads_max;
  mutable std::uint32_t m_written = 0;
  mutable std::array<std::uint32_t, k_threads_max> m_read{};
};

/// Plain data that several threads use: every access is checked for a data race. Stands for detail::plain in the model
/// build.
template <class T>
class cell {
  using where = std::source_location;

 public:
  cell(T value = T{}, where at = where::current()) : m_value(std::move(value)) { m_times.write(at); }
  cell(const cell& other) : cell(other.get()) {}
  cell& operator=(const cell& other) { return *this = other.get(); }
  cell& operator=(T value) {
    set(std::move(value));
    return *this;
  }
  operator const T&() const { return get(); }
  const T& operator->() const { return get(); }

  const T& get(where at = where::current()) const {
    m_times.read(at);
    return m_value;
  }
  void set(T value, where at = where::current()) {
    m_times.write(at);
    m_value = std::move(value);
  }

 private:
  access_times m_times;
  T m_value;
};

} // namespace treadle::check

namespace treadle::detail {
template <class T>
using plain = check::cell<T>;
}

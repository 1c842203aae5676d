#pragma once

#include "base/clock.hpp"
#include "loop/decision.hpp"

#include <algorithm>

namespace treadle::detail {

/// Books the time for which it lives as time of deciding.
class deciding_time {
 public:
  explicit deciding_time(loop::decision& of) noexcept : m_of(of), m_start(ticks_now()) {}
  ~deciding_time() { m_of.decided(static_cast<double>(ticks_to_ns(std::max<std::int64_t>(ticks_now() - m_start, 0)))); }
  deciding_time(const deciding_time&) = delete;
  deciding_time& operator=(const deciding_time&) = delete;

 private:
  loop::decision& m_of;
  std::int64_t m_start;
};

} // namespace treadle::detail

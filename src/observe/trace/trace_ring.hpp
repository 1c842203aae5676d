#pragma once

#include "observe/emit.hpp"

#include <bit>
#include <cmath>
#include <string_view>
#include <thread>
#include <vector>

namespace treadle::detail {

/// A record as it is kept.
struct trace_record {
  std::int64_t ticks;
  event_record what;
};

/// What is shown of an event that is neither of a task nor of a parcel: a value that changes, or a moment.
inline bool has_value(const event_record& what) noexcept {
  return what.kind == event_kind::sample || what.kind == event_kind::knob ||
         (what.kind == event_kind::custom && !std::isnan(what.value));
}
inline std::string_view name_of_moment(const event_record& what) noexcept {
  return what.kind == event_kind::steal ? "steal" : what.kind == event_kind::promotion ? "promotion" : what.name;
}

/// The last records of one thread. When it is full the oldest are overwritten. Written by that thread while the trace
/// records, read when it does not any more.
class trace_ring {
 public:
  trace_ring(std::size_t records, int worker) : m_capacity(std::bit_ceil(records)), m_worker(worker) {
    m_records.reserve(m_capacity); // the system gives it memory as it is filled
  }

  int worker() const noexcept { return m_worker; }
  std::thread::id thread() const noexcept { return m_thread; }
  std::uint64_t dropped() const noexcept { return m_written - kept(); }
  std::uint64_t kept() const noexcept { return m_records.size(); }

  void add(const trace_record& record) noexcept {
    if (m_written < m_capacity)
      m_records.push_back(record);
    else
      m_records[m_written & (m_capacity - 1)] = record;
    ++m_written;
  }

  void forget_all() noexcept {
    m_records.clear();
    m_written = 0;
  }

  /// Calls visit(record), the oldest first.
  template <class Visit>
  void visit(Visit visit) const {
    for (std::uint64_t at = dropped(); at != m_written; ++at) visit(m_records[at & (m_capacity - 1)]);
  }

 private:
  const std::size_t m_capacity; // a power of two
  std::vector<trace_record> m_records;
  std::uint64_t m_written = 0;
  const int m_worker;
  const std::thread::id m_thread = std::this_thread::get_id(); // it makes the ring itself
};

} // namespace treadle::detail

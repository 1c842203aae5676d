#pragma once

#include "observe/trace/trace_ring.hpp"

#include <memory>
#include <mutex>

namespace treadle::detail {

/// The rings of a trace.
class trace_session final : public trace_sink {
 public:
  /// Throws std::logic_error when there is a trace already.
  trace_session(std::size_t records_per_thread, bool with_forks);
  ~trace_session() { stop(); }

  void stop() noexcept;

  // When it has stopped:
  const std::vector<std::unique_ptr<trace_ring>>& rings() const noexcept { return m_rings; }
  std::int64_t start_ticks() const noexcept { return m_start_ticks; }
  /// The same on the clock of the machine, and of all machines: for traces that are put together.
  std::int64_t start_ns() const noexcept { return m_start_ns; }
  std::int64_t start_system_ns() const noexcept { return m_start_system_ns; }
  std::int64_t stop_ticks() const noexcept { return m_stop_ticks; }
  /// How long it takes to record an event. The time of a task contains this for each event that it has recorded.
  double ticks_per_record() const noexcept { return m_ticks_per_record; }
  std::uint64_t records() const noexcept;
  std::uint64_t dropped() const noexcept;

 private:
  double measure_telling() noexcept;
  void add(const event_record& record, int worker, trace_slot& here) noexcept override;

  const std::size_t m_records_per_thread;
  std::mutex m_mutex; // of the two below
  std::vector<std::unique_ptr<trace_ring>> m_rings;
  std::uint64_t m_without_ring = 0; // records for which there was no memory
  std::mutex m_stopping;
  bool m_records = true;
  const bool m_with_forks;
  double m_ticks_per_record = 0;
  std::int64_t m_start_ticks, m_start_ns, m_start_system_ns, m_stop_ticks = 0;
};

} // namespace treadle::detail

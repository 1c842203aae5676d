#include "observe/trace/trace_session.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace treadle::detail {

constinit atomic<bool> forks_are_recorded{false};
constinit atomic<void (*)()> fork_recording_changed{nullptr};

namespace {

void record_forks(bool wanted) {
  forks_are_recorded.store(wanted, order::relaxed);
  if (const auto tell = fork_recording_changed.load(order::relaxed)) tell();
}

} // namespace

trace_session::trace_session(std::size_t records_per_thread, bool with_forks)
    : m_records_per_thread(std::max<std::size_t>(records_per_thread, 1)),
      m_with_forks(with_forks),
      m_start_ticks(ticks_now()),
      m_start_ns(steady_now_ns()),
      m_start_system_ns(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()) {
  if (!set_trace_sink(this)) throw std::logic_error("there is a trace already; one at a time can record");
  m_ticks_per_record = measure_telling();
  if (with_forks) record_forks(true);
}

/// Records some events, which are forgotten, and takes the median of batches of some pages each, because the first
/// touch of a page may take most of the time. Code that reports a task makes a call and a virtual call before that;
/// their share was measured with tests/predict.
double trace_session::measure_telling() noexcept {
  constexpr int k_batches = 9, k_events = 256;
  constexpr double k_with_callers = 1.28;
  std::array<std::int64_t, k_batches> took;
  for (std::int64_t& batch : took) {
    const std::int64_t before = ticks_now();
    for (int i = 0; i < k_events; ++i) emit({.kind = event_kind::knob});
    batch = ticks_now() - before;
  }
  std::nth_element(took.begin(), took.begin() + k_batches / 2, took.end());
  const std::thread::id me = std::this_thread::get_id();
  std::lock_guard guard(m_mutex);
  for (const auto& ring : m_rings)
    if (ring->thread() == me) ring->forget_all();
  return k_with_callers * static_cast<double>(took[k_batches / 2]) / k_events;
}

void trace_session::stop() noexcept {
  std::lock_guard guard(m_stopping);
  if (!m_records) return;
  m_records = false;
  if (m_with_forks) record_forks(false);
  set_trace_sink(nullptr);
  m_stop_ticks = ticks_now();
}

void trace_session::add(const event_record& record, int worker, trace_slot& here) noexcept {
  if (!owns(here)) {
    std::lock_guard guard(m_mutex);
    try {
      m_rings.push_back(std::make_unique<trace_ring>(m_records_per_thread, worker));
      here = {m_number, m_rings.back().get()};
    } catch (...) {
      ++m_without_ring;
      return;
    }
  }
  static_cast<trace_ring*>(here.data)->add({ticks_now(), record});
}

std::uint64_t trace_session::records() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& ring : m_rings) sum += ring->kept();
  return sum;
}

std::uint64_t trace_session::dropped() const noexcept {
  std::uint64_t sum = m_without_ring;
  for (const auto& ring : m_rings) sum += ring->dropped();
  return sum;
}

} // namespace treadle::detail

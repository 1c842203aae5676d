#pragma once

#include "base/clock.hpp"
#include "observe/trace/trace_ring.hpp"

#include <new>
#include <type_traits>

#include <unistd.h>

namespace treadle::detail {

/// The records of one thread on their way to the one that writes them: a ring with one writer and one reader. Neither
/// takes a lock; the writer waits while the ring is full.
class record_queue {
 public:
  record_queue(std::size_t records, int worker)
      : m_size(std::bit_ceil(records)),
        m_records(static_cast<trace_record*>(operator new(m_size * sizeof(trace_record)))),
        m_worker(worker) {}
  ~record_queue() { operator delete(m_records); }
  record_queue(const record_queue&) = delete;
  record_queue& operator=(const record_queue&) = delete;

  int worker() const noexcept { return m_worker; }
  pid_t thread() const noexcept { return m_thread; }

  /// Now, by the thread that made it. False: there is no room.
  bool try_add(const event_record& record) noexcept {
    const std::uint64_t at = m_added.load(order::relaxed); // its own
    if (at - m_taken_seen == m_size) {
      m_taken_seen = m_taken.load(order::acquire); // pairs with take(): what was there is read
      if (at - m_taken_seen == m_size) return false;
    }
    m_records[at & (m_size - 1)] = {ticks_now(), record};
    m_added.store(at + 1, order::release); // pairs with take(): the record is there
    return true;
  }

  /// By the reader: visit(record) for those that are there, the oldest first.
  template <class Visit>
  void take(Visit visit) {
    const std::uint64_t begin = m_taken.load(order::relaxed); // its own
    const std::uint64_t end = m_added.load(order::acquire);   // pairs with try_add()
    for (std::uint64_t at = begin; at != end; ++at) visit(m_records[at & (m_size - 1)]);
    m_taken.store(end, order::release); // pairs with try_add(): the places are free
  }

 private:
  static_assert(std::is_trivially_copyable_v<trace_record> && std::is_trivially_destructible_v<trace_record>);
  const std::uint64_t m_size;    // a power of two
  trace_record* const m_records; // the system gives it memory as it is used
  const int m_worker;
  const pid_t m_thread = gettid();
  std::uint64_t m_taken_seen = 0; // by the writer
  alignas(64) atomic<std::uint64_t> m_added{0};
  alignas(64) atomic<std::uint64_t> m_taken{0};
};

} // namespace treadle::detail

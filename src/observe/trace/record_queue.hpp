#pragma once

#include "base/clock.hpp"
#include "base/sync/ring_turns.hpp"
#include "observe/trace/trace_ring.hpp"

#include <new>
#include <type_traits>

#include <unistd.h>

namespace treadle::detail {

/// The records of one thread on their way to the one that writes them. Neither takes a lock; the thread waits while
/// there is no room.
class record_queue {
 public:
  record_queue(std::size_t records, int worker)
      : m_turns(std::bit_ceil(records)),
        m_records(static_cast<trace_record*>(operator new(m_turns.places() * sizeof(trace_record)))),
        m_worker(worker) {}
  ~record_queue() { operator delete(m_records); }
  record_queue(const record_queue&) = delete;
  record_queue& operator=(const record_queue&) = delete;

  int worker() const noexcept { return m_worker; }
  pid_t thread() const noexcept { return m_thread; }

  /// Now, by the thread that made it. False: there is no room.
  bool try_add(const event_record& record) noexcept {
    if (!m_turns.has_room()) return false;
    m_records[m_turns.place()] = {ticks_now(), record};
    m_turns.added();
    return true;
  }
  /// The same thread ends, and does not use the queue afterwards: the reader may delete it.
  void close() noexcept { m_is_closed.store(true, order::release); } // pairs with is_closed()

  /// By the reader: visit(record) for those that are there, the oldest first.
  template <class Visit>
  void take(Visit visit) {
    m_turns.take([&](std::uint64_t place) { visit(m_records[place]); });
  }
  /// What is taken after this was true is all that there will be.
  bool is_closed() const noexcept { return m_is_closed.load(order::acquire); } // pairs with close()

 private:
  static_assert(std::is_trivially_copyable_v<trace_record> && std::is_trivially_destructible_v<trace_record>);
  ring_turns m_turns;
  trace_record* const m_records; // the system gives it memory as it is used
  const int m_worker;
  const pid_t m_thread = gettid();
  atomic<bool> m_is_closed{false};
};

} // namespace treadle::detail

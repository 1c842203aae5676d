#pragma once

#include "task/queue/injection_queue.hpp"

#include <treadle/priority.hpp>

namespace treadle::detail {

/// The jobs of a pool that are in no worker's deque: from outside, with a priority, put back by yield(), or stacks that
/// a thread outside or another pool has woken.
class injected_jobs {
 public:
  void push(job* item, priority level = priority::normal) noexcept { queue(level).push(item); }
  void push_first(job* item, priority level = priority::normal) noexcept { queue(level).push_first(item); }
  /// The next one that goes before what a worker has itself. by.begin_critical() is called for a critical one.
  template <class Worker>
  job* pop_urgent(Worker& by) noexcept {
    if (job* item = queue(priority::critical).pop()) {
      by.begin_critical();
      return item;
    }
    return queue(priority::high).pop();
  }
  void push_resumed(job* item) noexcept { m_resumed.push(item); }
  job* pop_resumed() noexcept { return m_resumed.pop(); }
  job* pop_normal() noexcept { return queue(priority::normal).pop(); }
  job* pop_low() noexcept { return queue(priority::low).pop(); }

  /// Of those that are not low.
  template <class Worker>
  job* pop_any(Worker& by) noexcept {
    job* item = pop_urgent(by);
    return item ? item : pop_usual();
  }
  /// Of those that are neither urgent nor low.
  job* pop_usual() noexcept {
    job* item = pop_resumed();
    return item ? item : pop_normal();
  }

  /// Calls take(list) with the entries of each queue whose tasks were started elsewhere
  /// (injection_queue::take_stale()).
  template <class Take>
  void take_stale(Take take) noexcept {
    for (injection_queue& q : m_queues) {
      if (!q.empty()) take(q.take_stale());
    }
  }

  std::uint64_t size() const noexcept {
    std::uint64_t sum = m_resumed.size();
    for (const injection_queue& q : m_queues) sum += q.size();
    return sum;
  }
  bool empty() const noexcept {
    for (const injection_queue& q : m_queues) {
      if (!q.empty()) return false;
    }
    return m_resumed.empty();
  }

 private:
  injection_queue& queue(priority level) noexcept { return m_queues[static_cast<unsigned>(level)]; }

  injection_queue m_queues[4];
  injection_queue m_resumed;
};

} // namespace treadle::detail

#pragma once

#include <treadle/detail/job.hpp>
#include <treadle/detail/spinlock.hpp>
#include <treadle/priority.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <vector>

namespace treadle::detail {

/// Jobs of a worker, in the order of their priority, then of the path behind them, longest first, then of their age. A
/// lock and a binary heap: any thread may push and pop. Entries whose tasks were started elsewhere (job::is_stale())
/// stay until take_stale().
class ordered_jobs {
 public:
  /// False when there is no memory. What is pushed here may be run before this returns.
  bool push(job* item, priority level, float path) noexcept {
    const scoped_lock guard(m_lock);
    try {
      m_heap.push_back({key(level, path, --m_next), item});
    } catch (const std::bad_alloc&) {
      return false;
    }
    std::push_heap(m_heap.begin(), m_heap.end());
    publish();
    return true;
  }
  /// by.begin_critical() is called for a critical one.
  template <class Worker>
  job* pop(Worker& by) noexcept {
    if (empty()) return nullptr;
    const scoped_lock guard(m_lock);
    return m_heap.empty() ? nullptr : take_first(by);
  }
  /// The oldest of those that have the priority of the first one. Of many, only 64 are looked at, each time the next.
  template <class Worker>
  job* pop_oldest(Worker& by) noexcept {
    if (empty()) return nullptr;
    const scoped_lock guard(m_lock);
    if (m_heap.empty()) return nullptr;
    constexpr std::size_t k_entries = 64;
    const auto level = level_of(m_heap.front());
    const auto age = [this](std::size_t at) { return static_cast<std::uint32_t>(m_heap[at].key) - m_next; };
    std::size_t oldest = 0;
    for (std::size_t i = 0; i < std::min(k_entries, m_heap.size()); ++i) {
      m_looked_at = m_looked_at + 1 < m_heap.size() ? m_looked_at + 1 : 0;
      const entry& one = m_heap[m_looked_at];
      if (level_of(one) == level && age(m_looked_at) > age(oldest) && !one.item->is_stale()) oldest = m_looked_at;
    }
    m_heap[oldest].key |= ~std::uint64_t{0} >> 2U; // so it rises to the front
    std::push_heap(m_heap.begin(), m_heap.begin() + static_cast<std::ptrdiff_t>(oldest) + 1);
    return take_first(by);
  }

  /// Says how urgent the first one is: the larger, the more; 0 when there is none. Orders nothing, as empty().
  std::uint64_t first() const noexcept { return m_first.load(order::relaxed); }
  /// The lock protects the jobs, and who must not miss one is ordered by other means.
  bool empty() const noexcept { return first() == 0; }
  /// The first one has more than normal priority.
  bool has_urgent() const noexcept { return first() >> 62U > static_cast<std::uint64_t>(priority::normal); }
  std::uint64_t size() const noexcept { return m_size.load(order::relaxed); }

  /// Whether take_stale() would look at all entries: there may be as many stale ones as live ones.
  bool wants_sweep() const noexcept { return size() >= m_sweep_at.load(order::relaxed); }
  /// Takes out the stale entries at the front, and all of them when there may be as many as live ones: constant time
  /// for each that was ever pushed. Linked by next_job.
  job* take_stale() noexcept {
    const scoped_lock guard(m_lock);
    job* stale = nullptr;
    const auto add = [&stale](job* item) { item->next_job = std::exchange(stale, item); };
    while (!m_heap.empty() && m_heap.front().item->is_stale()) add(remove_first());
    if (m_heap.size() >= m_sweep_at.load(order::relaxed)) {
      const auto live_end =
          std::partition(m_heap.begin(), m_heap.end(), [](const entry& e) { return !e.item->is_stale(); });
      std::for_each(live_end, m_heap.end(), [&](const entry& e) { add(e.item); });
      m_heap.erase(live_end, m_heap.end());
      std::make_heap(m_heap.begin(), m_heap.end());
      m_sweep_at.store(next_sweep(), order::relaxed);
    }
    if (m_heap.size() < m_sweep_at.load(order::relaxed) / 4) // there were more once
      m_sweep_at.store(next_sweep(), order::relaxed);
    publish();
    return stale;
  }

 private:
  struct entry {
    std::uint64_t key;
    job* item;
    bool operator<(const entry& other) const noexcept { return key < other.key; }
  };
  static constexpr std::size_t k_sweep_min = 64;

  /// Numbers that are not negative have the order of their bits. Not 0: nothing here has the lowest priority.
  static std::uint64_t key(priority level, float path, std::uint32_t age) noexcept {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(std::max(path, 0.F)) >> 1U;
    return static_cast<std::uint64_t>(level) << 62U | static_cast<std::uint64_t>(bits) << 32U | age;
  }
  std::size_t next_sweep() const noexcept { return std::max(k_sweep_min, 2 * m_heap.size()); }
  static std::uint64_t level_of(const entry& one) noexcept { return one.key >> 62U; }
  template <class Worker>
  job* take_first(Worker& by) noexcept {
    if (TREADLE_UNLIKELY(level_of(m_heap.front()) == static_cast<std::uint64_t>(priority::critical)))
      by.begin_critical();
    job* const item = remove_first();
    publish();
    return item;
  }
  job* remove_first() noexcept {
    std::pop_heap(m_heap.begin(), m_heap.end());
    job* const item = m_heap.back().item;
    m_heap.pop_back();
    return item;
  }
  void publish() noexcept {
    m_first.store(m_heap.empty() ? 0 : m_heap.front().key, order::relaxed);
    m_size.store(m_heap.size(), order::relaxed);
  }

  spinlock m_lock; // of what follows; the last three are read without it
  std::vector<entry> m_heap;
  std::uint32_t m_next = 0; // counts down: of two alike the older one has the larger
  std::size_t m_looked_at = 0;
  atomic<std::size_t> m_sweep_at{k_sweep_min};
  atomic<std::uint64_t> m_first{0};
  atomic<std::uint64_t> m_size{0};
};

} // namespace treadle::detail

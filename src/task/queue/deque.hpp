#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/job.hpp>

#include <memory>
#include <vector>

namespace treadle::detail {

/// Work-stealing deque: its owner pushes and pops at the bottom, any other worker steals at the top.
///
/// Chase and Lev, "Dynamic Circular Work-Stealing Deque" (SPAA 2005), in the C11 form of Lê, Pop, Cohen and Zappa
/// Nardelli (PPoPP 2013) with one correction: the paper publishes a grown buffer with a relaxed store, so a thief may
/// read slots that were not written yet; here it is release/acquire (B). docs/design/deque.md has the argument.
///
/// Grows by doubling; old buffers are kept until destruction because a thief may still read them, which at most doubles
/// the memory. Lock-free for thieves, wait-free for the owner except when it grows. The initial capacity is a power of
/// two; the model tests use a small one.
template <std::int64_t k_capacity_initial>
class basic_deque {
 public:
  basic_deque() {
    m_buffers.push_back(std::make_unique<buffer>(k_capacity_initial)), m_buffer.store(last(), order::relaxed);
  }

  /// Owner only. How many there are now, at most. Throws std::bad_alloc when it cannot grow.
  std::int64_t push(job* item) {
    const std::int64_t bottom = m_bottom.load(order::relaxed);
    // T: slots below top are free again. Beyond the model: it stops the thief from reading what we are about to write.
    const std::int64_t top = m_top.load(order::acquire);
    buffer* items = m_buffer.load(order::relaxed);
    if (TREADLE_UNLIKELY(bottom - top >= items->capacity)) items = grow(bottom, top);
    items->slot(bottom).store(item, order::relaxed);
    m_bottom.store(bottom + 1, order::release); // P: publishes the slot and what the item points to
    return bottom + 1 - top;
  }

  /// Owner only. Newest item, or null.
  job* pop() noexcept {
    const std::int64_t bottom = m_bottom.load(order::relaxed) - 1;
    if (bottom < m_top.load(order::relaxed)) return nullptr; // empty: thieves only raise top, so this cannot be stale
    buffer* items = m_buffer.load(order::relaxed);
    // S: the owner lowers bottom, then reads top; a thief reads top, then bottom. In the single order of these
    // sequentially consistent operations at least one sees the other.
    m_bottom.store(bottom, order::seq_cst);
    std::int64_t top = m_top.load(order::seq_cst);
    if (TREADLE_LIKELY(top < bottom)) return items->slot(bottom).load(order::relaxed);
    job* item = nullptr;
    if (top == bottom) { // the last item: race the thieves for it
      item = items->slot(bottom).load(order::relaxed);
      // S, stronger than needed while steal() loads top sequentially consistently.
      if (!m_top.compare_exchange(top, top + 1, order::seq_cst, order::relaxed)) item = nullptr;
    }
    m_bottom.store(bottom + 1, order::relaxed);
    return item;
  }

  /// Any thread. Oldest item; null when empty or when another thief was faster.
  job* steal() noexcept {
    std::int64_t top = m_top.load(order::seq_cst);             // S, stronger than needed while the exchanges are
    const std::int64_t bottom = m_bottom.load(order::seq_cst); // S; also acquires P
    if (top >= bottom) return nullptr;
    buffer* items = m_buffer.load(order::acquire); // B
    job* item = items->slot(top).load(order::relaxed);
    // S, stronger than needed while the load of top above is sequentially consistent.
    if (!m_top.compare_exchange(top, top + 1, order::seq_cst, order::relaxed)) return nullptr;
    return item;
  }

  /// Any thread; exact only for the owner while nobody steals. Orders nothing: who must not miss an item passes a
  /// fence.
  bool empty() const noexcept { return m_bottom.load(order::relaxed) <= m_top.load(order::relaxed); }
  std::int64_t size() const noexcept {
    const std::int64_t n = m_bottom.load(order::relaxed) - m_top.load(order::relaxed);
    return n > 0 ? n : 0;
  }

 private:
  struct buffer {
    explicit buffer(std::int64_t n)
        : capacity(n), slots(std::make_unique<atomic<job*>[]>(static_cast<std::size_t>(n))) {}
    atomic<job*>& slot(std::int64_t index) noexcept { return slots[static_cast<std::size_t>(index & (capacity - 1))]; }

    std::int64_t capacity; // a power of two
    std::unique_ptr<atomic<job*>[]> slots;
  };

  buffer* last() const noexcept { return m_buffers.back().get(); }

  TREADLE_NOINLINE buffer* grow(std::int64_t bottom, std::int64_t top) {
    buffer* old = last();
    auto grown = std::make_unique<buffer>(old->capacity * 2);
    for (std::int64_t i = top; i < bottom; ++i) {
      grown->slot(i).store(old->slot(i).load(order::relaxed), order::relaxed);
    }
    m_buffers.push_back(std::move(grown));
    m_buffer.store(last(), order::release); // B: publishes the copied slots; pairs with acquire in steal()
    return last();
  }

  alignas(k_cache_line) atomic<std::int64_t> m_top{0};
  alignas(k_cache_line) atomic<std::int64_t> m_bottom{0};
  atomic<buffer*> m_buffer{nullptr};
  std::vector<std::unique_ptr<buffer>> m_buffers; // owner only
};

using deque = basic_deque<256>;

} // namespace treadle::detail

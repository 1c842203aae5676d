#pragma once

#include <treadle/detail/atomic.hpp>
#include <treadle/detail/job.hpp>

#include <memory>
#include <vector>

namespace treadle::detail {

/// Work-stealing deque: its owner pushes and pops at the bottom, any worker, also the owner, steals at the top.
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
    if (const std::int64_t size = push_if_room(item); TREADLE_LIKELY(size != 0)) return size;
    grow();
    return push_if_room(item);
  }
  /// Owner only. The same where it need not grow; else 0, and nothing done.
  std::int64_t push_if_room(job* item) noexcept {
    const std::int64_t bottom = m_bottom.load(order::relaxed);
    // T: slots below top are free again. Beyond the model: it stops the thief from reading what we are about to write.
    const std::int64_t top = m_top.load(order::acquire);
    buffer* const items = m_buffer.load(order::relaxed);
    if (TREADLE_UNLIKELY(bottom - top >= items->capacity)) return 0;
    items->slot(bottom).store(item, order::relaxed);
    m_bottom.store(bottom + 1, order::release); // P: publishes the slot and what the item points to
    return bottom + 1 - top;
  }

  /// Owner only. Newest item, or null.
  job* pop() noexcept {
    const std::int64_t newest = m_bottom.load(order::relaxed) - 1;
    if (newest < m_top.load(order::relaxed)) return nullptr; // empty: thieves only raise top, so this cannot be stale
    return take(newest) ? item_at(newest) : nullptr;
  }
  /// Owner only. Takes the newest item if it is this one.
  bool pop_if(const job* item) noexcept {
    const std::int64_t newest = m_bottom.load(order::relaxed) - 1;
    return item_at(newest) == item && take(newest); // which says no where that is what a thief has left of it
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

  job* item_at(std::int64_t index) const noexcept {
    return m_buffer.load(order::relaxed)->slot(index).load(order::relaxed);
  }
  /// By the owner. False when thieves have the newest item.
  bool take(std::int64_t newest) noexcept {
    // S: the owner lowers bottom, then reads top; a thief reads top, then bottom. In the single order of these
    // sequentially consistent operations at least one sees the other.
    m_bottom.store(newest, order::seq_cst);
    std::int64_t top = m_top.load(order::seq_cst);
    if (TREADLE_LIKELY(top < newest)) return true;
    // The last item: race the thieves for it. S, stronger than needed while steal() loads top sequentially
    // consistently.
    const bool taken = top == newest && m_top.compare_exchange(top, top + 1, order::seq_cst, order::relaxed);
    m_bottom.store(newest + 1, order::relaxed);
    return taken;
  }

  buffer* last() const noexcept { return m_buffers.back().get(); }

  TREADLE_NOINLINE void grow() {
    buffer* old = last();
    auto grown = std::make_unique<buffer>(old->capacity * 2);
    const std::int64_t bottom = m_bottom.load(order::relaxed);
    for (std::int64_t i = m_top.load(order::relaxed); i < bottom; ++i) {
      grown->slot(i).store(old->slot(i).load(order::relaxed), order::relaxed);
    }
    m_buffers.push_back(std::move(grown));
    m_buffer.store(last(), order::release); // B: publishes the copied slots; pairs with acquire in steal()
  }

  alignas(k_cache_line) atomic<std::int64_t> m_top{0};
  alignas(k_cache_line) atomic<std::int64_t> m_bottom{0};
  atomic<buffer*> m_buffer{nullptr};
  std::vector<std::unique_ptr<buffer>> m_buffers; // owner only
};

using deque = basic_deque<256>;

} // namespace treadle::detail

#pragma once

#include <treadle/detail/config.hpp>

namespace treadle::detail {

/// Memory for small short-lived objects (future states, array headers): size classes with a free list per thread, so an
/// allocate/free pair costs a few nanoseconds and no atomic operation. Larger sizes go to operator new, and from 8 KB
/// on come from blocks that each thread keeps (src/base/block_cache.hpp).
///
/// Any thread may free what another allocated; surplus lists travel between threads in batches through a shared pool.
/// Throws std::bad_alloc. `bytes` given to slab_free must be those given to slab_allocate.
[[nodiscard]] void* slab_allocate(std::size_t bytes);
void slab_free(void* memory, std::size_t bytes) noexcept;
/// What it has taken from operator new so far, in bytes.
std::uint64_t slab_bytes() noexcept;

/// n numbers without a value, for a while. Throws std::bad_alloc.
template <class T>
class slab_array {
 public:
  explicit slab_array(std::size_t n) : m_bytes(n * sizeof(T)), m_data(static_cast<T*>(slab_allocate(m_bytes))) {}
  slab_array(const slab_array&) = delete;
  slab_array& operator=(const slab_array&) = delete;
  ~slab_array() { slab_free(m_data, m_bytes); }

  T* data() const noexcept { return m_data; }

 private:
  const std::size_t m_bytes;
  T* const m_data;
};

} // namespace treadle::detail
